"""Workloads over messages as servers write them (benchmarks/real_data.py), and plans of several parts."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from benchmarks.data import cache, canal
from benchmarks.real_data import KINDS, lines
from benchmarks.workload import BUNDLES, HOLE, IN_BUNDLES, LARGE, ORDERS, REAL_COLUMNS, SMALL, Workload

SIZES = (500_000, 2_000_000)
_STREAMED = (1_000_000, 4_000_000)
"""One micro-batch, and two of up to 2M: a file of 6M such messages would be 5 GB."""

_NESTED_COLUMNS = (
    "id BIGINT, name STRING, buyer ROW<city STRING, note STRING, address ROW<zip INT>>, "
    "items ARRAY<ROW<sku STRING, cnt INT>>, tags MAP<STRING, STRING>, cnt INT"
)
_TABLE = (
    "CREATE TABLE orders ({columns}) "
    "WITH ('connector' = 'filesystem', 'path' = '{path}', 'format' = '{format}');\n"
)


def _messages(name: str, count: int) -> Path:
    """A file of `count` messages of a kind."""
    path = cache() / f"{name}-{count}.txt"
    if not path.exists():
        part = path.with_suffix(".part")
        with part.open("w", encoding="utf-8", buffering=1 << 20) as out:
            out.writelines(lines(name, count))
        part.rename(path)
    return path


def _real(name: str, count: int) -> str:
    """SUM and MAX by name over a table of ten columns, of which two are read."""
    table = _TABLE.format(columns=REAL_COLUMNS, path=_messages(name, count), format=KINDS[name][0])
    return (
        table
        + HOLE.format(columns="name STRING, s INT, m INT")
        + "INSERT INTO hole SELECT name, SUM(cnt), MAX(cnt) FROM orders GROUP BY name;\n"
    )


def _json_nested(count: int) -> str:
    """Values out of a ROW, an ARRAY and a MAP."""
    table = _TABLE.format(columns=_NESTED_COLUMNS, path=_messages("json-nested", count), format="json")
    return (
        table
        + HOLE.format(columns="city STRING, s INT, m INT, n BIGINT")
        + "INSERT INTO hole SELECT buyer.city, SUM(items[1].cnt), MAX(buyer.address.zip), "
        "COUNT(tags['state']) FROM orders GROUP BY buyer.city;\n"
    )


def _nested(count: int) -> str:
    """How many names have which sum."""
    return (
        ORDERS.format(path=canal(count))
        + HOLE.format(columns="s INT, n BIGINT")
        + "INSERT INTO hole SELECT s, COUNT(*) FROM "
        "(SELECT name, SUM(cnt) AS s FROM orders GROUP BY name) GROUP BY s;\n"
    )


def _global_max(count: int) -> str:
    return (
        ORDERS.format(path=canal(count))
        + HOLE.format(columns="n BIGINT, m INT")
        + "INSERT INTO hole SELECT COUNT(*), MAX(cnt) FROM orders;\n"
    )


def _statement_set(count: int) -> str:
    """Three INSERTs over one source; one of them alone is batch-sum-max."""
    sinks = "".join(
        f"CREATE TABLE hole{i} (name STRING, v BIGINT) WITH ('connector' = 'blackhole');\n" for i in range(3)
    )
    inserts = "".join(
        f"INSERT INTO hole{i} SELECT name, CAST({call} AS BIGINT) FROM orders GROUP BY name;\n"
        for i, call in enumerate(("SUM(cnt)", "MAX(cnt)", "COUNT(*)"))
    )
    return f"{ORDERS.format(path=canal(count))}{sinks}EXECUTE STATEMENT SET BEGIN\n{inserts}END;\n"


def _in_bundles(name: str, what: str, script: Callable[[int], str], sizes: tuple[int, ...]) -> Workload:
    """In mini-batches, Flink as it is fastest."""
    return Workload(name, what, script, sizes, settings=IN_BUNDLES, flink=({}, BUNDLES))


REAL_WORKLOADS = (
    *(
        _in_bundles(name, f"{KINDS[name][0]} as servers write it, SUM and MAX", partial(_real, name), SIZES)
        for name in ("canal-real", "debezium-real", "maxwell-real", "csv-quoted")
    ),
    Workload(
        "stream-canal-real",
        "canal-real with a checkpoint",
        partial(_real, "canal-real"),
        sizes=_STREAMED,
        checkpoint=True,
        settings=IN_BUNDLES,
        flink=({}, BUNDLES),
    ),
    _in_bundles("json-nested", "json with a ROW, an ARRAY and a MAP", _json_nested, SIZES),
    _in_bundles("nested", "canal-json, a GROUP BY over another", _nested, (SMALL, LARGE)),
    _in_bundles("global-max", "canal-json, COUNT and MAX of all rows", _global_max, (SMALL, LARGE)),
    _in_bundles("statement-set", "canal-json, three INSERTs over one source", _statement_set, (LARGE,)),
)
