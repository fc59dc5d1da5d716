"""The supervisor: which failures are followed by a restart, and what it says."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Sequence

import pytest

from firesteel.errors import (
    DataError,
    FiresteelError,
    InternalError,
    JobError,
    LostInputError,
    NotSupportedError,
    OverloadedError,
    UnavailableError,
    UsageError,
    ValidationError,
)
from firesteel.session.restart.strategies import FixedDelay, NoRestart, RestartStrategy
from firesteel.session.restart.supervisor import Restart, Supervisor, waited_out


class Job:
    """A job whose attempts fail one after the other, and then end. Each yields its number first."""

    def __init__(self, errors: Sequence[FiresteelError], positions: Sequence[str] = ()) -> None:
        self.errors = list(errors)
        self.positions = positions
        self.attempts = 0
        self.told: list[Restart] = []
        self.cancelled = threading.Event()

    def attempt(self) -> Iterator[int]:
        self.attempts += 1
        yield self.attempts
        if len(self.errors) >= self.attempts:
            raise self.errors[self.attempts - 1]

    def position(self) -> str:
        return self.positions[self.attempts - 1] if self.positions else f"batch {self.attempts}"

    def run(self, strategy: RestartStrategy | None = None, limit: int = 3, resumes: bool = True) -> list[int]:
        supervisor = Supervisor(
            strategy or FixedDelay(1000, 1),
            limit,
            resumes=resumes,
            tell=self.told.append,
            cancelled=self.cancelled,
        )
        return list(supervisor.run(self.attempt, self.position))


@pytest.fixture(autouse=True)
def no_wait_for_signals(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("firesteel.session.restart.supervisor._SIGNAL_SECONDS", 0.0)


def test_the_job_is_restarted_and_says_so_once_each() -> None:
    job = Job([JobError("a worker's\nprocess ended"), UnavailableError("the database is away")])
    assert job.run() == [1, 2, 3]
    assert [str(each) for each in job.told] == [
        "Restart 1 from its checkpoint in 0.0 s: a worker's process ended",
        "Restart 2 from its checkpoint in 0.0 s: the database is away",
    ]
    job = Job([JobError("gone")])
    job.run(FixedDelay(1, 1500), resumes=False)
    assert str(job.told[0]) == "Restart 1 from the beginning in 1.5 s: gone"


def test_without_a_strategy_the_error_stays_as_it_is() -> None:
    error = JobError("gone", hint="look")
    with pytest.raises(JobError) as raised:
        Job([error]).run(NoRestart())
    assert raised.value is error
    assert str(error) == "gone\nhint: look"


@pytest.mark.parametrize(
    "kind", [UsageError, ValidationError, NotSupportedError, DataError, LostInputError, JobError]
)
def test_what_would_only_come_again_is_final(kind: type[FiresteelError]) -> None:
    error = kind("the user's")
    if kind is JobError:
        error.restarts = False  # as of an error that a packet carries
    job = Job([error])
    with pytest.raises(kind):
        job.run()
    assert job.attempts == 1
    assert not job.told


def test_the_last_error_names_the_strategy() -> None:
    job = Job([JobError(f"gone {n}") for n in range(5)])
    with pytest.raises(JobError) as raised:
        job.run(FixedDelay(2, 1))
    assert job.attempts == 3
    assert str(raised.value) == (
        "gone 2\nhint: the restart strategy ends the job: fixed-delay, at most 2 restarts"
    )


def test_the_same_error_at_the_same_position_is_final() -> None:
    job = Job([InternalError(f"worker {n} failed") for n in (17, 4, 230, 5)], ["batch 7"] * 4)
    with pytest.raises(InternalError) as raised:
        job.run()
    assert job.attempts == 3
    assert raised.value.message == "worker 230 failed (the same error 3 times running, at batch 7)"


@pytest.mark.parametrize(
    ("errors", "positions", "limit"),
    [
        ([JobError("x")] * 6, [f"batch {n}" for n in range(6)], 3),
        ([JobError("x"), JobError("x"), JobError("y")] * 2, ["batch 1"] * 6, 3),
        ([JobError("x")] * 6, ["batch 1"] * 6, 0),
        ([UnavailableError("the broker is away")] * 6, ["batch 1"] * 6, 3),
    ],
    ids=["it moves", "others between", "no limit", "away"],
)
def test_other_errors_are_not_the_same(
    errors: list[FiresteelError], positions: list[str], limit: int
) -> None:
    job = Job(errors, positions)
    assert job.run(limit=limit) == [1, 2, 3, 4, 5, 6, 7]


@pytest.mark.parametrize("has_worked", [True, False])
def test_a_busy_machine_is_waited_out_once_the_job_has_worked(has_worked: bool) -> None:
    errors = [waited_out(OverloadedError("no worker"), has_worked=has_worked) for _ in range(6)]
    job = Job(errors, ["batch 1"] * 6)
    if has_worked:
        assert job.run() == [1, 2, 3, 4, 5, 6, 7]
        return
    with pytest.raises(OverloadedError, match="the same error 3 times running, at batch 1"):
        job.run()


def test_a_wait_ends_with_the_job() -> None:
    job = Job([JobError("gone")])
    threading.Timer(0.1, job.cancelled.set).start()
    began = time.monotonic()
    assert job.run(FixedDelay(1, 60_000)) == [1]
    assert time.monotonic() - began < 30


def test_a_job_that_is_stopped_meanwhile_is_not_restarted() -> None:
    job = Job([JobError("gone")])
    job.cancelled.set()
    with pytest.raises(JobError):
        job.run()
    assert not job.told
