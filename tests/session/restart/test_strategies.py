"""Restart strategies: the waits and the number of restarts that Flink's classes give."""

from __future__ import annotations

import pytest

from firesteel.session.restart.strategies import (
    ExponentialDelay,
    FailureRate,
    FixedDelay,
    NoRestart,
    RestartStrategy,
)

FOR_EVER = 2**31 - 1


class ManualClock:
    """A clock that a test sets."""

    def __init__(self) -> None:
        self.now = 0

    def __call__(self) -> int:
        return self.now


def exponential(
    clock: ManualClock,
    initial: int = 10,
    longest: int = 90,
    multiplier: float = 2.0,
    threshold: int = 80,
    jitter: float = 0.0,
    attempts: int = FOR_EVER,
) -> ExponentialDelay:
    return ExponentialDelay(initial, longest, multiplier, threshold, jitter, attempts, clock)


def fail(strategy: RestartStrategy, clock: ManualClock, after: int = 1) -> int:
    """Let a failure come `after` milliseconds behind the last restart; its wait."""
    clock.now += after
    strategy.note_failure()
    wait = strategy.wait
    clock.now += wait
    return wait


def test_without_a_strategy_the_first_failure_ends_the_job() -> None:
    strategy = NoRestart()
    assert not strategy.can_restart
    strategy.note_failure()
    assert not strategy.can_restart


@pytest.mark.parametrize("attempts", [0, 1, 5])
def test_fixed_delay_restarts_so_many_times(attempts: int) -> None:
    strategy = FixedDelay(attempts, 700)
    for _ in range(attempts):
        strategy.note_failure()
        assert strategy.can_restart
        assert strategy.wait == 700
    strategy.note_failure()
    assert not strategy.can_restart


def test_failure_rate_counts_failures_within_the_interval() -> None:
    clock = ManualClock()
    strategy = FailureRate(3, 100, 5, clock)
    for _ in range(3):
        strategy.note_failure()
        assert strategy.can_restart
        assert strategy.wait == 5
        clock.now += 10
    strategy.note_failure()  # the fourth within 30 ms
    assert not strategy.can_restart


def test_failure_rate_forgets_failures_before_the_interval() -> None:
    clock = ManualClock()
    strategy = FailureRate(2, 100, 5, clock)
    for _ in range(20):
        clock.now += 51  # the last three span 102 ms
        strategy.note_failure()
        assert strategy.can_restart
    clock.now += 1
    strategy.note_failure()
    assert not strategy.can_restart


def test_exponential_delay_needs_a_failure_first() -> None:
    with pytest.raises(AssertionError, match="note_failure comes first"):
        _ = exponential(ManualClock()).wait


def test_waits_grow_by_the_multiplier_up_to_the_longest() -> None:
    clock = ManualClock()
    strategy = exponential(clock)
    assert [fail(strategy, clock) for _ in range(6)] == [10, 20, 40, 80, 90, 90]
    clock = ManualClock()
    strategy = exponential(clock, initial=4, longest=300, multiplier=2.3)
    assert [fail(strategy, clock) for _ in range(3)] == [4, 9, 21]  # 4 * 2.3 = 9.2, 4 * 5.29 = 21.16


def test_a_thousand_failures_wait_the_longest() -> None:
    clock = ManualClock()
    strategy = exponential(clock, multiplier=10.0)
    assert [fail(strategy, clock) for _ in range(1000)][-1] == 90


def test_waits_begin_again_after_the_threshold() -> None:
    clock = ManualClock()
    strategy = exponential(clock)
    assert fail(strategy, clock) == 10
    assert fail(strategy, clock, after=79) == 20
    assert fail(strategy, clock, after=80) == 10
    assert fail(strategy, clock) == 20


def test_failures_before_the_restart_are_one_attempt() -> None:
    clock = ManualClock()
    strategy = exponential(clock, attempts=1)
    strategy.note_failure()
    clock.now += 4
    strategy.note_failure()
    assert strategy.wait == 6
    clock.now += 6  # at the moment of the restart, too
    strategy.note_failure()
    assert strategy.can_restart
    assert fail(strategy, clock) == 20
    assert not strategy.can_restart


def test_the_wait_is_what_is_left_of_it() -> None:
    clock = ManualClock()
    strategy = exponential(clock)
    strategy.note_failure()
    clock.now += 3
    assert strategy.wait == 7
    clock.now += 30
    assert strategy.wait == 0


def test_attempts_count_from_the_last_reset() -> None:
    clock = ManualClock()
    strategy = exponential(clock, attempts=2)
    for _ in range(5):
        fail(strategy, clock)
        fail(strategy, clock)
        assert strategy.can_restart
        clock.now += 80
    fail(strategy, clock)
    fail(strategy, clock)
    fail(strategy, clock)
    assert not strategy.can_restart


@pytest.mark.parametrize(
    ("failures", "jitter", "waits"),
    [
        (2, 0.25, {15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25}),
        (4, 0.25, set(range(60, 91))),  # 80 by 20, and at most 90
        (1, 1.0, set(range(10, 21))),  # never below the first wait
    ],
)
def test_jitter_is_a_part_of_the_wait(failures: int, jitter: float, waits: set[int]) -> None:
    found = set()
    for _ in range(2000):
        clock = ManualClock()
        strategy = exponential(clock, jitter=jitter)
        found.add([fail(strategy, clock) for _ in range(failures)][-1])
    assert found == waits
