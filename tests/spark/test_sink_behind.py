"""Sinks that were restored from an older copy: refused, and the three ways to go on with them."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from firesteel.connectors.kafka.sink import KafkaSink
from firesteel.connectors.positions import Position
from firesteel.errors import NotSupportedError, UsageError
from firesteel.spark.checkpoint.recovery_plan import ACCEPT_LOSS, DELIVER_AGAIN, RESUME
from firesteel.spark.checkpoint.sink_positions import FOLDER
from tests.connectors.jdbc.databases import SqliteDatabase
from tests.recovery.line import ROWS, Line
from tests.recovery.runs import commits
from tests.recovery.sinks import database, sink_of

if TYPE_CHECKING:
    from firesteel.spark.launch.launch import Spark

pytestmark = [pytest.mark.spark, pytest.mark.slow]

_BATCHES = 4
_KEPT = 2
"""Number of micro-batches that the copy of the sink has."""


@contextmanager
def sink_restored(spark: Spark, folder: Path, kind: str = "files") -> Iterator[Line]:
    """A line with four micro-batches in its checkpoint, and two in its sink, with more input."""
    if kind == "sqlite":
        pytest.importorskip("sqlalchemy")
    with sink_of(kind, folder) if kind != "sqlite" else _sqlite(folder) as sink:
        line = Line(spark, folder / "line", 7, sink)
        line.feed(_KEPT * ROWS)
        line.run()
        put_back = _copied(line, folder, kind)
        line.feed((_BATCHES - _KEPT) * ROWS)
        line.run()
        assert commits(line.checkpoint) == _BATCHES
        assert line.left() == line.answer()
        put_back()
        line.feed(ROWS)
        yield line


@contextmanager
def _sqlite(folder: Path) -> Iterator[Any]:
    yield database(SqliteDatabase(folder / "db"))


def _copied(line: Line, folder: Path, kind: str) -> Callable[[], object]:
    """Copy what the sink has now; the answer puts the copy in its place."""
    place = line.home / "out" if kind == "files" else folder / "db"
    copy = folder / "copy"
    (shutil.copytree if kind == "files" else shutil.copyfile)(place, copy)

    def put() -> None:
        if kind == "files":
            shutil.rmtree(place)
            copy.replace(place)
        else:
            shutil.copyfile(copy, place)  # connections to the file stay

    return put


@pytest.mark.parametrize("kind", ["files", pytest.param("sqlite", marks=pytest.mark.full)])
def test_an_older_sink_is_refused_and_gets_its_rows_again(spark: Spark, tmp_path: Path, kind: str) -> None:
    with sink_restored(spark, tmp_path, kind) as line:
        before = line.left()
        with pytest.raises(
            UsageError, match=r"ends with micro-batch 1 .*up to 3 .*micro-batches 2 to 3"
        ) as e:
            line.run()
        assert all(f"--recover {way}" in str(e.value.hint) for way in (DELIVER_AGAIN, ACCEPT_LOSS))
        with pytest.raises(NotSupportedError, match="ahead of the checkpoint"):
            line.run(RESUME)
        assert line.left() == before
        line.run(DELIVER_AGAIN)
        assert line.left() == line.answer()  # the sink had none of it, so nothing came twice
        line.feed(ROWS)
        line.run()
        assert line.left() == line.answer()


@pytest.mark.full
def test_an_emptied_folder_is_refused_and_filled_again(spark: Spark, tmp_path: Path) -> None:
    with sink_restored(spark, tmp_path) as line:
        shutil.rmtree(line.home / "out")
        with pytest.raises(UsageError, match=r"has no micro-batch, .*micro-batches 0 to 3 would be missing"):
            line.run()
        line.run(DELIVER_AGAIN)
        assert line.left() == line.answer()


@pytest.mark.full
def test_the_loss_is_accepted_once(spark: Spark, tmp_path: Path) -> None:
    with sink_restored(spark, tmp_path, "sqlite") as line:
        line.run(ACCEPT_LOSS)
        line.feed(ROWS)
        line.run()
        assert line.left() != line.answer()


@pytest.mark.full
def test_rows_out_of_reach_are_named(spark: Spark, tmp_path: Path) -> None:
    """Spark removes the offsets of micro-batches long ago."""
    with sink_restored(spark, tmp_path) as line:
        for log in ("offsets", "commits"):
            for batch in (0, 1):
                (line.checkpoint / "spark" / log / str(batch)).unlink()
        with pytest.raises(UsageError, match=r"out of reach are the rows of the sources after .*up to ") as e:
            line.run()
        assert "empty checkpoint folder" in str(e.value.hint)
        assert DELIVER_AGAIN not in str(e.value.hint)
        with pytest.raises(NotSupportedError, match="cannot be delivered again"):
            line.run(DELIVER_AGAIN)
        line.run(ACCEPT_LOSS)


@pytest.mark.full
def test_a_checkpoint_without_record_goes_on(spark: Spark, tmp_path: Path) -> None:
    """As those of earlier versions. From then on the record is kept."""
    line = Line(spark, tmp_path / "line", 7)
    line.feed(ROWS)
    line.run()
    shutil.rmtree(line.checkpoint / FOLDER)
    line.feed(ROWS)
    line.run()
    shutil.rmtree(line.home / "out")
    with pytest.raises(UsageError, match="has no micro-batch"):
        line.run()


@pytest.mark.full
def test_a_sink_in_another_place_begins_again(spark: Spark, tmp_path: Path) -> None:
    line = Line(spark, tmp_path / "line", 7)
    line.feed(ROWS)
    line.run()
    line.out = line.home / "elsewhere"
    line.feed(ROWS)
    line.run()
    assert list(line.out.glob("part-*"))


@pytest.mark.full
def test_an_older_number_in_kafka_is_refused(spark: Spark, tmp_path: Path) -> None:
    with sink_of("kafka", tmp_path) as sink:
        line = Line(spark, tmp_path / "line", 7, sink)
        for _ in range(3):
            line.feed(ROWS)
            line.run()
        moved = KafkaSink(line.sink_spec(), dict(line.sink_spec().options))
        name = line.job_name()
        moved.move(name, {task: Position(0) for task in moved.positions(name, 2)})
        line.feed(ROWS)
        with pytest.raises(UsageError, match=r"ends with micro-batch 0, .*micro-batches 1 to 2 would"):
            line.run()
        line.run(DELIVER_AGAIN)
        assert line.answer().keys() <= line.ever()
