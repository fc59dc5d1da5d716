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


def _sums(calls: str, columns: str = "name STRING, total INT, n BIGINT", rest: str = "") -> Version:
    """Return aggregates of sales by name: these calls after the name, and the end of the query."""
    return Version(f"SELECT name, {calls} FROM sales {rest} GROUP BY name", columns)


def _having(version: Version, condition: str) -> Version:
    return replace(version, query=f"{version.query} HAVING {condition}")


def _stock(calls: str, rest: str = "") -> Version:
    """Return aggregates of the stock by name, whose rows change."""
    return Version(f"SELECT name, {calls} FROM stock {rest} GROUP BY name", sources=("stock",))


def _calling(function: str) -> Version:
    """Return sums of a user-defined function."""
    create = f"CREATE FUNCTION {function} AS 'tests.recovery.upgrade_functions.{function}' LANGUAGE PYTHON;\n"
    return Version(
        f"SELECT name, CAST(SUM({function}(cnt)) AS INT), COUNT(*) FROM sales GROUP BY name", settings=create
    )


_SUMS = _sums("SUM(cnt) AS total, COUNT(*) AS n")
_LARGE = _sums("SUM(cnt) AS total, COUNT(*) AS n", rest="WHERE cnt > 7")
_STOCK = _stock("SUM(cnt) AS total, COUNT(*) AS n")
_TEAMS = replace(
    _SUMS,
    query="SELECT team, SUM(cnt), COUNT(*) FROM sales JOIN names ON sales.name = names.name GROUP BY team",
    sources=("in", "names"),
)
_TOTALS = Version("SELECT name, SUM(cnt) FROM sales GROUP BY name", "name STRING, total INT")
_MINI_BATCH = """\
SET 'table.exec.mini-batch.enabled' = 'true';
SET 'table.exec.mini-batch.allow-latency' = '100 ms';
SET 'table.exec.mini-batch.size' = '100';
"""
_TTL = "SET 'table.exec.state.ttl' = '1 d';\n"
_LEFT = (
    "SELECT COALESCE(team, 'none'), SUM(cnt), COUNT(*) FROM sales LEFT JOIN names ON sales.name = names.name "
    "GROUP BY COALESCE(team, 'none')"
)
_BOTH = "(SELECT name, cnt FROM sales UNION ALL SELECT name, cnt FROM stock)"
_IN = "WHERE name IN (SELECT name FROM names WHERE team = 't1')"
_NOT_IN = "WHERE NOT EXISTS (SELECT 1 FROM names WHERE names.name = stock.name AND team = 't1')"
_FIRST = Version(
    "SELECT name, cnt, id FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY name ORDER BY cnt DESC, id) AS r "
    "FROM sales) WHERE r = 1",
    "name STRING, total INT, n INT",
)
_RANKED = (
    "SELECT name, total, n FROM (SELECT *, ROW_NUMBER() OVER (ORDER BY total DESC, name) AS r FROM "
    "(SELECT name, CAST(SUM(cnt) AS INT) AS total, COUNT(*) AS n FROM stock GROUP BY name)) WHERE r <= 2"
)
_LONG = "name STRING, total INT, n BIGINT"

CASES = (
    Case("filter", _SUMS, _LARGE, is_full=False),
    Case("join added", _SUMS, _TEAMS),
    Case(
        "column added",
        _SUMS,
        _sums("SUM(cnt), COUNT(*), MIN(id)", f"{_LONG}, least INT"),
    ),
    Case(
        "constant column added",
        _SUMS,
        _sums("SUM(cnt), COUNT(*), 'x'", f"{_LONG}, kind STRING"),
    ),
    Case("column dropped", _SUMS, _sums("COUNT(*)", "name STRING, n BIGINT")),
    Case(
        "columns reordered",
        _SUMS,
        Version(
            "SELECT COUNT(*), name, SUM(cnt) FROM sales GROUP BY name", "n BIGINT, name STRING, total INT"
        ),
    ),
    Case(
        "columns added and dropped",
        _SUMS,
        Version(
            "SELECT MAX(cnt), name, COUNT(*) FROM sales GROUP BY name", "least INT, name STRING, n BIGINT"
        ),
    ),
    Case(
        "type widened",
        _SUMS,
        _sums("CAST(SUM(cnt) AS BIGINT), COUNT(*)", "name STRING, total BIGINT, n BIGINT", "WHERE cnt <> 5"),
    ),
    Case(
        "type widened alone",
        _SUMS,
        _sums("CAST(SUM(cnt) AS BIGINT), CAST(COUNT(*) AS DOUBLE)", "name STRING, total BIGINT, n DOUBLE"),
    ),
    Case("filter of results", _SUMS, _having(_SUMS, "COUNT(*) > 2")),
    Case(
        "another filter of results",
        _having(_SUMS, "COUNT(*) > 2"),
        _having(_SUMS, "COUNT(*) > 3"),
    ),
    Case("filter of results dropped", _having(_SUMS, "COUNT(*) > 2"), _SUMS),
    Case("another filter", _LARGE, _sums("SUM(cnt), COUNT(*)", rest="WHERE cnt > 12")),
    Case("filter dropped", _LARGE, _SUMS),
    Case("no rows", _SUMS, _sums("SUM(cnt), COUNT(*)", rest="WHERE cnt > 99")),
    Case("distinct", _SUMS, _sums("SUM(cnt), COUNT(DISTINCT cnt)")),
    Case("filtered aggregate", _SUMS, _sums("SUM(cnt), COUNT(*) FILTER (WHERE cnt > 7)")),
    Case(
        "another aggregate",
        _STOCK,
        _stock("MAX(cnt), COUNT(*)"),
    ),
    Case("aggregate of changes", _STOCK, _stock("MIN(cnt), COUNT(DISTINCT cnt)")),
    Case("filter of changes", _STOCK, _stock("SUM(cnt), COUNT(*)", "WHERE cnt < 60")),
    Case(
        "key changed",
        _SUMS,
        replace(
            _SUMS,
            query="SELECT CAST(cnt % 3 AS STRING) AS name, SUM(cnt), COUNT(*) FROM sales GROUP BY cnt % 3",
        ),
    ),
    Case(
        "finer key",
        _SUMS,
        replace(
            _SUMS,
            query="SELECT name || CAST(cnt % 2 AS STRING) AS k, SUM(cnt), COUNT(*) FROM sales "
            "GROUP BY name || CAST(cnt % 2 AS STRING)",
        ),
    ),
    Case(
        "aggregate of aggregates",
        _SUMS,
        replace(
            _SUMS,
            query="SELECT CAST(n AS STRING), SUM(total), COUNT(*) FROM (SELECT name, SUM(cnt) AS total, "
            "COUNT(*) AS n FROM sales GROUP BY name) GROUP BY n",
            answer="SELECT CAST(n AS VARCHAR), SUM(total), COUNT(*) FROM (SELECT name, SUM(cnt) AS total, "
            "COUNT(*) AS n FROM sales GROUP BY name) GROUP BY n",
        ),
    ),
    Case("left join", _SUMS, replace(_TEAMS, query=_LEFT)),
    Case("another kind of join", _TEAMS, replace(_TEAMS, query=_LEFT)),
    Case("source dropped", _TEAMS, _SUMS),
    Case("source replaced", _SUMS, _STOCK),
    Case(
        "source added",
        _SUMS,
        replace(
            _SUMS,
            query=f"SELECT name, SUM(cnt), COUNT(*) FROM {_BOTH} GROUP BY name",
            sources=("in", "stock"),
        ),
    ),
    Case("window added", _TOTALS, _windows(4)),
    Case("another window", _windows(2), _windows(4)),
    Case("window dropped", _windows(2), _TOTALS),
    Case("bounded", replace(_SUMS, is_bounded=True), replace(_TEAMS, is_bounded=True)),
    Case("bounded windows", _windows(2, is_bounded=True), _windows(4, is_bounded=True)),
    Case("mini-batch on", _STOCK, replace(_STOCK, settings=_MINI_BATCH)),
    Case("mini-batch off", replace(_STOCK, settings=_MINI_BATCH), _STOCK),
    Case("mini-batch and a filter", _SUMS, replace(_LARGE, settings=_MINI_BATCH)),
    Case("time to live", _SUMS, replace(_SUMS, settings=_TTL)),
    Case("time to live and a filter", _SUMS, replace(_LARGE, settings=_TTL)),
    Case("sub-query added", _STOCK, replace(_stock("SUM(cnt), COUNT(*)", _IN), sources=("stock", "names"))),
    Case(
        "negated sub-query",
        _STOCK,
        replace(_stock("SUM(cnt), COUNT(*)", _NOT_IN), sources=("stock", "names")),
    ),
    Case("rank added", _STOCK, replace(_STOCK, query=_RANKED)),
    Case("another rank", _FIRST, replace(_FIRST, query=_FIRST.query.replace("DESC, id", "ASC, id"))),
    Case("another function", _calling("twice"), _calling("thrice")),
)
