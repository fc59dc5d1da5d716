"""Files that changed between the plan of a micro-batch and its commit: two ways to go on."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING
from unittest import mock

import pytest

from firesteel.connectors.filesystem.changes import READ, SKIP
from firesteel.connectors.filesystem.sink import FilesystemSink
from firesteel.errors import DataError, FiresteelError, NotSupportedError, UsageError
from firesteel.spark.checkpoint.recovery_plan import DELIVER_AGAIN
from firesteel.spark.stream.host import StreamJob
from tests.recovery.line import ROWS, Line

if TYPE_CHECKING:
    from firesteel.spark.launch.launch import Spark

pytestmark = [pytest.mark.spark, pytest.mark.slow]


class KilledError(Exception):
    """Ends a run in the middle of a micro-batch."""


def interrupted(spark: Spark, folder: Path, *, delivered: bool = False) -> tuple[Line, Path]:
    """A line whose second file is planned, or also delivered, and not committed; then it is replaced by one
    with half the rows."""
    line = Line(spark, folder / "line", 7)
    line.feed(ROWS)
    line.run()
    line.feed(ROWS)
    place = (FilesystemSink, "commit") if delivered else (StreamJob, "_hand_over")
    whole = getattr(*place)

    def killed(*args: object) -> None:
        if delivered:
            whole(*args)
        raise KilledError

    with mock.patch.object(*place, killed), pytest.raises(FiresteelError):
        line.run()
    return line, replaced(folder)


def replaced(folder: Path) -> Path:
    file = folder / "line" / "in" / "000001.json"
    lines = file.read_text().splitlines(keepends=True)
    shutil.copy(file, folder / "before")
    file.unlink()
    file.write_text("".join(lines[: len(lines) // 2]))
    return file


@pytest.mark.full
@pytest.mark.parametrize("way", [READ, SKIP])
def test_a_replaced_file_is_read_or_left_out(spark: Spark, tmp_path: Path, way: str) -> None:
    line, file = interrupted(spark, tmp_path)
    before = line.left()
    with pytest.raises(DataError, match="the file has changed since it was found") as refused:
        line.run()
    assert f"--recover {way}" in str(refused.value.hint)
    line.run(source_recovery=way)
    assert (line.left() == before) == (way == SKIP)
    line.run()
    line.feed(ROWS)
    line.run()
    log = (line.checkpoint / "sources" / "0" / "files.jsonl").read_text().splitlines()
    entry = json.loads(log[1])
    assert entry["path"] == str(file)
    assert entry.get("left_out", False) == (way == SKIP)


@pytest.mark.full
def test_what_a_sink_has_of_the_file_is_not_passed_over(spark: Spark, tmp_path: Path) -> None:
    line, _ = interrupted(spark, tmp_path, delivered=True)
    with pytest.raises(UsageError, match="were made from the file as it was"):
        line.run(source_recovery=READ)
    line.run(DELIVER_AGAIN, source_recovery=READ)


def test_a_file_that_is_half_committed_is_not_read_on(spark: Spark, tmp_path: Path) -> None:
    """Its other half is left out."""
    line = Line(spark, tmp_path / "line", 7)
    line.feed(1)
    line.run()
    line.feed(4 * ROWS)
    calls = []
    whole = StreamJob._hand_over

    def killed(self: StreamJob, *args: object) -> None:
        calls.append(1)
        if len(calls) > 2:
            raise KilledError
        whole(self, *args)  # type: ignore[arg-type]

    with mock.patch.object(StreamJob, "_hand_over", killed), pytest.raises(FiresteelError):
        line.run()
    replaced(tmp_path)
    with pytest.raises(NotSupportedError, match=r"rows of its first [\d,]+ bytes, as it was, are committed"):
        line.run(source_recovery=READ)
    before = line.left()
    line.run(source_recovery=SKIP)
    assert line.left() == before
