"""The record of a job: its states, and what it keeps."""

from __future__ import annotations

import gc

import pytest

from firesteel.jobs.job import Job, JobState, Source
from firesteel.runtime.state.size import StateSize
from firesteel.spark.progress import Progress


class Host:
    def __init__(self) -> None:
        self.cancelled = 0

    def cancel(self) -> None:
        self.cancelled += 1


def job() -> Job:
    return Job("1", Source("SELECT 1"))


def test_a_job_passes_through_its_states() -> None:
    made = job()
    assert (made.state, made.phase, made.plan, made.name) == (JobState.INITIALIZING, "planning", "", "")
    made.planned(Progress(name="a: t", phase="starting Spark"), lambda: "the plan")
    assert (made.phase, made.plan, made.name) == ("starting Spark", "the plan", "a: t")
    made.run()
    made.restart(ValueError("gone"))
    assert (made.state, made.cause, made.restarts) == (JobState.RESTARTING, "gone", 1)
    made.run()
    assert (made.state, made.ended) == (JobState.RUNNING, None)
    made.end()
    assert made.state is JobState.FINISHED
    assert made.ended is not None
    assert made.phase == ""


@pytest.mark.parametrize(
    ("error", "cancelled", "state", "cause"),
    [
        (None, False, JobState.FINISHED, None),
        (ValueError("a"), False, JobState.FAILED, "a"),
        (ValueError(), False, JobState.FAILED, "ValueError"),
        (ValueError("a"), True, JobState.CANCELED, None),
        (None, True, JobState.CANCELED, None),
    ],
)
def test_the_ends_of_a_job(
    error: Exception | None, cancelled: bool, state: JobState, cause: str | None
) -> None:
    made = job()
    made.run()
    made.end(error, cancelled=cancelled)
    made.end()
    made.run()
    made.restart("late")
    assert (made.state, made.cause, made.restarts) == (state, cause, 0)


def test_a_job_is_stopped_while_its_host_is_there() -> None:
    made, host = job(), Host()
    assert not made.stop()
    made.planned(Progress(), str, host.cancel)
    assert made.stop()
    assert host.cancelled == 1
    made.end(cancelled=True)
    assert not made.stop()
    assert host.cancelled == 1


def test_a_job_whose_result_nobody_holds_is_abandoned() -> None:
    made, host = job(), Host()
    assert not made.is_abandoned
    made.planned(Progress(), str, host.cancel)
    assert not made.is_abandoned
    del host
    gc.collect()
    assert made.is_abandoned


def test_a_job_that_has_ended_keeps_its_numbers_and_nothing_of_its_host() -> None:
    made = job()
    progress = Progress(
        watch=print,
        state_size=lambda: 5,
        lag=dict,
        states={(1, n): {"sum": StateSize(2, 3)} for n in range(9)},
    )
    made.planned(progress, str)
    made.end()
    assert progress.state_sizes() == {"sum": StateSize(18, 27)}
    assert progress.state_entries == 18
    assert len(progress.states) == 1
    assert (progress.watch, progress.state_bytes, progress.lags) == (None, None, {})
