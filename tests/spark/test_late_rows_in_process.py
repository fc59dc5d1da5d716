"""Rows that operators drop as late go to the dead-letter table, however the input is cut."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import product

import pyarrow as pa
import pytest

from firesteel import TableEnvironment
from firesteel.errors import NotSupportedError
from firesteel.job.spec import JobSpec
from firesteel.runtime.spec.tables import ScanSpec
from firesteel.session.jobs import job_of
from firesteel.session.planning import plan
from firesteel.sql.parser import parse_statement
from firesteel.sql.statements import Query
from tests.scale import part
from tests.spark.in_process import changes, cut, dead_letters, late_rows

TABLES = (
    "CREATE TABLE t (k STRING, n INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '1' SECOND) WITH "
    "('connector' = 'filesystem', 'path' = '/x', 'format' = 'json')",
    "CREATE TABLE bad (source_table STRING, source_id STRING, source_position STRING, error_class STRING, "
    "error_text STRING, raw_bytes BYTES, row_kind STRING) WITH ('connector' = 'print')",
)
WINDOWS = "TABLE({}(TABLE t{}, DESCRIPTOR(ts), INTERVAL '4' SECOND{}))"
OF_WINDOWS = "SELECT k, MAX(n), window_end FROM {} GROUP BY k, window_start, window_end"
GROUPED = "SELECT k, MAX(n) FROM t GROUP BY k, {}(ts, INTERVAL '4' SECOND)"
TUMBLE = WINDOWS.format("TUMBLE", "", "")
RANKED = (
    "SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY {} ORDER BY {}) AS r FROM {}) WHERE r <= {}"
)
QUERIES = {
    "WindowAggregate": OF_WINDOWS.format(TUMBLE),
    "WindowAggregate of HOP": OF_WINDOWS.format(
        WINDOWS.format("HOP", "", "").replace("'4'", "'2' SECOND, INTERVAL '4'")
    ),
    "SessionWindowAggregate": OF_WINDOWS.format(WINDOWS.format("SESSION", " PARTITION BY k", "")),
    "SessionWindowAggregate of GROUP BY": GROUPED.format("SESSION"),
    "GroupWindowAggregate": GROUPED.format("TUMBLE"),
    "SessionWindowTableFunction": "SELECT k, n, window_end FROM "
    + WINDOWS.format("SESSION", " PARTITION BY k", ""),
    "OverAggregate": "SELECT k, MAX(n) OVER (PARTITION BY k ORDER BY ts) FROM t",
    "OverAggregate of ROWS":
        "SELECT k, MAX(n) OVER (PARTITION BY k ORDER BY ts ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) FROM t",
    "TemporalSort": "SELECT * FROM t ORDER BY ts",
    "Deduplicate": RANKED.format("k", "ts", "t", 1),
    "WindowRank": RANKED.format("window_start, window_end, k", "n", TUMBLE, 2),
    "WindowJoin": f"SELECT a.n, b.n FROM (SELECT * FROM {TUMBLE}) a JOIN (SELECT * FROM {TUMBLE}) b "
    "ON a.k = b.k AND a.n = b.n AND a.window_start = b.window_start AND a.window_end = b.window_end",
}  # fmt: skip
ROWS = [
    *[("a", 1), ("a", 10), ("b", 11), ("a", 20)],
    *[("a", 2), ("b", 30), ("b", 3), ("a", 31), ("b", 32)],
]
"""Key and second of each row. Its number is its position; those with 2 and 3 seconds are late."""
LATE = {4: ("a", 2, 19), 6: ("b", 3, 29)}
"""Key, second, and second of the watermark of each late row."""
CUTTINGS: dict[str, list[list[int]]] = {"whole": [], "cut": [[2], [1], [2]], "late first": [[4], [1], [1]]}
EARLY = {"table.exec.emit.early-fire.enabled": "true", "table.exec.emit.early-fire.delay": "5 s"}


def job(query: str, **options: str) -> JobSpec:
    made = TableEnvironment.create(
        configuration={
            "firesteel.dead-letters.table": "bad",
            "firesteel.dead-letters.late-rows": "true",
            "table.optimizer.agg-phase-strategy": "ONE_PHASE",
            **options,
        }
    )
    for table in TABLES:
        made.execute_sql(table)
    statement = parse_statement(query)
    assert isinstance(statement, Query)
    return job_of(made, [plan(made, statement, query, collect=True).physical])


def source(scan: ScanSpec) -> pa.Table:
    """Return the rows with the columns that a scan reads."""
    columns = {
        "k": pa.array([key for key, _ in ROWS], pa.string()),
        "n": pa.array(range(len(ROWS)), pa.int32()),
        "ts": pa.array([second * 1_000_000 for _, second in ROWS], pa.timestamp("us")),
    }
    return changes([0] * len(ROWS), *(columns[scan.names[place]] for place in scan.projection))


def sources(of: JobSpec, batches: Sequence[Sequence[int]]) -> list[list[Sequence[pa.Table]]]:
    scans = [chain.source for chain in of.chains if isinstance(chain.source, ScanSpec)]
    return [cut(source(scan), *batches) for scan in scans]


@pytest.mark.parametrize(("name", "cutting", "targets"), part(list(product(QUERIES, CUTTINGS, (1, 3))), 24))
def test_each_late_row_is_there_once(name: str, cutting: str, targets: int) -> None:
    batches = CUTTINGS[cutting]
    of = job(QUERIES[name], **(EARLY if name == "GroupWindowAggregate" else {}))
    given = sources(of, batches)
    letters = [row for table in dead_letters(of, given, targets) for row in table.to_pylist()]
    found = [list(row.values())[2:] for row in letters]
    inputs = 2 if name == "WindowJoin" else 1
    expected = sorted(inputs * [*LATE])
    assert len(found) == late_rows(of, given, targets) == len(expected)
    numbers = []
    for table, identity, position, error, text, raw, kind in found:
        row = json.loads(raw)
        key, second, watermark = LATE[row["n"]]
        numbers.append(row["n"])
        assert row["k"] == key
        assert (table, error, kind) == (name.partition(" ")[0], "LateRow", "+I")
        assert position.startswith("micro-batch ")
        assert "." in identity
        assert text.endswith(f", and the watermark was 1970-01-01 00:00:{watermark:02}.000.")
        if "window" not in row:
            assert f"its time is 1970-01-01 00:00:0{second}" in text or "Window" in name
    assert sorted(numbers) == expected


def test_rows_that_are_merged_before_are_refused() -> None:
    with pytest.raises(NotSupportedError, match="of two phases") as told:
        job(QUERIES["WindowAggregate"], **{"table.optimizer.agg-phase-strategy": "AUTO"})
    assert "'table.optimizer.agg-phase-strategy' = 'ONE_PHASE'" in str(told.value)


@pytest.mark.parametrize(
    "off", [{"firesteel.dead-letters.late-rows": "false"}, {"firesteel.dead-letters.table": ""}]
)
def test_without_the_options_late_rows_are_only_counted(off: dict[str, str]) -> None:
    of = job(QUERIES["OverAggregate"], **off)
    given = sources(of, [])
    assert late_rows(of, given) == 2
    assert dead_letters(of, given) == []


def test_the_options_do_not_change_the_chains() -> None:
    on, off = (
        job(QUERIES["WindowRank"], **{"firesteel.dead-letters.late-rows": each}) for each in ("true", "false")
    )
    assert on.chains == off.chains
