"""A batch that is delivered again leaves out the rows that its sinks have refused before, and no others."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from firesteel.connectors.positions import Origin
from firesteel.connectors.refused_rows import RefusedRow, from_json, to_json
from firesteel.errors import JobError
from firesteel.job.spec import sink_id
from firesteel.runtime.dataflow.packets import Packer, Packet
from firesteel.runtime.spec.tables import SinkSpec
from firesteel.spark.checkpoint.refused_rows import FOLDER, RefusedRowsOfCheckpoint
from firesteel.spark.delivery import Delivery
from firesteel.spark.progress import Progress
from firesteel.spark.refused_rows import BySink, RefusedRowsSink
from firesteel.types.sql import INT, STRING
from tests.runtime.changes import to_table

if TYPE_CHECKING:
    from firesteel.spark.launch.launch import Spark


class Kept:
    """Store that outlives a delivery, as that of a checkpoint does."""

    def __init__(self) -> None:
        self.rows: dict[int, str] = {}

    def of(self, batch: int, origin: Origin) -> BySink:
        found = json.loads(self.rows.get(batch, "{}"))
        return {int(sink): from_json(rows) for sink, rows in found.items()}

    def keep(self, batch: int, origin: Origin, rows: BySink) -> None:
        self.rows[batch] = json.dumps({sink: to_json(found) for sink, found in rows.items()})


@pytest.fixture
def file(tmp_path: Path) -> Path:
    made = tmp_path / "shop.db"
    with sqlite3.connect(made) as connection:
        connection.execute("CREATE TABLE t (id INT NOT NULL, name TEXT CHECK (LENGTH(name) < 6))")
        connection.execute("CREATE TABLE bad (source_table TEXT, raw_bytes TEXT, row_kind TEXT)")
    return made


def specs(file: Path) -> tuple[SinkSpec, ...]:
    def options(table: str) -> tuple[tuple[str, str], ...]:
        return (("connector", "jdbc"), ("url", f"jdbc:sqlite:{file}"), ("table-name", table))

    names, types = ("source_table", "row_kind"), (STRING, STRING)
    bad = SinkSpec("jdbc", options("bad"), names, types, "bad", takes_dead_letters=True)
    refused = SinkSpec(
        "jdbc", options("bad"), names, types, "bad", takes_dead_letters=True, takes_refused_rows=True
    )
    return SinkSpec("jdbc", options("t"), ("id", "name"), (INT, STRING), "shop.t"), bad, refused


def packets(batch: int) -> list[Packet]:
    rows = [("+I", 10 * batch + n, "too long" if n in (3, 6) else "n") for n in range(10)]
    packer = Packer((), 1, 0, 0, sink_id(0))
    return [*packer.add(to_table(rows, (INT, STRING))), *packer.flush()]


def deliver(file: Path, store: Kept, batch: int) -> Progress:
    progress = Progress()
    delivery = Delivery(specs(file), progress, "job", refused=store)
    own = packets(batch)
    list(delivery.deliver(own, batch, lambda task: task.of_all({0: own})))
    return progress


def stored(file: Path) -> tuple[list[int], list[Any]]:
    with sqlite3.connect(file) as connection:
        good = [n for (n,) in connection.execute("SELECT id FROM t ORDER BY id")]
        return good, connection.execute("SELECT source_table, row_kind FROM bad").fetchall()


GOOD = [n for n in range(10) if n not in (3, 6)]
TWICE = [("shop.t", "+I")] * 2


def test_refused_rows_are_written_once(file: Path) -> None:
    store = Kept()
    progress = deliver(file, store, 0)
    assert stored(file) == (GOOD, TWICE)
    assert (progress.changes, progress.dead_letters) == (8, 2)
    deliver(file, store, 0)
    assert stored(file) == (GOOD, TWICE)
    deliver(file, store, 1)
    assert stored(file) == ([*GOOD, *(10 + n for n in GOOD)], TWICE * 2)


def test_a_crash_before_the_dead_letters(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The sink has the batch and refuses nothing any more; the store still knows what it has left out."""
    store = Kept()

    def dies(self: RefusedRowsSink) -> None:
        raise RuntimeError("killed")

    with monkeypatch.context() as patched:
        patched.setattr(RefusedRowsSink, "write", dies)
        with pytest.raises(RuntimeError, match="killed"):
            deliver(file, store, 0)
    assert stored(file) == (GOOD, [])
    deliver(file, store, 0)
    assert stored(file) == (GOOD, TWICE)


def test_a_crash_before_the_sink_commits(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The table takes all rows by then: the batch stays what was decided."""
    store = Kept()
    keep = store.keep

    def dies(batch: int, origin: Origin, rows: BySink) -> None:
        keep(batch, origin, rows)
        raise RuntimeError("killed")

    with monkeypatch.context() as patched:
        patched.setattr(store, "keep", dies)
        with pytest.raises(RuntimeError, match="killed"):
            deliver(file, store, 0)
    assert stored(file) == ([], [])
    with sqlite3.connect(file) as connection:
        connection.executescript("DROP TABLE t; CREATE TABLE t (id INT, name TEXT)")
    deliver(file, store, 0)
    assert stored(file) == (GOOD, TWICE)


@pytest.mark.spark
def test_the_checkpoint_keeps_refused_rows(spark: Spark, tmp_path: Path) -> None:
    context, folder = spark.context, str(tmp_path)
    rows = [RefusedRow(n, 0, "{}", "IntegrityError", "no") for n in range(3)]
    origin, other = Origin("l", "a", "b"), Origin("l", "a", "c")
    store = RefusedRowsOfCheckpoint(context, folder)
    store.keep(4, origin, {0: {1: rows[:1]}})
    store.keep(4, origin, {0: {1: rows}})
    again = RefusedRowsOfCheckpoint(context, folder)
    assert again.of(4, origin) == {0: {1: rows}}
    assert again.of(4, other) == again.of(5, origin) == {}
    again.keep(5, other, {2: {0: rows[:1]}})
    assert RefusedRowsOfCheckpoint(context, folder).of(5, other) == {2: {0: rows[:1]}}
    assert RefusedRowsOfCheckpoint(context, folder).of(4, origin) == {}
    (tmp_path / FOLDER / "5-0").write_text("{", encoding="utf-8")
    for checksum in (tmp_path / FOLDER).glob(".*.crc"):
        checksum.unlink()
    with pytest.raises(JobError, match="5-0: the checkpoint's file is damaged"):
        RefusedRowsOfCheckpoint(context, folder).of(5, other)
