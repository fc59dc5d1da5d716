"""Which way watermarks take through a job: from where they are made to whatever looks at them, and no other.

A chain behind an exchange is marked where something in it, or further on, looks at watermarks and some chain
before it makes any. All chains that such a one reads then send it theirs: one that has none holds it back,
until it ends.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from firesteel.job.spec import ChainSpec, JobSpec, Partitioning
from firesteel.job.topology import source_of, tasks
from firesteel.runtime.dataflow.watermarks import Channel
from firesteel.runtime.spec.operators import (
    GeneratedWatermarksSpec,
    MiniBatchAssignerSpec,
    OperatorSpec,
    WatermarkAssignerSpec,
)
from firesteel.runtime.spec.tables import ScanSpec, ValuesSpec

Source = ScanSpec | ValuesSpec
ByPort = tuple[tuple[int, tuple[Channel, ...]], ...]


@dataclass(frozen=True)
class MarkPaths:
    """marked: the chains behind exchanges that get watermarks. like: for each chain, what its channels are
    like."""

    marked: frozenset[int]
    like: dict[int, Channel]

    @classmethod
    def of(cls, job: JobSpec) -> MarkPaths:
        needs = _needs(job)
        gives: dict[int, bool] = {}
        like: dict[int, Channel] = {}
        marked = set()
        for chain in job.chains:
            before = [each.of for each in chain.inputs if isinstance(each.of, int)]
            comes = any(gives[producer] for producer in before) or _waits_for_end(chain)
            if comes and needs[chain.id] and not _is_forwarded(job, chain):
                marked.add(chain.id)
            own = like[before[0]] if before and _is_forwarded(job, chain) else Channel(0)
            gives[chain.id], like[chain.id] = _through(chain.operators, comes, own)
        return cls(frozenset(marked), like)

    def may_be_idle(self, chain: ChainSpec) -> bool:
        """Whether a channel of a chain that gets watermarks may hold them back no more after some time."""
        before = [each.of for each in chain.inputs if isinstance(each.of, int)]
        return chain.id in self.marked and any(self.like[each].idle for each in before)

    def channels(
        self, job: JobSpec, chain: ChainSpec, targets: int, of_source: Callable[[Source], Sequence[int]]
    ) -> ByPort:
        """By port the channels of a chain behind an exchange, () where it gets none. targets: tasks of a
        stage that is keyed. of_source: the channels of a source."""
        if chain.id not in self.marked:
            return ()
        ports: dict[int, list[Channel]] = {}
        for each in chain.inputs:
            assert isinstance(each.of, int)
            source = source_of(job, each.of)
            numbers = range(tasks(job, each.of, targets)) if source is None else of_source(source)
            like = replace(self.like[each.of], is_split=source is not None and list(numbers) != [0])
            ports.setdefault(each.port, []).extend(
                replace(like, id=channel_id(each.of, number)) for number in numbers
            )
        return tuple((port, tuple(channels)) for port, channels in sorted(ports.items()))


def channel_id(chain: int, number: int) -> int:
    """That of one of a chain's channels: of a source what it says, else the number of the task."""
    return (chain << 32) + number


def with_marks(job: JobSpec) -> JobSpec:
    """The job in which watermarks are made only where something looks at them."""
    needs = _needs(job)
    chains = []
    for chain in job.chains:
        needed, operators = _after(chain, needs), []
        for operator in reversed(chain.operators):
            if isinstance(operator, WatermarkAssignerSpec):
                operator = replace(operator, marks=needed)
            operators.append(operator)
            needed = _before(operator, needed)
        chains.append(replace(chain, operators=tuple(reversed(operators))))
    return replace(job, chains=tuple(chains))


def _needs(job: JobSpec) -> dict[int, bool]:
    """For each chain, whether watermarks that come to it mean anything."""
    found: dict[int, bool] = {}
    for chain in reversed(job.chains):
        needed = _after(chain, found)
        for operator in reversed(chain.operators):
            needed = _before(operator, needed)
        found[chain.id] = needed
    return found


def _after(chain: ChainSpec, needs: dict[int, bool]) -> bool:
    return any(needs[output.to] for output in chain.outputs if output.to >= 0)


def _before(operator: OperatorSpec, needed: bool) -> bool:
    """Whether watermarks before an operator mean anything, if they do behind it."""
    return not _stops(operator) and (needed or operator.reads_marks)


def _stops(operator: OperatorSpec) -> bool:
    """Whether watermarks of row time end here."""
    by_clock = isinstance(operator, MiniBatchAssignerSpec) and not operator.row_time
    return by_clock or isinstance(operator, WatermarkAssignerSpec)


def _through(operators: Iterable[OperatorSpec], comes: bool, channel: Channel) -> tuple[bool, Channel]:
    """Whether operators hand watermarks of row time on, and what the channel is like then."""
    for operator in operators:
        if isinstance(operator, WatermarkAssignerSpec):
            comes, channel = operator.marks, Channel(0, idle=operator.idle)
        elif isinstance(operator, GeneratedWatermarksSpec):
            comes, channel = True, Channel(0, idle=operator.idle)
        elif isinstance(operator, MiniBatchAssignerSpec):
            comes = comes and operator.row_time
            channel = replace(channel, mini_batch=operator.interval if operator.row_time else 0)
    return comes, channel


def _waits_for_end(chain: ChainSpec) -> bool:
    """Whether it wants the last watermark of a source that has no other."""
    return any(isinstance(operator, GeneratedWatermarksSpec) for operator in chain.operators)


def _is_forwarded(job: JobSpec, chain: ChainSpec) -> bool:
    return any(
        output.to == chain.id and output.partitioning is Partitioning.FORWARD
        for producer in job.chains
        for output in producer.outputs
    )
