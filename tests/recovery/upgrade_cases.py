"""Changes of a job's script that an upgrade must take (upgrade_run.py)."""

from __future__ import annotations

from dataclasses import dataclass, replace

from tests.recovery.upgrade_run import Version


@dataclass(frozen=True)
class Case:
    """A change of the script.

    Attributes:
        name: What changes.
        before: The old version.
        after: The new one.
        is_full: Whether it runs at full size only.
    """

    name: str
    before: Version
    after: Version
    is_full: bool = True


def _windows(seconds: int, *, is_bounded: bool = False) -> Version:
    """Return sums of windows of so many seconds. The last ones of an endless input have not ended."""
    size = f"INTERVAL '{seconds}' SECOND"
    return Version(
        "SELECT CAST(window_end AS STRING), SUM(cnt) "
        f"FROM TABLE(TUMBLE(TABLE sales, DESCRIPTOR(ts), {size})) GROUP BY window_start, window_end",
        "name STRING, total INT",
        conflict=" ON CONFLICT DO DEDUPLICATE",
        answer=f"SELECT strftime(time_bucket({size}, CAST(ts AS TIMESTAMP)) + {size}, "
        f"'%Y-%m-%d %H:%M:%S.%g') AS e, SUM(cnt) FROM sales GROUP BY e HAVING {is_bounded} OR "
        "CAST(e AS TIMESTAMP) <= (SELECT MAX(CAST(ts AS TIMESTAMP)) - INTERVAL '1' SECOND FROM sales)",
        is_bounded=is_bounded,
    )


_SUMS = Version("SELECT name, SUM(cnt) AS total, COUNT(*) AS n FROM sales GROUP BY name")
_STOCK = Version("SELECT name, SUM(cnt) AS total, COUNT(*) AS n FROM stock GROUP BY name", sources=("stock",))
_TEAMS = replace(
    _SUMS,
    query="SELECT team, SUM(cnt), COUNT(*) FROM sales JOIN names ON sales.name = names.name GROUP BY team",
    sources=("in", "names"),
)
_MINI_BATCH = """\
SET 'table.exec.mini-batch.enabled' = 'true';
SET 'table.exec.mini-batch.allow-latency' = '100 ms';
SET 'table.exec.mini-batch.size' = '100';
"""

CASES = (
    Case(
        "filter",
        _SUMS,
        replace(_SUMS, query="SELECT name, SUM(cnt), COUNT(*) FROM sales WHERE cnt > 7 GROUP BY name"),
        is_full=False,
    ),
    Case(
        "another aggregate",
        _STOCK,
        replace(_STOCK, query="SELECT name, MAX(cnt), COUNT(*) FROM stock GROUP BY name"),
    ),
    Case(
        "column added",
        _SUMS,
        Version(
            "SELECT name, SUM(cnt), COUNT(*), MIN(id) FROM sales GROUP BY name",
            "name STRING, total INT, n BIGINT, least INT",
        ),
    ),
    Case(
        "column dropped",
        _SUMS,
        Version("SELECT name, COUNT(*) FROM sales GROUP BY name", "name STRING, n BIGINT"),
    ),
    Case(
        "columns reordered",
        _SUMS,
        Version(
            "SELECT COUNT(*), name, SUM(cnt) FROM sales GROUP BY name", "n BIGINT, name STRING, total INT"
        ),
    ),
    Case(
        "type widened",
        _SUMS,
        Version(
            "SELECT name, CAST(SUM(cnt) AS BIGINT), COUNT(*) FROM sales WHERE cnt <> 5 GROUP BY name",
            "name STRING, total BIGINT, n BIGINT",
        ),
    ),
    Case(
        "key changed",
        _SUMS,
        replace(
            _SUMS,
            query="SELECT CAST(cnt % 3 AS STRING) AS name, SUM(cnt), COUNT(*) FROM sales GROUP BY cnt % 3",
        ),
    ),
    Case(
        "join added",
        _SUMS,
        _TEAMS,
        is_full=False,
    ),
    Case(
        "source dropped",
        _TEAMS,
        _SUMS,
    ),
    Case(
        "window added",
        Version("SELECT name, SUM(cnt) FROM sales GROUP BY name", "name STRING, total INT"),
        _windows(4),
    ),
    Case("another window", _windows(2), _windows(4)),
    Case("bounded", replace(_SUMS, is_bounded=True), replace(_TEAMS, is_bounded=True)),
    Case("bounded windows", _windows(2, is_bounded=True), _windows(4, is_bounded=True)),
    Case("mini-batch on", _STOCK, replace(_STOCK, settings=_MINI_BATCH)),
    Case("mini-batch off", replace(_STOCK, settings=_MINI_BATCH), _STOCK),
    Case("time to live", _SUMS, replace(_SUMS, settings="SET 'table.exec.state.ttl' = '1 d';\n")),
    Case(
        "sub-query added",
        _STOCK,
        replace(
            _STOCK,
            query="SELECT name, SUM(cnt), COUNT(*) FROM stock WHERE name IN (SELECT name FROM names WHERE "
            "team = 't1') GROUP BY name",
            sources=("stock", "names"),
        ),
    ),
    Case(
        "rank added",
        _STOCK,
        replace(
            _STOCK,
            query="SELECT name, total, n FROM (SELECT *, ROW_NUMBER() OVER (ORDER BY total DESC) AS r FROM "
            "(SELECT name, CAST(SUM(cnt) AS INT) AS total, COUNT(*) AS n FROM stock GROUP BY name)) "
            "WHERE r <= 2",
        ),
    ),
)
