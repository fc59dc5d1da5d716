"""INSERTs into upsert sinks whose primary key is not the query's: what Flink 2.3 gave to such a sink.

`tests/cases/sinks/flink.json` has an entry for each INSERT: the file that `t` (and `tp`, the same with a
primary key) reads, the sink's columns, the query, the option `table.exec.sink.upsert-materialize`, what ON
CONFLICT says, and the changes, or the error that ended the job. Of each primary key the changes must be the
same.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from firesteel import TableEnvironment
from firesteel.changelog import SEQUENCE
from firesteel.connectors.print_format import lines
from firesteel.connectors.registry import open_source
from firesteel.errors import JobError
from firesteel.job.spec import JobSpec
from firesteel.runtime.dataflow.operator_registry import OPERATORS
from firesteel.runtime.spec.tables import ScanSpec
from firesteel.session.jobs import job_of
from firesteel.session.planning import plan_all
from firesteel.sql.statements import Insert
from tests.scale import part
from tests.spark.in_process import cut, run

FOLDER = Path(__file__).parent / "sinks"
RECORDED: list[dict[str, Any]] = json.loads((FOLDER / "flink.json").read_text(encoding="utf-8"))
_CUT = [[7], [1], [2, 5], [1], [3]]
BATCHES_AND_TARGETS = part([([], 1), (_CUT, 1), ([], 4), (_CUT, 4)], 2)
TABLE = (
    "CREATE TABLE {name} (id INT, k STRING, v INT, d DOUBLE, ts TIMESTAMP(3){key}, "
    "WATERMARK FOR ts AS ts - INTERVAL '1' SECOND) "
    "WITH ('connector' = 'filesystem', 'path' = '{path}', 'format' = 'canal-json')"
)


def job(case: dict[str, Any]) -> JobSpec:
    environment = TableEnvironment.create(
        configuration={
            "table.exec.sink.upsert-materialize": case["option"],
            "table.exec.sink.not-null-enforcer": "DROP",
        }
    )
    path = FOLDER / case["input"]
    environment.execute_sql(TABLE.format(name="t", key="", path=path))
    environment.execute_sql(TABLE.format(name="tp", key=", PRIMARY KEY (id) NOT ENFORCED", path=path))
    environment.execute_sql(
        f"CREATE TABLE s ({case['columns']}) "
        "WITH ('connector' = 'jdbc', 'url' = 'jdbc:sqlite:/none', 'table-name' = 's')"
    )
    text = f"INSERT INTO s {case['query']} ON CONFLICT DO {case['conflict']}"
    (insert,) = environment.parse(text)
    assert isinstance(insert, Insert)
    (plans,) = plan_all(environment, (insert,), text, collect=False)
    spec = job_of(environment, [plans.physical])
    return replace(spec, sinks=(replace(spec.sinks[0], connector=None),))


def rows(scan: ScanSpec) -> pa.Table:
    source = open_source(scan)
    tables = [table for split in source.splits(1) for table in source.read(split)]
    return pa.concat_tables(tables).combine_chunks().drop_columns([SEQUENCE])


def answer(case: dict[str, Any], batches: Sequence[Sequence[int]] = (), targets: int = 1) -> list[str]:
    """The changes as Flink prints them. batches: sizes of splits in each micro-batch. targets: key groups."""
    spec = job(case)
    scan = spec.chains[0].source
    assert isinstance(scan, ScanSpec)
    found = run(spec, [cut(rows(scan), *batches)], targets)
    return [line for table in found for line in lines(table, spec.sinks[0].types)]


def by_key(changes: Sequence[str]) -> dict[str, list[str]]:
    """The changes of each primary key, which is the first column."""
    found = defaultdict(list)
    for line in changes:
        found[line[3:-1].split(", ")[0]].append(line)
    return found


@pytest.mark.parametrize(("batches", "targets"), BATCHES_AND_TARGETS, ids=str)
@pytest.mark.parametrize("case", RECORDED, ids=lambda case: f"{case['query']} {case['conflict']}")
def test_the_sink_gets_what_it_gets_of_flink(
    case: dict[str, Any], batches: list[list[int]], targets: int
) -> None:
    if "error" in case:
        with pytest.raises(JobError, match="Primary key constraint violation") as raised:
            answer(case, batches, targets)
        if targets == 1:  # of several tasks, the one that fails first ends the job
            assert case["error"] in str(raised.value)
    else:
        assert by_key(answer(case, batches, targets)) == by_key(case["changes"])


def test_every_materializer_has_a_recorded_case() -> None:
    found = {
        type(operator) for case in RECORDED for chain in job(case).chains for operator in chain.operators
    }
    assert {spec for spec in OPERATORS if spec.__module__ == "firesteel.runtime.spec.sink"} <= found
