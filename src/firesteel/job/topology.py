"""What of a job runs together: the chains of a task, and the tasks that lie equally far from the sources."""

from __future__ import annotations

from dataclasses import dataclass

from firesteel.job.spec import ChainSpec, JobSpec, Partitioning
from firesteel.runtime.dataflow.sequence import split_numbers
from firesteel.runtime.spec.tables import ScanSpec, SinkSpec, ValuesSpec


@dataclass(frozen=True)
class Fragment:
    """The chains of one task: the first reads a source or packets, the others get forwarded rows."""

    chains: tuple[ChainSpec, ...]
    sinks: tuple[SinkSpec, ...]

    @property
    def head(self) -> ChainSpec:
        return self.chains[0]

    def chain(self, number: int) -> ChainSpec:
        return next(chain for chain in self.chains if chain.id == number)


def stages(job: JobSpec) -> list[list[Fragment]]:
    """The job's fragments by the number of exchanges before them: first those that read sources. What a
    fragment sends goes to a later stage or to a sink."""
    heads: dict[int, int] = {}
    depths: dict[int, int] = {}
    members: dict[int, list[ChainSpec]] = {}
    feeders = _feeders(job)
    for chain in job.chains:
        before = feeders[chain.id]
        forwards = [producer for producer, how in before if how is Partitioning.FORWARD]
        if forwards:
            head = heads[forwards[0]]
            depths[chain.id] = depths[head]
        else:
            head = chain.id
            depths[head] = 1 + max((depths[producer] for producer, _ in before), default=-1)
        heads[chain.id] = head
        members.setdefault(head, []).append(chain)
    found: list[list[Fragment]] = [[] for _ in range(1 + max(depths.values()))]
    for head, chains in members.items():
        found[depths[head]].append(Fragment(tuple(chains), job.sinks))
    return found


def _feeders(job: JobSpec) -> dict[int, list[tuple[int, Partitioning]]]:
    """For each chain, the chains that send it rows, and how."""
    found: dict[int, list[tuple[int, Partitioning]]] = {chain.id: [] for chain in job.chains}
    for chain in job.chains:
        for output in chain.outputs:
            if output.to >= 0:
                found[output.to].append((chain.id, output.partitioning))
    return found


def source_numbers(job: JobSpec) -> dict[int, range]:
    """Return for each chain that reads a source the numbers of its splits in a micro-batch.

    The splits of one source are numbered behind those of the sources before it.
    """
    reading = [chain for chain in job.chains if chain.source is not None]
    of = job.sources or len(reading)
    places = (chain.inputs[0].source for chain in reading)
    return {
        chain.id: split_numbers(number if place is None else place, of)
        for number, (chain, place) in enumerate(zip(reading, places, strict=True))
    }


def exchanges(job: JobSpec) -> int:
    """How many exchanges of the job lie behind each other, at most."""
    return len(stages(job)) - 1


def is_keyed(job: JobSpec, stage: list[Fragment]) -> bool:
    """Whether anything that goes to a stage goes by key."""
    ids = {fragment.head.id for fragment in stage}
    return any(
        output.to in ids and output.partitioning is Partitioning.HASH
        for chain in job.chains
        for output in chain.outputs
    )


def tasks(job: JobSpec, chain: int, targets: int) -> int:
    """How many tasks a chain has that gets its rows from others. targets: of one that gets them by key."""
    feeders, keyed = _feeders(job), False
    while before := feeders[chain]:
        producer, how = before[0]
        if how is not Partitioning.FORWARD:
            keyed = any(how is Partitioning.HASH for _, how in before)
            break
        chain = producer
    return targets if keyed else 1


def source_of(job: JobSpec, chain: int) -> ScanSpec | ValuesSpec | None:
    """What a chain reads, or the one that forwards to it; None behind an exchange."""
    feeders = _feeders(job)
    while before := feeders[chain]:
        producer, how = before[0]
        if how is not Partitioning.FORWARD:
            return None
        chain = producer
    return next(each for each in job.chains if each.id == chain).source
