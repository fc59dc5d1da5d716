"""Which tasks of a job are woken though nothing comes for them: those that have timers of processing time."""

from __future__ import annotations

from collections.abc import Sequence

from firesteel.job.spec import JobSpec
from firesteel.job.topology import Fragment, stages, tasks
from firesteel.job.watermark_routing import MarkPaths

Woken = tuple[tuple[int, int], ...]
"""The first chains of fragments, and how many tasks each has."""


def woken(job: JobSpec, paths: MarkPaths, targets: int) -> Woken:
    """The fragments behind exchanges in which an operator sets timers, or for which a source may fall idle.
    targets: tasks of a stage that is keyed."""
    return tuple(
        (fragment.head.id, tasks(job, fragment.head.id, targets))
        for fragment in _behind_exchanges(job)
        if _sets_timers(fragment) or paths.may_be_idle(fragment.head)
    )


def has_timers(job: JobSpec) -> bool:
    """Whether any part of the job has to be woken."""
    return bool(woken(job, MarkPaths.of(job), 1))


def _behind_exchanges(job: JobSpec) -> Sequence[Fragment]:
    return [fragment for stage in stages(job)[1:] for fragment in stage]


def _sets_timers(fragment: Fragment) -> bool:
    return any(operator.sets_timers for chain in fragment.chains for operator in chain.operators)
