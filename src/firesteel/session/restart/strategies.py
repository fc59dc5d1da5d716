"""Flink's restart strategies: whether a job that failed is restarted, and after which wait.

Rules: Flink's RestartBackoffTimeStrategy and its classes. Times are in milliseconds.
"""

from __future__ import annotations

import random
import time
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable

Clock = Callable[[], int]
"""Function that returns the time in milliseconds. The time never goes back."""


def monotonic_clock() -> int:
    """Return the time of the monotonic clock, in milliseconds."""
    return time.monotonic_ns() // 1_000_000


class RestartStrategy(ABC):
    """Decision on the restarts of one job. Call `note_failure` after each failure, then `can_restart`."""

    @property
    @abstractmethod
    def can_restart(self) -> bool:
        """Whether the job is restarted after the last failure."""

    @property
    @abstractmethod
    def wait(self) -> int:
        """Milliseconds from now until the restart."""

    @abstractmethod
    def note_failure(self) -> None:
        """Count a failure at the current time."""


class NoRestart(RestartStrategy):
    """Strategy without restarts: the first failure ends the job."""

    can_restart = False
    wait = 0

    def note_failure(self) -> None:
        """Do nothing: no restart follows."""

    def __str__(self) -> str:
        return "none"


class FixedDelay(RestartStrategy):
    """Strategy with a limited number of restarts, each after the same wait.

    Args:
        attempts: Maximum number of restarts.
        delay: The wait, in milliseconds.
    """

    def __init__(self, attempts: int, delay: int) -> None:
        self._attempts, self._delay = attempts, delay
        self._failures = 0

    @property
    def can_restart(self) -> bool:
        return self._failures <= self._attempts

    @property
    def wait(self) -> int:
        return self._delay

    def note_failure(self) -> None:
        self._failures += 1

    def __str__(self) -> str:
        return f"fixed-delay, at most {_restarts(self._attempts)}"


class FailureRate(RestartStrategy):
    """Strategy that restarts a job as long as failures are rare.

    Args:
        most: Maximum number of failures within `interval`. With one more, the job ends.
        interval: Length of time before the last failure, in milliseconds.
        delay: The wait, in milliseconds.
        clock: The clock.
    """

    def __init__(self, most: int, interval: int, delay: int, clock: Clock = monotonic_clock) -> None:
        self._most, self._interval, self._delay, self._clock = most, interval, delay, clock
        self._failures: deque[int] = deque(maxlen=most + 1)

    @property
    def can_restart(self) -> bool:
        if len(self._failures) <= self._most:
            return True
        return self._clock() - self._failures[0] > self._interval

    @property
    def wait(self) -> int:
        return self._delay

    def note_failure(self) -> None:
        self._failures.append(self._clock())

    def __str__(self) -> str:
        return f"failure-rate, at most {_restarts(self._most)} within {self._interval / 1000:g} s"


class ExponentialDelay(RestartStrategy):
    """Strategy whose waits grow with each failure, and are short again after a time without failures.

    Args:
        initial: The first wait, in milliseconds.
        longest: The longest wait, in milliseconds.
        multiplier: Factor by which a wait is longer than the previous one.
        threshold: If no failure comes for this time after a restart, in milliseconds, the next wait is
            `initial`, and restarts are counted from 0.
        jitter: Part of a wait, from 0 to 1, by which it is randomly longer or shorter.
        attempts: Maximum number of restarts.
        clock: The clock.
    """

    def __init__(
        self,
        initial: int,
        longest: int,
        multiplier: float,
        threshold: int,
        jitter: float,
        attempts: int,
        clock: Clock = monotonic_clock,
    ) -> None:
        self._initial, self._longest, self._multiplier = initial, longest, multiplier
        self._threshold, self._jitter, self._attempts, self._clock = threshold, jitter, attempts, clock
        self._failures = 0
        self._restart_at: int | None = None

    @property
    def can_restart(self) -> bool:
        return self._failures <= self._attempts

    @property
    def wait(self) -> int:
        assert self._restart_at is not None, "note_failure comes first"
        return max(0, self._restart_at - self._clock())

    def note_failure(self) -> None:
        """Count a failure, and set the time of the restart after it.

        A failure at or before the restart time that is already set does not count. If this time is at least
        `threshold` ago, the next wait is `initial`, and failures are counted from 0.
        """
        now = self._clock()
        if self._restart_at is not None:
            if now <= self._restart_at:
                return
            if now - self._restart_at >= self._threshold:
                self._failures = 0
        self._restart_at = now + self._backoff()
        self._failures += 1

    def _backoff(self) -> int:
        """Return the wait after the counted failures, with jitter, in milliseconds."""
        try:
            grown = int(self._initial * self._multiplier**self._failures)
        except OverflowError:
            grown = self._longest
        offset = int(grown * self._jitter)
        return max(self._initial, min(grown + random.randint(-offset, offset), self._longest))

    def __str__(self) -> str:
        return f"exponential-delay, at most {_restarts(self._attempts)}"


def _restarts(count: int) -> str:
    return "1 restart" if count == 1 else f"{count} restarts"
