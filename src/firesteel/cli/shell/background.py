"""Jobs in the background of the shell."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

from firesteel.cli.report import as_firesteel_error
from firesteel.cli.shell.kept_result import KeptResult
from firesteel.errors import FiresteelError, UsageError, ValidationError
from firesteel.jobs.job import Job

if TYPE_CHECKING:
    from firesteel.session.result import TableResult


class BackgroundJob:
    """A job in the background of the shell.

    Args:
        result: Result of the statement. A thread of this job reads it.
        on_end: Function that the thread calls when the job has ended.

    Attributes:
        kept: Results of a query so far, None for an INSERT.
        error: Error that ended the job, None for none.
    """

    def __init__(self, result: TableResult, on_end: Callable[[], None]) -> None:
        from firesteel.session.result import ChangesResult

        if result.record is None:
            raise UsageError("only a query, an INSERT or a statement set can run in the background")
        self.job: Job = result.record
        self.kept = KeptResult(result) if isinstance(result, ChangesResult) else None
        self.error: FiresteelError | None = None
        self._result = result
        self._on_end = on_end
        self._has_ended = threading.Event()
        self._thread = threading.Thread(target=self._follow, daemon=True)
        self._thread.start()

    def _follow(self) -> None:
        try:
            if self.kept is None:
                self._result.wait()
            else:
                self.kept.read()
        except Exception as error:
            if not self.job.state.has_ended or self.job.cause is not None:
                self.error = as_firesteel_error(error)
        finally:
            self._has_ended.set()
            self._on_end()

    @property
    def runs(self) -> bool:
        return not self._has_ended.is_set()

    def wait(self, seconds: float | None = None) -> None:
        self._has_ended.wait(seconds)


class BackgroundJobs:
    """The background jobs of a shell, by id.

    Attributes:
        on_end: Function that a thread calls when a job has ended.
    """

    def __init__(self) -> None:
        self.on_end: Callable[[], None] = lambda: None
        self._jobs: dict[str, BackgroundJob] = {}
        self._told: set[str] = set()

    def add(self, result: TableResult) -> BackgroundJob:
        """Continue the job of a result in the background, and return it.

        Raises:
            UsageError: The result has no job.
        """
        made = BackgroundJob(result, lambda: self.on_end())
        self._jobs[made.job.id] = made
        return made

    def kept(self, id: str) -> KeptResult:
        """Return the results of a query in the background.

        Raises:
            ValidationError: No such query is in the background.
        """
        found = self._jobs.get(id)
        if found is None or found.kept is None:
            raise ValidationError(
                f"No query with the id {id} runs in the background.",
                hint="a query that ends with & does; SHOW JOBS lists all jobs",
            )
        return found.kept

    def running(self) -> list[BackgroundJob]:
        return [each for each in self._jobs.values() if each.runs]

    def newly_ended(self) -> list[BackgroundJob]:
        """Return the jobs that have ended since the last call."""
        found = [each for id, each in self._jobs.items() if id not in self._told and not each.runs]
        self._told.update(each.job.id for each in found)
        return found

    def stop(self, patience: float) -> None:
        """Stop all jobs. Wait for the end of each at most `patience` seconds."""
        running = self.running()
        for each in running:
            threading.Thread(target=each.job.stop, daemon=True).start()
        for each in running:
            each.wait(patience)
