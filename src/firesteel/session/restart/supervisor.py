"""Supervisor, which runs a job again after a failure, as its restart strategy says."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeVar

from firesteel.errors import FiresteelError, OverloadedError, UnavailableError
from firesteel.session.restart.strategies import NoRestart, RestartStrategy

T = TypeVar("T")

_SIGNAL_SECONDS = 0.25
"""Seconds that the supervisor waits after a failure, in case the job is being cancelled.

A signal to the process group, such as Ctrl-C, may end Spark first, so that the job fails. This process
handles the signal a little later and cancels the job. If it does so within this time, no restart follows.
"""
_NUMBERS = re.compile(r"\d+")


@dataclass(frozen=True)
class Restart:
    """One restart of a job that has failed."""

    attempt: int
    """Number of the restart since the start of the job, from 1."""
    wait: int
    """Milliseconds until the restart."""
    cause: str
    """Message of the error that ended the job, in one line."""
    resumes: bool
    """Whether the job continues from a checkpoint. If False, it reads its sources from the beginning."""

    def __str__(self) -> str:
        where = "from its checkpoint" if self.resumes else "from the beginning"
        return f"Restart {self.attempt} {where} in {self.wait / 1000:.1f} s: {self.cause}"


class Supervisor:
    """Runner of a job that starts it again after a failure.

    The job ends, without another start, after these failures:

    - a mistake in the script, or an error that the same rows would cause again (`error.restarts`, errors.py)
    - the same error `limit` times in a row at one position, such as a micro-batch. This rule does not apply
      if a system that the job needs is not available (UnavailableError).

    Args:
        strategy: The restart strategy.
        limit: Number of times, as above. 0 for no limit.
        resumes: Whether the job continues from a checkpoint.
        tell: Function that gets each Restart. It is called before the supervisor waits for the restart.
        cancelled: Event that ends the job, also during a wait.
    """

    def __init__(
        self,
        strategy: RestartStrategy,
        limit: int,
        *,
        resumes: bool,
        tell: Callable[[Restart], object],
        cancelled: threading.Event,
    ) -> None:
        self._strategy = strategy
        self._limit = limit
        self._resumes = resumes
        self._tell = tell
        self._cancelled = cancelled
        self._restarts = 0
        self._last: tuple[type[FiresteelError], str, str] | None = None
        self._times = 0

    def run(self, attempt: Callable[[], Iterator[T]], position: Callable[[], str]) -> Iterator[T]:
        """Yield the items of each attempt, until an attempt ends without an error or the job is cancelled.

        Args:
            attempt: Runs the job once, from its checkpoint or from the beginning.
            position: Function that returns the position that the job has reached, in words.

        Raises:
            FiresteelError: The error of the last attempt.
        """
        while True:
            try:
                yield from attempt()
                return
            except FiresteelError as error:
                wait = self._wait_after(error, position)
            if self._cancelled.wait(wait):
                return

    def _wait_after(self, error: FiresteelError, position: Callable[[], str]) -> float:
        """Return the seconds until the restart. Raise the error if the job is not restarted."""
        if isinstance(self._strategy, NoRestart) or not error.restarts:
            raise error
        if self._cancelled.wait(_SIGNAL_SECONDS):
            raise error
        self._count_same(error, position())
        self._strategy.note_failure()
        if not self._strategy.can_restart:
            raise _with_hint(error, f"the restart strategy ends the job: {self._strategy}")
        self._restarts += 1
        restart = Restart(self._restarts, self._strategy.wait, one_line(error), self._resumes)
        self._tell(restart)
        return restart.wait / 1000

    def _count_same(self, error: FiresteelError, position: str) -> None:
        """Raise the error if it has occurred at this position as often as the limit allows."""
        this = type(error), _NUMBERS.sub("#", error.message), position
        self._times = self._times + 1 if this == self._last else 1
        self._last = this
        if isinstance(error, UnavailableError) or not self._limit or self._times < self._limit:
            return
        error.message = f"{error.message} (the same error {self._times} times running, at {position})"
        raise error


def waited_out(error: FiresteelError, *, has_worked: bool) -> FiresteelError:
    """Turn an OverloadedError into an UnavailableError if the job has worked before.

    The supervisor ends a job after the same error has occurred several times in a row, but not if it is an
    UnavailableError. So an overloaded job that has worked is restarted as often as its strategy allows.

    Args:
        error: The error that ended the job.
        has_worked: Whether the job has ended a micro-batch before, which shows that its workers can start.

    Returns:
        The new error, with the same message and hint; `error` itself in all other cases.
    """
    if isinstance(error, OverloadedError) and has_worked:
        return UnavailableError(error.message, hint=error.hint)
    return error


def one_line(error: FiresteelError) -> str:
    """Return the message of an error in one line."""
    return " ".join(error.message.split())


def _with_hint(error: FiresteelError, hint: str) -> FiresteelError:
    error.hint = f"{error.hint}; {hint}" if error.hint else hint
    return error
