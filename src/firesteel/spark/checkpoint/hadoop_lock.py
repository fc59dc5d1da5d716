"""Lock that lets only one run use a checkpoint on a Hadoop file system (hdfs, s3a, ...).

These file systems have no file locks.

Each run that takes the checkpoint creates a file with the next number, which must not exist yet. The file
with the highest number names the owner. A run writes only to its own file: to show that it is alive, and to
release the checkpoint. A paused run that continues can therefore neither remove nor overwrite the file of its
successor:

    firesteel.owner-7   released, or not written to for LEASE_SECONDS
    firesteel.owner-8   two runs try to create it, one of them succeeds and is the owner
    firesteel.owner-9   a later run found 8 silent; the run of 8 sees 9 and stops
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING

from firesteel.spark.checkpoint.owner import (
    BEAT_SECONDS,
    LEASE_SECONDS,
    RELEASED,
    Owner,
    ShutOutError,
    has_ended,
    in_use,
    read_owner,
    say_taken_over,
    shut_out,
    this_run,
)
from firesteel.spark.internals import hadoop_files as files

if TYPE_CHECKING:
    from pyspark import SparkContext

_PREFIX = "firesteel.owner-"
RACE_SECONDS = 0.5
"""Seconds that a run waits after it has created its file. Then it reads the file again.

An object store may let two runs create the same file at once. The file then names the run that wrote last,
which is the owner.
"""


class HadoopLock:
    """Lock on a checkpoint's folder, held until `release` or until it had no heartbeat for LEASE_SECONDS.

    Raises:
        UsageError: Another run holds the folder.
    """

    def __init__(self, context: SparkContext, folder: str) -> None:
        self._context, self._folder = context, folder
        self._owner = this_run()
        self._tell: Callable[[ShutOutError], object] = lambda _: None
        self._released = threading.Event()
        self._number = self._take()
        threading.Thread(target=self._beat, daemon=True).start()

    def watch(self, tell: Callable[[ShutOutError], object]) -> None:
        """Register a function. The heartbeat thread calls it with the error if another run has taken over."""
        self._tell = tell

    def check(self) -> None:
        """Raise ShutOutError if another run has taken over the checkpoint."""
        if self._released.is_set():
            return
        last = max(self._numbers(), default=self._number)
        if last < self._number:
            return
        now = self._read(last)
        if last > self._number or now.get("name", self._owner["name"]) != self._owner["name"]:
            raise shut_out(self._folder, now)

    def release(self) -> None:
        """Release the folder for other runs."""
        if self._released.is_set():
            return
        self._released.set()
        # Without Spark, the owner's file cannot be written. Other runs then wait until the lease expires.
        with suppress(Exception):
            self._write({**self._owner, RELEASED: True})

    def _take(self) -> int:
        numbers = self._numbers()
        before = max(numbers, default=0)
        if before:
            self._check_is_over(before)
        number = before + 1
        if not files.create_new(self._context, self._file(number), json.dumps(self._owner)):
            raise in_use(self._folder, self._read(number))
        time.sleep(RACE_SECONDS)
        last = max(self._numbers(), default=0)
        now = self._read(last)
        if now.get("name") != self._owner["name"]:
            if last > number:
                files.delete(self._context, self._file(number))
            raise in_use(self._folder, now)
        for earlier in numbers:
            files.delete(self._context, self._file(earlier))
        return number

    def _check_is_over(self, number: int) -> None:
        """Raise UsageError if the owner with this number may still be running."""
        owner = self._read(number)
        if owner.get(RELEASED):
            return
        silent = self._silent_seconds(number)
        if not has_ended(owner) and silent < LEASE_SECONDS:
            raise in_use(self._folder, owner, f" (it was seen {silent:.0f} s ago)")
        say_taken_over(self._folder, owner)

    def _silent_seconds(self, number: int) -> float:
        """Return for how many seconds an owner's file was not written, by the file system's own clock."""
        trial = f"{self._folder}/.firesteel-{self._owner['name']}"
        files.write_text(self._context, trial, "now")
        now = files.modified(self._context, trial)
        files.delete(self._context, trial)
        then = files.modified(self._context, self._file(number))
        return max(0.0, ((now or 0) - (then or 0)) / 1000)

    def _beat(self) -> None:
        while not self._released.wait(BEAT_SECONDS):
            try:
                self.check()
                self._write(self._owner)
            except ShutOutError as error:
                self._tell(error)
                return
            # An error of py4j or of the file system is ignored: the next heartbeat tries again.
            except Exception:
                continue

    def _write(self, owner: Owner) -> None:
        files.write_text(self._context, self._file(self._number), json.dumps(owner))

    def _numbers(self) -> list[int]:
        found = (name.partition(_PREFIX) for name in files.names(self._context, self._folder))
        return [int(number) for front, prefix, number in found if prefix and not front and number.isdigit()]

    def _read(self, number: int) -> Owner:
        return read_owner(files.read_text(self._context, self._file(number)))

    def _file(self, number: int) -> str:
        return f"{self._folder}/{_PREFIX}{number}"
