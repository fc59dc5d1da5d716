"""Serializable description of a job: the graph of its chains, sent to the workers."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto

from firesteel.runtime.spec.operators import OperatorSpec
from firesteel.runtime.spec.tables import ScanSpec, SinkSpec, ValuesSpec


@dataclass(frozen=True)
class Input:
    """One input of a chain.

    Attributes:
        of: Scan, literal rows, or ID of the chain that is read.
        port: Number of the input of the chain's first operator that gets the rows.
        source: Number of the source (scan or literal rows) in the job, from 0. It determines the range of
            the rows' sequence numbers. None: sources are numbered in the order of the chains. The first
            chain that reads a source then has the source 0, the second such chain the source 1.
    """

    of: ScanSpec | ValuesSpec | int
    port: int = 0
    source: int | None = None


class Partitioning(Enum):
    """Rule by which a chain picks the task of the receiving chain that gets a row.

    Attributes:
        HASH: The task of the row's key.
        SINGLE: The only task.
        BROADCAST: Every task.
        FORWARD: The task in which the row already is.
    """

    HASH = auto()
    SINGLE = auto()
    BROADCAST = auto()
    FORWARD = auto()


@dataclass(frozen=True)
class Output:
    """Destination of the rows of a chain.

    Attributes:
        to: Id of a chain, or `sink_id(n)` for sink n of the job.
        partitioning: Rule that picks the task.
        keys: Positions of the key fields, for HASH.
        port: Number of the input of the receiving chain's first operator.
    """

    to: int
    partitioning: Partitioning = Partitioning.FORWARD
    keys: tuple[int, ...] = ()
    port: int = 0


def sink_id(number: int) -> int:
    """Return the negative number that stands for a sink in outputs and packets.

    The function is its own inverse: for such a number it returns the number of the sink.
    """
    return ~number


@dataclass(frozen=True)
class ChainSpec:
    """Operators that run one after another in one task.

    A chain reads either one source, or other chains. If another chain forwards its rows to this chain, both
    chains run in the same task.

    Attributes:
        id: Number of the chain in the job.
        inputs: Sources or chains that it reads.
        operators: Settings of the operators, in order.
        outputs: Destinations of its rows.
    """

    id: int
    inputs: tuple[Input, ...]
    operators: tuple[OperatorSpec, ...]
    outputs: tuple[Output, ...] = ()

    @property
    def source(self) -> ScanSpec | ValuesSpec | None:
        """Return the source that the chain reads, None if it reads chains."""
        of = self.inputs[0].of
        return None if isinstance(of, int) else of


@dataclass(frozen=True)
class JobSpec:
    """A job: its chains, each after those that it reads, and its sinks.

    Attributes:
        chains: The chains, producers first.
        sinks: The sinks that the chains feed.
        bounded: Whether all inputs end.
        sources: Number of ranges of equal size into which the sequence numbers of rows are divided. Each
            source has one range. If two branches of the plan read a source, and an operator may get the rows
            of both, then the rows of the second branch are renumbered into a range of their own. So no two
            rows have the same number. 0: as many ranges as there are chains that read a source.
    """

    chains: tuple[ChainSpec, ...]
    sinks: tuple[SinkSpec, ...]
    bounded: bool = True
    sources: int = 0

    @property
    def target(self) -> str | None:
        """Return the paths of the tables that the job writes to, with commas between; None for a query.

        A table of dead letters is left out.
        """
        if self.sinks[0].connector is None:
            return None
        named = (sink.table for sink in self.sinks if not sink.takes_dead_letters)
        return ", ".join(dict.fromkeys(named))
