"""A checkpoint is given to a changed script: the sinks get the difference, and the job goes on."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from firesteel.errors import UsageError
from firesteel.spark.upgrade import upgrade
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


@pytest.mark.spark
@pytest.mark.slow
@pytest.mark.full
def test_a_crash_before_the_delivery(tmp_path: Path, spark: Spark, monkeypatch: pytest.MonkeyPatch) -> None:
    """The next run delivers the difference, and a copy of the old checkpoint is refused from then on."""
    before, after = CASES[0].before, CASES[0].after
    job = Job(spark, tmp_path / "job", before, after)
    job.feed(0)
    job.run(before)
    told, checkpoint = job.table(before), job.base / "checkpoint"
    files = sorted(path for path in checkpoint.rglob("*") if path.suffix != ".lock")
    job.upgrade(after, commit=False)
    assert job.table(before) == job.log(before) == told
    assert sorted(path for path in checkpoint.rglob("*") if path.suffix != ".lock") == files
    shutil.copytree(checkpoint, tmp_path / "copy")

    with monkeypatch.context() as patch:
        patch.setattr(upgrade, "deliver", _interrupted)
        with pytest.raises(KeyboardInterrupt):
            job.upgrade(after)
    assert job.table(before) == job.log(before) == told
    job.feed(1)
    job.run(after)
    assert job.table(after) == job.log(after) == job.answer(after)
    assert not list(checkpoint.glob("*/difference"))

    shutil.rmtree(checkpoint)
    (tmp_path / "copy").rename(checkpoint)
    with pytest.raises(UsageError, match="which comes from another copy"):
        job.run(before)


def _interrupted(*_: object) -> None:
    raise KeyboardInterrupt
