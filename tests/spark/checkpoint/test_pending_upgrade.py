"""An upgrade that ends at any step leaves the old checkpoint or the new one. No Spark runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from firesteel.errors import UsageError
from firesteel.spark.checkpoint.lock import RUN_FILE, CheckpointLock
from firesteel.spark.checkpoint.pending_change import UPGRADE
from tests.spark.checkpoint.test_pending_rescale import CutError, content, cut

STATEMENTS = ("insert-a", "insert-b")


def begin(checkpoint: Path) -> None:
    """Make a checkpoint of three statements, two of which are to be replaced."""
    for name in (*STATEMENTS, "insert-c"):
        (checkpoint / name / "spark").mkdir(parents=True)
        (checkpoint / name / "spark" / "old").write_text(name)
        (checkpoint / name / "delivered").write_text("old")
    for name in STATEMENTS:
        (checkpoint / UPGRADE.draft / name / "spark").mkdir(parents=True)
        (checkpoint / UPGRADE.draft / name / "spark" / "new").write_text(name)


def expected(*, is_new: bool) -> dict[str, bytes]:
    found = {"insert-c/spark/old": b"insert-c", "insert-c/delivered": b"old"}
    for name in STATEMENTS:
        if is_new:
            found[f"{name}/spark/new"] = name.encode()
        else:
            found |= {f"{name}/spark/old": name.encode(), f"{name}/delivered": b"old"}
    return found


@pytest.mark.parametrize("steps", range(20))
def test_a_cut_at_each_step(tmp_path: Path, steps: int) -> None:
    begin(tmp_path)
    with pytest.MonkeyPatch.context() as patches:
        cut(patches, steps)
        try:
            UPGRADE.decide(tmp_path)
        except CutError:
            is_decided = not (tmp_path / UPGRADE.draft).exists()
        else:
            is_decided = True
            assert steps > 6, "all steps are counted"
    for again in range(4):  # the next process may be killed, too
        with pytest.MonkeyPatch.context() as patches:
            cut(patches, again)
            try:
                UPGRADE.complete_if_interrupted(str(tmp_path))
            except CutError:
                continue
    UPGRADE.complete_if_interrupted(str(tmp_path))
    found = {name: data for name, data in content(tmp_path).items() if not name.startswith(UPGRADE.draft)}
    assert found == expected(is_new=is_decided)
    assert not (tmp_path / UPGRADE.name).exists()


def test_another_process_completes_it_just_now(tmp_path: Path) -> None:
    begin(tmp_path)
    (tmp_path / UPGRADE.draft).rename(tmp_path / UPGRADE.name)
    lock = CheckpointLock(tmp_path, RUN_FILE)
    with pytest.raises(UsageError, match="is in use by process"):
        UPGRADE.complete_if_interrupted(str(tmp_path))
    lock.release()
    UPGRADE.complete_if_interrupted(str(tmp_path))
    assert content(tmp_path) == expected(is_new=True)
