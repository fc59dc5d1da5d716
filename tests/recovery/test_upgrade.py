"""A checkpoint is given to a changed script: the sinks get the difference, and the job goes on."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.recovery.upgrade_cases import CASES, Case
from tests.recovery.upgrade_run import Job, changes_between

if TYPE_CHECKING:
    from firesteel.spark.launch.launch import Spark

pytest.importorskip("sqlalchemy")

_MARKED = [
    pytest.param(case, id=case.name.replace(" ", "-"), marks=[pytest.mark.full] if case.is_full else [])
    for case in CASES
]


@pytest.mark.spark
@pytest.mark.slow
@pytest.mark.parametrize("case", _MARKED)
def test_a_changed_script(case: Case, tmp_path: Path, spark: Spark) -> None:
    """The sinks have the answer of the new query, after the fewest changes, and the job goes on."""
    before, after = case.before, case.after
    job = Job(spark, tmp_path / "job", before, after)
    job.feed(0)
    job.run(before)
    told, wanted = job.answer(before), job.answer(after)
    assert job.table(before) == job.log(before) == told

    _, kinds = job.upgrade(after)
    assert job.table(after) == job.log(after) == wanted
    if before.names == after.names:
        key = [after.names.index(after.key)]
        assert kinds == {
            "totals": changes_between(told, wanted, key),
            "log": changes_between(told, wanted, ()),
        }

    if not after.is_bounded:
        job.feed(1)
    job.run(after)
    assert job.table(after) == job.log(after) == job.answer(after)
