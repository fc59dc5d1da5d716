"""Job, the record of one query or INSERT that a session runs."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any
from weakref import WeakMethod

from firesteel.jobs.about import About
from firesteel.jobs.result_view import ResultView
from firesteel.spark.progress import Progress


class JobState(Enum):
    """State of a job, by Flink's name (JobStatus)."""

    INITIALIZING = "INITIALIZING"
    """The job is being planned, or waits for Spark or for a reader of its result."""
    RUNNING = "RUNNING"
    RESTARTING = "RESTARTING"
    """The job failed and starts again."""
    FINISHED = "FINISHED"
    FAILED = "FAILED"
    CANCELED = "CANCELED"
    """The user stopped the job."""

    @property
    def has_ended(self) -> bool:
        return self in (JobState.FINISHED, JobState.FAILED, JobState.CANCELED)


@dataclass(frozen=True)
class Source:
    """Origin of a job: a statement and its position in a script.

    Attributes:
        statement: Text of the statement without secrets.
        script: File name of the script, "" for none.
        line: Line where the statement begins, counted from 1, in the text that was passed to the session: a
            script or a single statement.
        column: Column where the statement begins in this line, counted from 1.
    """

    statement: str
    script: str = ""
    line: int = 1
    column: int = 1


@dataclass(frozen=True)
class Change:
    """Change of a job's state.

    Attributes:
        time: Seconds since 1970.
        state: The new state.
        cause: Message of the error that led to the change, None if there was no error.
    """

    time: float
    state: JobState
    cause: str | None


_CHANGES = 100
"""Maximum number of changes of state in `Job.history`."""


class Job:
    """A query, an INSERT or a statement set.

    Any thread may call the methods that change a job. A job that has ended does not change any more.

    Args:
        id: Number of the job among the jobs of the process, as text.
        source: The statement.

    Attributes:
        label: Name that no other job has.
        state: Current state.
        cause: Message of the last error that ended the job or made it restart, None without such an error.
        restarts: Number of restarts.
        created: Time of creation in seconds since 1970.
        ended: Time of the end in seconds since 1970, None while the job has not ended.
        progress: Counters of the job, None while it is planned.
        about: Options and checkpoint of the job, and the number of its statements.
        history: Last changes of the state, oldest first.
        rows: Rows of its result for the web page, None if the page shows none.
    """

    def __init__(self, id: str, source: Source) -> None:
        self.id = id
        self.source = source
        self.label = id
        self.state = JobState.INITIALIZING
        self.cause: str | None = None
        self.restarts = 0
        self.created = time.time()
        self.ended: float | None = None
        self.progress: Progress | None = None
        self.history: deque[Change] = deque(maxlen=_CHANGES)
        self.about = About()
        self.rows: ResultView | None = None
        self._graph: dict[str, Any] | None = None
        self._plan: Callable[[], str] = str
        self._plan_text: str | None = None
        self._cancel: WeakMethod[Callable[[], object]] | None = None
        self._lock = threading.Lock()

    @property
    def name(self) -> str:
        """Name of the job in Spark, "" while the job is planned."""
        return "" if self.progress is None else self.progress.name

    @property
    def phase(self) -> str:
        """Step before the first rows that is under way, such as "planning". "" if there is none."""
        if self.state is JobState.INITIALIZING and self.progress is None:
            return "planning"
        return "" if self.progress is None or self.state.has_ended else self.progress.phase

    @property
    def plan(self) -> str:
        """Physical plan of the job as EXPLAIN prints it, "" while the job is planned."""
        if self._plan_text is None and self.progress is not None:
            self._plan_text = self._plan()
            self._plan = str
        return self._plan_text or ""

    @property
    def graph(self) -> dict[str, Any]:
        """Graph of the job's chains as JSON values, empty while the job is planned."""
        if self._graph is None and self.progress is not None:
            self._graph = self.about.graph()
            self.about = replace(self.about, graph=dict)  # frees the plan's nodes
        return self._graph or {}

    @property
    def is_abandoned(self) -> bool:
        """Whether the job is a query that never starts, because the caller has dropped its unread result."""
        waits = self.state is JobState.INITIALIZING
        return waits and self._cancel is not None and self._cancel() is None

    def planned(
        self,
        progress: Progress,
        plan: Callable[[], str],
        cancel: Callable[[], object] | None = None,
        about: About | None = None,
    ) -> None:
        """Attach counters, plan and stop function after the planning.

        Args:
            progress: The counters.
            plan: Function that returns the plan's text. It is called when the text is first asked for.
            cancel: Method that stops the job. The job does not keep the method's object alive.
            about: Details for the job's web page, None for none.
        """
        self.about = about or About()
        self._plan = plan
        self._cancel = None if cancel is None else WeakMethod(cancel)
        self.progress = progress

    def run(self) -> None:
        """Record that the host has started the job."""
        self._become(JobState.RUNNING)

    def restart(self, cause: BaseException | str) -> None:
        """Record that the job failed and will be started again."""
        if self._become(JobState.RESTARTING, cause):
            self.restarts += 1

    def end(self, error: BaseException | None = None, *, cancelled: bool = False) -> None:
        """Record the end of the job.

        Args:
            error: Error that ended the job, None if it did not fail.
            cancelled: Whether the user stopped it. An error of a stopped job does not count.
        """
        if cancelled:
            self._become(JobState.CANCELED)
        elif error is not None:
            self._become(JobState.FAILED, error)
        else:
            self._become(JobState.FINISHED)

    def stop(self) -> bool:
        """Stop the job, and return whether it could be stopped.

        False if the job has ended, if it is still being planned, or if the object that could stop it is gone.
        """
        cancel = None if self.state.has_ended or self._cancel is None else self._cancel()
        if cancel is None:
            return False
        cancel()
        return True

    def _become(self, state: JobState, cause: BaseException | str | None = None) -> bool:
        """Change the state unless the job has ended, and return whether it changed."""
        with self._lock:
            if self.state.has_ended:
                return False
            self.state = state
            message = None if cause is None else (str(cause) or type(cause).__name__).strip()
            self.cause = self.cause if message is None else message
            self.history.append(Change(time.time(), state, message))
            if state.has_ended:
                self.ended = time.time()
                if self.progress is not None:
                    self.progress.close()
            return True
