"""Topology of a job: fragments (chains of one task) and stages (fragments equally far from the sources)."""

from __future__ import annotations

from dataclasses import dataclass

from firesteel.job.spec import ChainSpec, JobSpec, Partitioning
from firesteel.runtime.dataflow.sequence import split_numbers
from firesteel.runtime.spec.tables import ScanSpec, SinkSpec, ValuesSpec


@dataclass(frozen=True)
class Fragment:
    """The chains of one task.

    Attributes:
        chains: The chains. The first one reads a source or packets; the others get forwarded rows.
        sinks: All sinks of the job, also those to which no chain of this fragment sends.
    """

    chains: tuple[ChainSpec, ...]
    sinks: tuple[SinkSpec, ...]

    @property
    def head(self) -> ChainSpec:
        return self.chains[0]

    def chain(self, number: int) -> ChainSpec:
        return next(chain for chain in self.chains if chain.id == number)


def stages(job: JobSpec) -> list[list[Fragment]]:
    """Return the stages of a job, each a list of fragments.

    A fragment's stage is the number of exchanges on the longest way from a source to it. So stage 0 reads the
    sources, and a fragment sends only to later stages and to sinks.
    """
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
    """Return, for each chain, the chains that send rows to it and how these rows are partitioned."""
    found: dict[int, list[tuple[int, Partitioning]]] = {chain.id: [] for chain in job.chains}
    for chain in job.chains:
        for output in chain.outputs:
            if output.to >= 0:
                found[output.to].append((chain.id, output.partitioning))
    return found


def source_numbers(job: JobSpec) -> dict[int, range]:
    """Return, for each chain that reads a source, the range of numbers for the splits of this source.

    The key is the id of the chain. In each micro-batch, every split has a number from the range of its
    source. All ranges have the same size. The sequence of a row begins with the number of its split, so rows
    of an earlier source come first.
    """
    reading = [chain for chain in job.chains if chain.source is not None]
    of = job.sources or len(reading)
    places = (chain.inputs[0].source for chain in reading)
    return {
        chain.id: split_numbers(number if place is None else place, of)
        for number, (chain, place) in enumerate(zip(reading, places, strict=True))
    }


def exchanges(job: JobSpec) -> int:
    """Return the number of exchanges on the longest path of a job."""
    return len(stages(job)) - 1


def is_keyed(job: JobSpec, stage: list[Fragment]) -> bool:
    """Return whether any fragment of a stage gets its rows by key."""
    ids = {fragment.head.id for fragment in stage}
    return any(
        output.to in ids and output.partitioning is Partitioning.HASH
        for chain in job.chains
        for output in chain.outputs
    )


def tasks(job: JobSpec, chain: int, targets: int) -> int:
    """Return the number of tasks of a chain that gets its rows from other chains.

    Args:
        job: The job.
        chain: Id of the chain.
        targets: Number of tasks of a chain that gets rows by key.
    """
    feeders, keyed = _feeders(job), False
    while before := feeders[chain]:
        producer, how = before[0]
        if how is not Partitioning.FORWARD:
            keyed = any(how is Partitioning.HASH for _, how in before)
            break
        chain = producer
    return targets if keyed else 1


def source_of(job: JobSpec, chain: int) -> ScanSpec | ValuesSpec | None:
    """Return the source from which the rows of a chain come, None if they come through an exchange.

    The chain may read the source itself, or get the rows from chains that forward them in the same task.
    """
    feeders = _feeders(job)
    while before := feeders[chain]:
        producer, how = before[0]
        if how is not Partitioning.FORWARD:
            return None
        chain = producer
    return next(each for each in job.chains if each.id == chain).source
