"""Routes of watermarks through a job: only from where they are made to the operators that read them.

A chain after an exchange gets watermarks under two conditions. First, an operator of this chain, or of a
later chain, reads watermarks. Second, an earlier chain makes watermarks, or this chain makes them by a
user-defined strategy. If both conditions are met, all producers (chains that send rows to this chain) send
watermarks. A producer whose rows have no watermarks sends a single watermark, at the end of its data. Until
this watermark arrives, the watermark of the receiving chain does not advance.
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
class WatermarkRouting:
    """Routes of the watermarks in a job.

    Attributes:
        watermarked: Ids of the chains after exchanges that get watermarks.
        like: For each chain, by its id, a template of the channels to which it sends. It has their settings,
            such as the idle timeout, but not their ids.
    """

    watermarked: frozenset[int]
    like: dict[int, Channel]

    @classmethod
    def of(cls, job: JobSpec) -> WatermarkRouting:
        """Return the routes of the watermarks in a job."""
        needs = _needs(job)
        gives: dict[int, bool] = {}
        like: dict[int, Channel] = {}
        watermarked = set()
        for chain in job.chains:
            before = [each.of for each in chain.inputs if isinstance(each.of, int)]
            comes = any(gives[producer] for producer in before) or _waits_for_end(chain)
            if comes and needs[chain.id] and not _is_forwarded(job, chain):
                watermarked.add(chain.id)
            own = like[before[0]] if before and _is_forwarded(job, chain) else Channel(0)
            gives[chain.id], like[chain.id] = _through(chain.operators, comes, own)
        return cls(frozenset(watermarked), like)

    def may_be_idle(self, chain: ChainSpec) -> bool:
        """Return whether a chain gets watermarks from a channel that may become idle."""
        before = [each.of for each in chain.inputs if isinstance(each.of, int)]
        return chain.id in self.watermarked and any(self.like[each].idle for each in before)

    def channels(
        self, job: JobSpec, chain: ChainSpec, targets: int, of_source: Callable[[Source], Sequence[int]]
    ) -> ByPort:
        """Return the channels of a chain after an exchange, by port.

        Args:
            job: The job.
            chain: The chain.
            targets: Number of tasks of a keyed stage.
            of_source: Function that returns the channel numbers of a source.

        Returns:
            (port, channels) for each port, ascending; () if the chain gets no watermarks.
        """
        if chain.id not in self.watermarked:
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
    """Return the id of a channel of a chain.

    Args:
        chain: Id of the chain.
        number: Number of the channel of the source, if the chain reads one. Otherwise number of the task.
    """
    return (chain << 32) + number


def with_watermark_needs(job: JobSpec) -> JobSpec:
    """Return the job, where a WatermarkAssigner makes watermarks only if a later operator reads them."""
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
    """Return, by chain id, whether an operator of the chain or of a later chain uses the chain's watermarks.

    True for watermarks that arrive at the input of the chain, and False if all operators ignore them.
    """
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
    """Return whether watermarks before an operator have an effect, given whether they have one after it."""
    return not _stops(operator) and (needed or operator.reads_watermarks)


def _stops(operator: OperatorSpec) -> bool:
    """Return whether the operator does not pass on the row time watermarks of its input."""
    by_clock = isinstance(operator, MiniBatchAssignerSpec) and not operator.row_time
    return by_clock or isinstance(operator, WatermarkAssignerSpec)


def _through(operators: Iterable[OperatorSpec], comes: bool, channel: Channel) -> tuple[bool, Channel]:
    """Return whether watermarks of row time leave a chain of operators, and the settings of their channel.

    Args:
        operators: The operators, in order.
        comes: Whether such watermarks reach the first operator.
        channel: Settings of the channel in which they come.
    """
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
    """Return whether a chain makes watermarks by a user-defined strategy (GeneratedWatermarksSpec).

    This operator passes on the last watermark of its input, the one at the end of the data. So its chain must
    get watermarks even if no chain before it makes any.
    """
    return any(isinstance(operator, GeneratedWatermarksSpec) for operator in chain.operators)


def _is_forwarded(job: JobSpec, chain: ChainSpec) -> bool:
    return any(
        output.to == chain.id and output.partitioning is Partitioning.FORWARD
        for producer in job.chains
        for output in producer.outputs
    )
