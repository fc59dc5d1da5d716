"""The table `firesteel_batches`, in which a database records the batches that it contains.

Each job and task has one row: the number of the last batch, and the range of source rows from which the batch
was made (connectors/positions.py). Early versions recorded only the number. Their table gets the missing
columns, and keeps its rows. If an early version writes to the table again, it changes only the number.
`offsets` therefore begins with a batch number, too. If the numbers differ, `offsets` and `origin` do not
count.

Rows of a job without a checkpoint are deleted when the job ends (`end_run`). If the job was killed, its rows
are deleted after a week, when another job prepares the table. A job with a checkpoint may continue at any
time, so its rows stay.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from firesteel.connectors.base import ONCE
from firesteel.connectors.jdbc.database import Database, TryAgainError
from firesteel.connectors.positions import Origin, Position, from_text, to_text
from firesteel.errors import FiresteelError, JobError

BATCHES = "firesteel_batches"
CREATE = (
    f"CREATE TABLE {BATCHES} (job VARCHAR(64) NOT NULL, task INTEGER NOT NULL, batch BIGINT NOT NULL, "
    "lineage VARCHAR(64), offsets VARCHAR(128), origin TEXT, PRIMARY KEY (job, task))"
)
COLUMNS = {"lineage": "VARCHAR(64)", "offsets": "VARCHAR(128)", "origin": "TEXT"}
"""Columns that tables of earlier versions lack, with their SQL types.

`lineage` is the checkpoint's id. `offsets` is `BATCH:BEGIN-END`, with digests of the source offsets at which
the batch begins and ends. `origin` has the source offsets themselves, if they fit (positions.py: to_text).
"""
_MOST = 60_000
"""Limit of the characters of `origin`, which are ASCII. MySQL's TEXT holds 65,535 bytes."""

_FORGET = f"DELETE FROM {BATCHES} WHERE job = :job"
_FORGET_TASK = f"{_FORGET} AND task = :task"
_READ = f"SELECT batch, offsets, origin FROM {BATCHES} WHERE job = :job AND task = :task"
_READ_ALL = f"SELECT task, batch, offsets, origin FROM {BATCHES} WHERE job = :job"
_PROBE = f"SELECT batch FROM {BATCHES} WHERE job = :job AND task = :task"
_INSERT = (
    f"INSERT INTO {BATCHES} (job, task, batch, lineage, offsets, origin) "
    "VALUES (:job, :task, :batch, :lineage, :offsets, :origin)"
)
_UPDATE = (
    f"UPDATE {BATCHES} SET batch = :batch, lineage = :lineage, offsets = :offsets, origin = :origin "
    "WHERE job = :job AND task = :task"
)
_UPDATE_NEXT = f"{_UPDATE} AND batch < :batch"


_WEEK_SECONDS = 7 * 24 * 3600
_OF_RUNS = f"job LIKE '{ONCE}%'"
_ADOPT = f"UPDATE {BATCHES} SET lineage = :now WHERE {_OF_RUNS} AND lineage IS NULL"
"""SQL that writes the present time into `lineage` where an earlier version left it NULL.

Only for jobs without a checkpoint. Their rows have no lineage, so the column holds the time of the last
batch instead, and _SWEEP deletes old rows by this time.
"""
_SWEEP = f"DELETE FROM {BATCHES} WHERE {_OF_RUNS} AND lineage < :oldest"


class Batches:
    """Recorded batches in one database. Methods with a connection work in its transaction."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def is_new(self, connection: Any, job: str, task: int, position: Position) -> bool:
        """Record a batch and return True, or return False if the batch is recorded already.

        Other transactions that record the same batch wait until this transaction has ended.

        Raises:
            TryAgainError: Another transaction has recorded a batch of the task in the meantime.
            JobError: The number is already recorded for other source rows, or the database refuses to record
                it.
        """
        text, place = self._database.text, {"job": job, "task": task}
        noted = place | _columns(position)
        if job.startswith(ONCE):
            noted["lineage"] = _time_text(int(time.time()))
        try:
            if connection.execute(text(_UPDATE_NEXT), noted).rowcount:
                return True
            found = connection.execute(text(_READ), place).first()
            if found is None:
                connection.execute(text(_INSERT), noted)
                return True
        except self._database.refusals as error:
            if self._database.is_key_conflict(error):
                raise TryAgainError(error) from None
            if self._database.may_pass(error):
                raise
            raise self._not_noted(error) from None
        where = f"table {BATCHES}, job {job}, task {task}"
        return not _position(*found).has(position.batch, position.origin, where)

    def _not_noted(self, error: Any) -> FiresteelError:
        """Return the error for a batch whose number cannot be recorded. The batch is not written then."""
        made = self._database.error(error, f"no batch can be noted in {BATCHES}: ")
        made.hint = made.hint or (
            f"the user needs SELECT, INSERT, UPDATE and DELETE on {BATCHES}, which is created by: {CREATE}"
        )
        return made

    def positions(self, job: str) -> Mapping[int, Position]:
        """Return by task number the last batch that each task of a job has recorded, and its source rows."""
        found = self._database.once(
            lambda connection: connection.execute(self._database.text(_READ_ALL), {"job": job}).fetchall()
        )
        return {task: _position(*rest) for task, *rest in found}

    def move(self, job: str, positions: Mapping[int, Position]) -> None:
        """Replace the last batch that each task has recorded, in one transaction.

        Args:
            job: Name of the job.
            positions: New last batch by task number. For a batch number of -1, the task's row is deleted.
        """
        self._database.run(lambda connection: self._move(connection, job, positions))

    def _move(self, connection: Any, job: str, positions: Mapping[int, Position]) -> None:
        for task, position in positions.items():
            place = {"job": job, "task": task}
            if position.batch < 0:
                connection.execute(self._database.text(_FORGET_TASK), place)
                continue
            connection.execute(self._database.text(_FORGET_TASK), place)
            connection.execute(self._database.text(_INSERT), place | _columns(position))

    def forget(self, job: str) -> None:
        """Delete all recorded batches of a job."""
        self._database.run(lambda connection: connection.execute(self._database.text(_FORGET), {"job": job}))

    # --- the table -------------------------------------------------------------------------------
    def prepare(self) -> None:
        """Create the table if it does not exist, and add missing columns.

        Raises:
            JobError: The table or a column cannot be created, or the user may not write to the table. The
                hint has the SQL to run by hand.
        """
        if not self._database.has_table(BATCHES):
            self._change(
                CREATE, f"The table {BATCHES}, by which no batch is written twice, cannot be created"
            )
        if self._works(_PROBE):
            self._add_columns()
        with suppress(FiresteelError):  # the next job tries again
            self._database.once(self._sweep)
        try:
            self._database.rolled_back(self._try_to_note)
        except self._database.refusals as error:
            raise self._not_noted(error) from None

    def _add_columns(self) -> None:
        for name, kind in COLUMNS.items():
            if not self._works(f"SELECT {name} FROM {BATCHES} WHERE job = :job AND task = :task"):
                self._change(
                    f"ALTER TABLE {BATCHES} ADD COLUMN {name} {kind}",
                    f"The table {BATCHES} of an earlier version cannot get the column {name}, which says of "
                    "which rows a batch's number stands",
                )

    def _sweep(self, connection: Any) -> None:
        """Remove rows of jobs without a checkpoint that were killed more than a week ago."""
        now = int(time.time())
        connection.execute(self._database.text(_ADOPT), {"now": _time_text(now)})
        connection.execute(self._database.text(_SWEEP), {"oldest": _time_text(now - _WEEK_SECONDS)})

    def _try_to_note(self, connection: Any) -> None:
        """Record a batch of the job "", to find missing permissions early. The caller rolls it back."""
        noted = {"job": "", "task": 0} | _columns(Position(0))
        for sql in (_UPDATE_NEXT, _READ, _INSERT):
            connection.execute(self._database.text(sql), noted)

    def _works(self, sql: str) -> bool:
        try:
            self._ask(sql, job="", task=0)
        except JobError:
            return False
        return True

    def _change(self, sql: str, what: str) -> None:
        try:
            self._ask(sql)
        except JobError as error:
            if self._works(_READ):  # another job was faster
                return
            raise type(error)(f"{what}: {error.message}", hint=error.hint or _by_hand(sql)) from None

    def _ask(self, sql: str, **parameters: Any) -> None:
        """Run a statement in a transaction of its own, without retries."""
        self._database.once(lambda connection: connection.execute(self._database.text(sql), parameters))


def _time_text(seconds: int) -> str:
    """Return a time in seconds since 1970 as 12 digits with leading zeros; such texts sort like the times.

    This text is the content of the column `lineage` for jobs without a checkpoint.
    """
    return f"{seconds:012d}"


def _by_hand(sql: str) -> str:
    """Return a hint: the statement to run as a user with the permission for it."""
    if not sql.startswith("ALTER"):
        return f"create it: {sql}"
    added = ", ".join(f"ADD COLUMN {name} {kind}" for name, kind in COLUMNS.items())
    return f"let the database's user alter the table, or run as its owner: ALTER TABLE {BATCHES} {added}"


def _columns(position: Position) -> dict[str, Any]:
    origin = position.origin
    if not origin.is_known:
        return {"batch": position.batch, "lineage": None, "offsets": None, "origin": None}
    return {
        "batch": position.batch,
        "lineage": origin.lineage,
        "offsets": f"{position.batch}:{origin.begin}-{origin.end}",
        "origin": to_text(origin, _MOST),
    }


def _position(batch: int, offsets: str | None, origin: str | None) -> Position:
    is_of_it = offsets is not None and offsets.startswith(f"{batch}:")
    return Position(batch, from_text(origin) if is_of_it else Origin())
