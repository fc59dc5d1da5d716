"""Checkpoints whose sinks are others than those that got their micro-batches, or have forgotten these."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from firesteel.errors import UsageError
from firesteel.spark import sink_identity
from firesteel.spark.sink_identity import check_age, check_identities, note_identities

WEEK = 7 * 24 * 3600.0


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkpoint, on this machine's file system without a JVM."""
    monkeypatch.setattr(
        sink_identity,
        "read_text",
        lambda _, name: Path(name).read_text() if Path(name).exists() else None,
    )
    monkeypatch.setattr(sink_identity, "write_text", lambda _, name, text: Path(name).write_text(text))
    monkeypatch.setattr(
        sink_identity,
        "names",
        lambda _, name: sorted(p.name for p in Path(name).iterdir()) if Path(name).exists() else [],
    )
    return tmp_path


def test_a_table_that_was_created_again(folder: Path) -> None:
    check_identities(None, str(folder), {"job": {"table t": "oid 1"}})  # before the first batch
    note_identities(None, str(folder), {"job": {"table t": "oid 1"}, "job.1": {}})
    check_identities(None, str(folder), {"job": {"table t": "oid 1"}, "job.1": {"topic x": "a"}})
    check_identities(None, str(folder), {"job": {"table other": "oid 2"}})  # the sink's options may change
    with pytest.raises(UsageError, match="the table t was dropped and created again") as raised:
        check_identities(None, str(folder), {"job": {"table t": "oid 2"}})
    assert f"remove the file {folder}/delivered" in str(raised.value)
    (folder / "delivered").unlink()
    check_identities(None, str(folder), {"job": {"table t": "oid 2"}})


@pytest.mark.parametrize("text", ["", "{}", "no json"])
def test_a_checkpoint_of_an_earlier_version(folder: Path, text: str) -> None:
    (folder / "delivered").write_text(text)
    check_identities(None, str(folder), {"job": {"table t": "oid 2"}})


@pytest.mark.parametrize(
    ("age", "commits", "retention", "is_refused"),
    [
        (WEEK + 60, [0, 1], WEEK, True),
        (WEEK + 60, [0, 1, 2], WEEK, False),
        (WEEK - 3600, [0, 1], WEEK, False),
        (WEEK + 60, [0, 1], None, False),
    ],
)
def test_a_batch_that_is_older_than_its_number(
    folder: Path, age: float, commits: list[int], retention: float | None, is_refused: bool
) -> None:
    """It is refused only if it is to be delivered again, to a sink that forgets."""
    for log, numbers in (("offsets", [0, 1, 2]), ("commits", commits)):
        (folder / "spark" / log).mkdir(parents=True)
        for number in numbers:
            began = int(1000 * (time.time() - age))
            text = f"v1\n{json.dumps({'batchTimestampMs': began})}\n{{}}"
            (folder / "spark" / log / str(number)).write_text(text)
    check_age(None, str(folder), retention)  # nothing was delivered
    note_identities(None, str(folder), {})
    if is_refused:
        with pytest.raises(UsageError, match=r"micro-batch 2 .* is 168 hours old, .* after 168 hours"):
            check_age(None, str(folder), retention)
    else:
        check_age(None, str(folder), retention)
