"""Identities of tasks, and the context that the tasks of a fragment share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from firesteel.job.spec import JobSpec
from firesteel.job.timer_routing import Woken, woken
from firesteel.job.topology import Fragment
from firesteel.job.watermark_routing import ByPort, WatermarkRouting
from firesteel.runtime.dataflow.observed_chain import Observer
from firesteel.runtime.dataflow.sequence import last_sub_sequence
from firesteel.runtime.spec.tables import ScanSpec, ValuesSpec


@dataclass(frozen=True)
class TaskId:
    """Identity of a task within a job."""

    batch: int = 0
    """Number of the micro-batch."""
    chain: int = 0
    """Number of the chain."""
    index: int = 0
    """Number of the task among the tasks of its chain, below 2^31."""
    channel: int = 0
    """Number of the watermark channel in which the task sends (job/watermark_routing.py).

    For a task of a source, it is the channel of the split; for a task behind an exchange, `index`.
    """

    @property
    def number(self) -> int:
        """Number of the task among all tasks of the micro-batch. The lower 32 bits are `index`."""
        return (self.chain << 32) + self.index


@dataclass(frozen=True)
class TaskContext:
    """Static context shared by the tasks of a fragment."""

    fragment: Fragment
    """The chains that share a task."""
    targets: int = 1
    """Number of targets of an exchange by key: key groups (stream host) or partitions (batch host)."""
    sub_sequence_bits: int = 0
    """Number of bits by which each exchange extends a row's sub-sequence (runtime/dataflow/sequence.py)."""
    now: int = 0
    """Processing time of the job in milliseconds; 0 means the time at which a task begins."""
    ends: bool = False
    """Whether the input ends with this micro-batch."""
    job: str = ""
    """Name by which the job's first sink knows the job. The name for any other sink: sink_task.py, job_of."""
    run: str = ""
    """Identity of this run of the job. A worker process keeps its caches by run, so runs share none."""
    watermarked: frozenset[int] = frozenset()
    """Numbers of the job's chains that get watermarks."""
    channels: ByPort = ()
    """Watermark channels of the fragment's first chain, by port."""
    watermark_sub_sequence: int = 0
    """Sub-sequence of changes that a watermark causes. No row that the fragment gets has a higher one."""
    timers: Woken = ()
    """(id of the first chain, number of tasks) of each fragment that a due timer starts even without rows."""
    watched: str = ""
    """Path of a file. The driver touches it while a web page shows rows that tasks send to sinks.

    "" if there is no web page.
    """
    observer: Observer | None = None
    """Receiver of all messages of the chains, in the in-process host only; None for none."""

    def at(self, now: int) -> TaskContext:
        """Return a copy with another processing time, in milliseconds."""
        return replace(self, now=now)


def contexts_of(
    job: JobSpec, common: TaskContext, stages: Sequence[Sequence[Fragment]],
    of_source: Callable[[ScanSpec | ValuesSpec], Sequence[int]], taken: int = 0,
) -> list[tuple[TaskContext, ...]]:  # fmt: skip
    """Return one tuple for each stage, with one context for each fragment of the stage.

    Args:
        job: The job.
        common: A context that is copied for each fragment. The copies get their own fragment, channels and
            sub-sequence of watermarks, and the job's timers and chains with watermarks.
        stages: The fragments of each stage.
        of_source: Function that returns the watermark channels of a source.
        taken: Number of bits of the sub-sequence that the rows of a source use before the first exchange. 0
            if they have no sub-sequence.
    """
    paths = WatermarkRouting.of(job)
    common = replace(common, watermarked=paths.watermarked, timers=woken(job, paths, common.targets))
    return [
        tuple(
            replace(
                common,
                fragment=fragment,
                channels=paths.channels(job, fragment.head, common.targets, of_source),
                watermark_sub_sequence=last_sub_sequence(number, common.sub_sequence_bits, taken),
            )
            for fragment in stage
        )
        for number, stage in enumerate(stages)
    ]
