"""The registry: labels, and how many jobs it remembers."""

from __future__ import annotations

from firesteel.jobs.job import Job, Source
from firesteel.jobs.registry import Registry
from firesteel.spark.progress import Progress

SOURCE = Source("SELECT 1")


class Host:
    def cancel(self) -> None:
        pass


def named(registry: Registry, name: str) -> Job:
    job = registry.add(SOURCE)
    registry.planned(job, Progress(name=name))
    return job


def test_jobs_are_found_by_number_in_the_order_of_their_creation() -> None:
    registry = Registry()
    first, second = registry.add(SOURCE), registry.add(SOURCE)
    assert registry.jobs() == [first, second]
    assert (registry.find("2"), registry.find("3")) == (second, None)
    registry.discard(second)
    assert registry.jobs() == [first]
    assert registry.add(SOURCE).id == "3"


def test_no_job_has_the_label_of_another() -> None:
    registry = Registry()
    labels = [named(registry, name).label for name in ("a", "a (2)", "a", "a", "", "")]
    assert labels == ["a", "a (2)", "a (3)", "a (4)", "5", "6"]


def test_the_oldest_jobs_that_ended_are_forgotten_and_none_that_runs() -> None:
    registry = Registry(kept=2)
    jobs = [named(registry, "a") for _ in range(6)]
    for job in jobs[1:]:
        job.run()
        job.end()
    assert [job.id for job in registry.jobs()] == ["1", "5", "6"]
    assert [job.label for job in registry.jobs()] == ["a", "a (5)", "a (6)"]
    assert named(registry, "a").label == "a (7)"


def test_a_query_that_nobody_can_read_any_more_is_forgotten() -> None:
    registry, host = Registry(), Host()
    registry.planned(registry.add(SOURCE), Progress(), cancel=host.cancel)
    assert len(registry.jobs()) == 1
    del host
    assert registry.jobs() == []
