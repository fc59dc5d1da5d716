"""Scripts that Flink 2.3 has run, with the changes that it answered: the same are expected here.

More of them are held where the environment variable FIRESTEEL_CASES names a folder of cases.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from firesteel import TableEnvironment
from firesteel.runtime.dataflow.operator_registry import OPERATORS
from firesteel.runtime.spec.lookup_join import LookupJoinSpec, ResolvedLookupJoinSpec
from firesteel.runtime.spec.operators import GeneratedWatermarksSpec, OperatorSpec
from firesteel.runtime.spec.probe import ProbeSpec
from firesteel.runtime.spec.sharing import SequenceShiftSpec
from tests.cases.script import answered, disagreements, job, steps
from tests.scale import FULL, part

if TYPE_CHECKING:
    from firesteel.spark.launch.launch import Spark

RECORDED = sorted((Path(__file__).parent / "recorded").iterdir())
ALONE = sorted((Path(__file__).parent / "alone").iterdir())
"""Windows of local time lose what one task's state does not have yet, in Flink, too."""
_OF_CHANGES = ("operators", "joins", "ranks", "sets", "sub-queries", "unnest")
_ALL_OPERATORS = (
    *_OF_CHANGES,
    "attached-windows",
    "windows",
    "over",
    "over-by-values",
    "group-windows",
    "interval-joins",
    "temporal-joins",
)
EVERY_OPERATOR = [case for case in RECORDED if case.name in _ALL_OPERATORS]
"""Each stream costs seconds: a few that hold all operators are enough."""
LATER = frozenset() if FULL else frozenset(number for number in range(1, 1000) if number % 16 != 1)
"""SELECTs of a case that only `make test-all` runs: fifteen in sixteen. test_cut.py runs more."""

CASES = os.environ.get("FIRESTEEL_CASES", "")
MORE = answered(Path(CASES)) if CASES else []
OPEN = {
    case: frozenset(map(int, numbers.split()))
    for case, numbers in (
        line.split(":")
        for line in (Path(__file__).parent / "open.txt").read_text().splitlines()
        if not line.startswith("#")
    )
}
"""For some cases, the SELECTs that are not answered, or not as by Flink."""


def hold(
    case: Path, spark: Spark, host: str, parallelism: int, left_out: frozenset[int] = frozenset()
) -> list[str]:
    options = {"firesteel.host": host, "parallelism.default": str(parallelism)}
    environment = TableEnvironment.create(spark, configuration=options)
    return disagreements(environment, case, OPEN.get(case.name, frozenset()) | left_out)


@pytest.mark.spark
@pytest.mark.parametrize("case", part(RECORDED, 10), ids=lambda case: case.name)
def test_the_batch_host_answers_as_flink(case: Path, spark: Spark) -> None:
    assert hold(case, spark, "batch", 2, LATER) == []


@pytest.mark.spark
@pytest.mark.parametrize("case", ALONE, ids=lambda case: case.name)
def test_what_parallelism_decides_is_answered_as_by_one_task_of_flinks(case: Path, spark: Spark) -> None:
    assert hold(case, spark, "batch", 1) == []


@pytest.mark.spark
@pytest.mark.slow
@pytest.mark.parametrize("case", RECORDED if FULL else part(EVERY_OPERATOR, 7), ids=lambda case: case.name)
def test_the_stream_host_answers_as_flink(case: Path, spark: Spark) -> None:
    assert hold(case, spark, "stream", 4 if FULL else 2, LATER) == []


def test_every_operator_is_in_a_recorded_case() -> None:
    found = {type(operator) for case in EVERY_OPERATOR for operator in operators(case)}
    found.add(GeneratedWatermarksSpec)  # a strategy of the user's in Python, which no script of Flink's has
    found |= {
        LookupJoinSpec,
        ResolvedLookupJoinSpec,
    }  # Flink looks up in databases (tests/spark/test_lookup_join.py)
    found.add(SequenceShiftSpec)  # scripts of bounded tables have none (tests/spark/test_shared_inputs.py)
    found.add(ProbeSpec)  # `firesteel test` adds it to plans (tests/testing/test_coverage.py)
    # those of sinks are in INSERTs (test_sink_changes.py)
    known = {spec for spec in OPERATORS if spec.__module__ != "firesteel.runtime.spec.sink"}
    assert {spec for spec in known if spec.__module__.startswith("firesteel.")} - found == set()


def operators(case: Path) -> Iterator[OperatorSpec]:
    """What the SELECTs of a case would run."""
    environment = TableEnvironment.create()
    for step in steps(environment, case):
        if isinstance(step, str):
            environment.execute_sql(step)
        else:
            for chain in job(environment, step.sql).chains:
                yield from chain.operators


@pytest.mark.spark
@pytest.mark.slow
@pytest.mark.skipif(not CASES, reason="FIRESTEEL_CASES names no folder of recorded cases")
@pytest.mark.parametrize("parallelism", [1, 4])
@pytest.mark.parametrize("host", ["batch", "stream"])
@pytest.mark.parametrize("case", MORE, ids=lambda case: case.name)
def test_more_cases(case: Path, host: str, parallelism: int, spark: Spark) -> None:
    assert hold(case, spark, host, parallelism) == []
