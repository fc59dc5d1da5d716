"""The positions that sinks have reached, as the checkpoint records them after each micro-batch.

A sink that was restored from an older copy has an earlier position than the checkpoint records
(sink_behind.py).

    sink-positions/NUMBER   {"JOB": {"place": PLACE, "tasks": {"TASK": [BATCH, SECONDS]}}}

JOB is the job's name at the sink, PLACE a digest of where the sink keeps its position, TASK the number of a
task that had rows, BATCH the last micro-batch of which it had any, and SECONDS the time of that since 1970.
The file is written after the sinks have committed micro-batch NUMBER and before Spark commits it. So the file
never names a batch that the sinks lack, but it may lack the last batch. The files therefore need no sync:
after a power cut, the newest complete file counts.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from firesteel.connectors.positions import Position, PositionedSink
from firesteel.spark.checkpoint.durable_names import sync_folder_name, sync_name
from firesteel.spark.checkpoint.lock import local_folder
from firesteel.spark.internals.hadoop_files import delete, names, read_text, write_text

FOLDER = "sink-positions"
_KEPT = 3
"""Number of files to keep. The newest may be half written."""


@dataclass(frozen=True)
class Reached:
    """Last micro-batch of which a task of a sink has got rows, and the time of that."""

    batch: int
    """Number of the micro-batch."""
    seconds: float
    """Time at which the sink had it, in seconds since 1970."""


ReachedPositions = dict[str, dict[int, Reached]]
"""Reached positions by the job's name at the sink, and by task."""


class SinkPositions:
    """The record of one checkpoint.

    Args:
        context: The SparkContext.
        folder: Folder of the checkpoint.
        sinks: The sinks that record positions, by the job's name at the sink.
    """

    def __init__(self, context: Any, folder: str, sinks: Mapping[str, PositionedSink]) -> None:
        self._context = context
        self._folder = folder
        self._local = local_folder(folder)
        self._places = {name: _digest(sink.place) for name, sink in sinks.items()}
        self._files = self._numbers()
        self._recorded, self._reached = self._newest()

    @property
    def reached(self) -> ReachedPositions:
        """Return the recorded positions, empty if there are none."""
        return self._reached

    def has_moved(self, name: str) -> bool:
        """Return whether a sink's place differs from the one that the checkpoint has recorded.

        The place is where the sink keeps its positions, such as a database (PositionedSink.place).
        """
        return self._recorded.get(name, self._places[name]) != self._places[name]

    def forget(self, name: str) -> None:
        """Remove the recorded positions of a sink that has another place now, and no positions there."""
        self._reached.pop(name, None)

    def accept(self, found: Mapping[str, Mapping[int, Position]]) -> None:
        """Record the positions that sinks have now, if their batch number is higher than the recorded one."""
        for name, positions in found.items():
            for task, position in positions.items():
                batch = whole_batch(position)
                known = self._reached.get(name, {}).get(task)
                if batch >= 0 and (known is None or known.batch < batch):
                    self._reached.setdefault(name, {})[task] = Reached(batch, time.time())

    def record(self, batch: int, tasks: Iterable[tuple[str, int]]) -> None:
        """Record that tasks of sinks have got their rows of a micro-batch.

        Args:
            batch: Number of the micro-batch.
            tasks: (job's name at the sink, task) for each task of a sink that had rows of the micro-batch. If
                there are none, nothing is written.

        Raises:
            OSError: The checkpoint cannot be written.
        """
        now, had_rows = time.time(), False
        for name, task in tasks:
            self._reached.setdefault(name, {})[task] = Reached(batch, now)
            had_rows = True
        if had_rows:
            self._write(batch)
            while len(self._files) > _KEPT:
                self._remove(self._files.pop(0))

    def replace(self, found: Mapping[str, Mapping[int, Position]]) -> None:
        """Record durably that the sinks have exactly these positions, after a recovery."""
        while self._files:
            self._remove(self._files.pop())
        self._reached = {}
        self.accept(found)
        number = max((each.batch for tasks in self._reached.values() for each in tasks.values()), default=0)
        self._write(number)
        sync_name(self._folder, f"{FOLDER}/{number}")
        sync_folder_name(self._folder, "")

    def _write(self, number: int) -> None:
        text = self._text()
        self._files = [*(each for each in self._files if each != number), number]
        if self._local is None:
            write_text(self._context, f"{self._folder}/{FOLDER}/{number}", text)
            return
        file = self._local / FOLDER / str(number)
        file.parent.mkdir(exist_ok=True)
        draft = file.with_name(f".{number}.tmp")
        draft.write_text(text, encoding="utf-8")
        draft.replace(file)

    def _text(self) -> str:
        value = {
            name: {"place": place, "tasks": _plain(self._reached.get(name, {}))}
            for name, place in self._places.items()
        }
        return json.dumps(value, separators=(",", ":"))

    def _remove(self, number: int) -> None:
        if self._local is None:
            delete(self._context, f"{self._folder}/{FOLDER}/{number}")
        else:
            (self._local / FOLDER / str(number)).unlink(missing_ok=True)

    def _numbers(self) -> list[int]:
        if self._local is not None:
            paths = (self._local / FOLDER).iterdir() if (self._local / FOLDER).is_dir() else ()
            found = [path.name for path in paths]
        else:
            found = names(self._context, f"{self._folder}/{FOLDER}")
        return sorted(int(name) for name in found if name.isdigit())

    def _newest(self) -> tuple[dict[str, str], ReachedPositions]:
        """Return the places and the positions in the newest complete file, by the job's name at the sink."""
        for number in reversed(self._files):
            with suppress(ValueError, TypeError, AttributeError, KeyError):  # The file is half written.
                value = json.loads(self._content(number))
                places = {name: str(each["place"]) for name, each in value.items()}
                return places, {name: _reached(each["tasks"]) for name, each in value.items()}
        return {}, {}

    def _content(self, number: int) -> str:
        if self._local is not None:
            return (self._local / FOLDER / str(number)).read_text(encoding="utf-8")
        return read_text(self._context, f"{self._folder}/{FOLDER}/{number}") or ""


def whole_batch(position: Position) -> int:
    """Return the last micro-batch of which a sink has all rows, -1 for none."""
    return position.batch if position.is_whole else position.batch - 1


def _digest(place: str) -> str:
    """Return a digest of a sink's place. The place itself may contain a password."""
    return hashlib.blake2b(place.encode(), digest_size=8).hexdigest()


def _plain(tasks: Mapping[int, Reached]) -> dict[str, list[int]]:
    return {str(task): [each.batch, round(each.seconds)] for task, each in tasks.items()}


def _reached(tasks: Mapping[str, list[int]]) -> dict[int, Reached]:
    return {int(task): Reached(int(batch), float(seconds)) for task, (batch, seconds) in tasks.items()}
