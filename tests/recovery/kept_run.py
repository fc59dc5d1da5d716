"""Runs jobs whose checkpoints are kept, in a folder of their own, and says what they have put out.

A job's folder:

    job.json      its configuration
    script.sql    its SQL, whose last statement is the job
    in/           the files that it reads
    later/        files that it reads after it was stopped
    out/, db      what it writes: a folder for each table, or a SQLite database
    checkpoint/
"""

from __future__ import annotations

import json
import sqlite3
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

from firesteel import TableEnvironment
from firesteel.session.result import ChangesResult

if TYPE_CHECKING:
    from firesteel.spark.launch.launch import Spark

KEPT = Path(__file__).parent / "kept"
"""Where checkpoints are kept."""
_PATIENCE_SECONDS = 300.0
"""Most seconds to wait for a condition. The first job compiles kernels, which is slow on a loaded machine."""
_TABLES = "SELECT name FROM sqlite_master WHERE type = 'table' AND name <> 'firesteel_batches'"
Outputs = dict[str, list[str]]
"""Changes in their order, by table and first column; the rows of a database's table, sorted; or, by the name
`changes`, those of a query."""


class Run:
    """A running job.

    Args:
        spark: On which it runs.
        base: Its folder.
    """

    def __init__(self, spark: Spark, base: Path) -> None:
        self._base = base
        self._seen: list[str] = []
        self._failure: BaseException | None = None
        configuration = json.loads((base / "job.json").read_text(encoding="utf-8"))
        self._environment = TableEnvironment.create(
            spark, configuration=configuration | {"execution.checkpointing.dir": str(base / "checkpoint")}
        )
        text = (base / "script.sql").read_text(encoding="utf-8")
        self._environment.keep_script(text)
        for piece in self._environment.split(text):
            self._result = self._environment.execute_sql(piece)
        self._thread = threading.Thread(target=self._follow, daemon=True)
        self._thread.start()

    def _follow(self) -> None:
        try:
            if isinstance(self._result, ChangesResult):
                for kind, *values in self._result.texts():
                    self._seen.append(f"{kind}[{', '.join(values)}]")
            else:
                self._result.wait()
        except BaseException as error:
            self._failure = error

    def wait(self, until: Callable[[], bool]) -> None:
        """Wait for a condition. Raises what ends the job before, AssertionError when it takes too long."""
        end = time.monotonic() + _PATIENCE_SECONDS
        while not until():
            if self._failure is not None:
                raise self._failure
            assert time.monotonic() < end, f"{self._base}: put out {self.outputs()}"
            time.sleep(0.05)

    def stop(self) -> None:
        """Stop the job between two micro-batches."""
        self._result.cancel()
        self._thread.join(_PATIENCE_SECONDS)
        assert not self._thread.is_alive()
        if self._failure is not None:
            raise self._failure

    def outputs(self) -> Outputs:
        """All that stands in the job's files and tables, or the changes of its query since it was started."""
        found = dict(_files(self._base / "out")) | dict(_tables(self._base / "db"))
        return found or {"changes": list(self._seen)}


def caught_up(base: Path) -> bool:
    """Whether all files are read and the micro-batch is committed."""
    files = len(list((base / "in").iterdir()))
    return all(place["file"] == files for place in places(base)) and bool(places(base))


def places(base: Path) -> list[dict[str, Any]]:
    """The offsets of the job's sources behind the last micro-batch that is committed; none before there
    is one that is planned, or while one is running."""
    planned, committed = _last(base, "offsets"), _last(base, "commits")
    if planned is None or committed is None or planned.name != committed.name:
        return []
    return [json.loads(line) for line in planned.read_text(encoding="utf-8").splitlines()[2:]]


def logged(base: Path, log: str) -> list[Path]:
    """The files of a log of Spark's, one a micro-batch, in their order."""
    files = [file for file in base.glob(f"checkpoint/*/spark/{log}/*") if file.name.isdigit()]
    return sorted(files, key=lambda file: int(file.name))


def _last(base: Path, log: str) -> Path | None:
    return next(reversed(logged(base, log)), None)


def feed(base: Path) -> None:
    """Give the job the files that come later."""
    for file in sorted((base / "later").iterdir()):
        file.rename(base / "in" / file.name)


def continued(spark: Spark, base: Path, expected: Outputs) -> Outputs:
    """Take up a job that was unpacked, give it what comes later, and return what it has put out then."""
    feed(base)
    run = Run(spark, base)
    run.wait(lambda: caught_up(base) and _count(run.outputs()) >= _count(expected))
    run.stop()
    return run.outputs()


def _count(outputs: Outputs) -> int:
    return sum(map(len, outputs.values()))


def _files(folder: Path) -> Iterator[tuple[str, list[str]]]:
    """A key's changes of one micro-batch are in one file, and a micro-batch begins when the one before is
    written."""
    found: dict[str, list[str]] = defaultdict(list)
    files = [file for file in folder.glob("*/part-*") if file.is_file()]
    for file in sorted(files, key=lambda file: file.stat().st_mtime_ns):
        for line in file.read_text(encoding="utf-8").splitlines():
            message = json.loads(line)
            row = message["after"] or message["before"]
            found[f"{file.parent.name}/{next(iter(row.values()))}"].append(line)
    yield from sorted(found.items())


def _tables(database: Path) -> Iterator[tuple[str, list[str]]]:
    if not database.exists():
        return
    with closing(sqlite3.connect(database)) as connection:
        for (name,) in connection.execute(f"{_TABLES} ORDER BY name").fetchall():
            yield name, sorted(map(repr, connection.execute(f"SELECT * FROM {name}")))
