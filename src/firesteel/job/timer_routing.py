"""Find the tasks of a job that have to wake up for timers of processing time, without input."""

from __future__ import annotations

from collections.abc import Sequence

from firesteel.job.spec import JobSpec
from firesteel.job.topology import Fragment, stages, tasks
from firesteel.job.watermark_routing import WatermarkRouting

Woken = tuple[tuple[int, int], ...]
"""For each fragment to wake up, the id of its first chain and its number of tasks."""


def woken(job: JobSpec, paths: WatermarkRouting, targets: int) -> Woken:
    """Return the fragments after an exchange that have to wake up without input.

    These have an operator that sets timers, or get watermarks from a source that may become idle.

    Args:
        job: The job.
        paths: Routes of the watermarks in the job.
        targets: Number of tasks of a keyed stage.
    """
    return tuple(
        (fragment.head.id, tasks(job, fragment.head.id, targets))
        for fragment in _behind_exchanges(job)
        if _sets_timers(fragment) or paths.may_be_idle(fragment.head)
    )


def has_timers(job: JobSpec) -> bool:
    """Return whether any part of the job has to wake up without input."""
    return bool(woken(job, WatermarkRouting.of(job), 1))


def _behind_exchanges(job: JobSpec) -> Sequence[Fragment]:
    return [fragment for stage in stages(job)[1:] for fragment in stage]


def _sets_timers(fragment: Fragment) -> bool:
    return any(operator.sets_timers for chain in fragment.chains for operator in chain.operators)
