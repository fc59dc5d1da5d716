"""A sink for tests whose tasks commit: rows and the batch in one transaction of a SQLite file. And one that
writes files and fails. They register themselves in the workers that load the spec that names them."""

from __future__ import annotations

import json
import sqlite3
import sys
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from firesteel.changelog import KIND, SHORT, field
from firesteel.connectors.base import Commits, Sink
from firesteel.connectors.filesystem.sink import FilesystemSink
from firesteel.connectors.registry import CONNECTORS
from firesteel.errors import JobError
from firesteel.runtime.spec.tables import SinkSpec

TABLES = """
CREATE TABLE IF NOT EXISTS rows (job TEXT, batch INT, partition INT, kind TEXT, cells TEXT);
CREATE TABLE IF NOT EXISTS done (job TEXT, partition INT, batch INT, PRIMARY KEY (job, partition));
"""


@dataclass(frozen=True)
class TestedSink(SinkSpec):
    """A spec of one of these sinks."""

    __test__ = False


class SqliteSink(Sink):
    """Options: `path` of the database. Where there is a file `path`.fail its text says what happens in the
    first task that can: `write` fails, or the worker dies with the transaction `committed`."""

    commits = Commits.TASK
    on_driver = False

    def __init__(self, spec: SinkSpec) -> None:
        self._path = Path(dict(spec.options)["path"])
        self._width = len(spec.types)
        self._fails = ""

    def open(self, job: str) -> None:
        with closing(sqlite3.connect(self._path)) as database:
            database.execute("PRAGMA journal_mode = WAL")
            database.executescript(TABLES)

    def open_task(self, job: str, batch: int, partition: int) -> None:
        self._database = sqlite3.connect(self._path, timeout=60, isolation_level=None)
        self._database.execute("BEGIN IMMEDIATE")
        self._key = job, batch, partition
        found = self._database.execute(
            "SELECT batch FROM done WHERE job = ? AND partition = ?", (job, partition)
        ).fetchone()
        self._is_done = found is not None and found[0] >= batch
        trap = self._path.with_suffix(".fail")
        if trap.exists() and not self._is_done:
            self._fails = trap.read_text()
            trap.unlink()

    def write(self, changes: pa.Table) -> None:
        if self._fails == "write":
            raise JobError("the database is full")
        if self._is_done:
            return
        columns = [changes.column(field(i)).to_pylist() for i in range(self._width)]
        cells = map(json.dumps, zip(*columns, strict=True))
        kinds = changes.column(KIND).to_pylist()
        rows = ((*self._key, SHORT[kind], each) for kind, each in zip(kinds, cells, strict=True))
        self._database.executemany("INSERT INTO rows VALUES (?, ?, ?, ?, ?)", rows)

    def close_task(self) -> str:
        job, batch, partition = self._key
        if not self._is_done:
            self._database.execute("INSERT OR REPLACE INTO done VALUES (?, ?, ?)", (job, partition, batch))
        self._database.execute("COMMIT")
        if self._fails == "committed":
            raise RuntimeError("the worker died")
        self._database.close()
        return "" if self._is_done else str(partition)

    def abort_task(self) -> None:
        self._database.close()

    def commit(self, batch: int, tokens: Sequence[str]) -> None:
        return None

    def abort(self, batch: int, tokens: Sequence[str]) -> None:
        return None


class FailingFiles(FilesystemSink):
    """The filesystem's, that fails in the second task of four where there is a file `path`.fail."""

    def open_task(self, job: str, batch: int, partition: int) -> None:
        super().open_task(job, batch, partition)
        self._fails = partition & 0xFF == 1 and self._directory.with_suffix(".fail").exists()

    def write(self, changes: pa.Table) -> None:
        super().write(changes)
        if self._fails:
            raise JobError("the disk is full")


class Sqlite:
    """The connector of these sinks, as far as jobs look at it."""

    def sink(self, spec: SinkSpec) -> Any:
        return SqliteSink(spec)


class Files(Sqlite):
    def sink(self, spec: SinkSpec) -> Any:
        return FailingFiles(spec)


@contextmanager
def registered() -> Iterator[None]:
    """Within it these sinks are found by name."""
    own: Any = CONNECTORS.own
    given = {"sqlite": f"{__name__}:Sqlite", "failing-files": f"{__name__}:Files"}
    own |= given
    yield
    for name in given:
        del own[name]


if "pytest" not in sys.modules:  # in a worker, which loads this module with the job
    registered().__enter__()


def rows_in(path: Path) -> list[tuple[Any, ...]]:
    """What readers of the database see: (kind, cell...), in each partition in the order of their writing."""
    with closing(sqlite3.connect(path)) as database:
        found = database.execute("SELECT kind, cells FROM rows ORDER BY partition, rowid").fetchall()
    return [(kind, *json.loads(cells)) for kind, cells in found]


def partitions_in(path: Path) -> set[int]:
    """The partitions that have rows."""
    with closing(sqlite3.connect(path)) as database:
        return {number for (number,) in database.execute("SELECT DISTINCT partition FROM rows")}
