"""The graph of a job: chains, what they read, and where their rows go."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto

from firesteel.runtime.spec.operators import OperatorSpec
from firesteel.runtime.spec.tables import ScanSpec, SinkSpec, ValuesSpec


@dataclass(frozen=True)
class Input:
    """One input of a chain: a scan, literal rows, or the chain of this id. port: of its first operator.
    source: the place of a scan or of literal rows in the numbering of rows, None for that in the job."""

    of: ScanSpec | ValuesSpec | int
    port: int = 0
    source: int | None = None


class Partitioning(Enum):
    """Which task of its target a row goes to: the one of its key, the only one, every one, or the same."""

    HASH = auto()
    SINGLE = auto()
    BROADCAST = auto()
    FORWARD = auto()


@dataclass(frozen=True)
class Output:
    """Where the rows of a chain go. to: the id of a chain, or `sink_id(n)` for sink n of the job. port: of
    the chain. keys: positions of the key fields, for HASH."""

    to: int
    partitioning: Partitioning = Partitioning.FORWARD
    keys: tuple[int, ...] = ()
    port: int = 0


def sink_id(number: int) -> int:
    """The negative number by which outputs and packets know a sink of the job; of that, the sink's number."""
    return ~number


@dataclass(frozen=True)
class ChainSpec:
    """Operators that run in one task, one behind the other. Its input is one source, or all are chains. A
    chain whose input is forwarded to it runs in the task of the one that forwards."""

    id: int
    inputs: tuple[Input, ...]
    operators: tuple[OperatorSpec, ...]
    outputs: tuple[Output, ...] = ()

    @property
    def source(self) -> ScanSpec | ValuesSpec | None:
        """What it reads, where that is no chain."""
        of = self.inputs[0].of
        return None if isinstance(of, int) else of


@dataclass(frozen=True)
class JobSpec:
    """A job: its chains, each after those that it reads, and the sinks that they feed. sources: how many the
    numbers of rows are divided among, a shared one counted for each use; 0 if none is shared."""

    chains: tuple[ChainSpec, ...]
    sinks: tuple[SinkSpec, ...]
    bounded: bool = True
    sources: int = 0

    @property
    def target(self) -> str | None:
        """The paths of the tables that it writes to, None for a query."""
        if self.sinks[0].connector is None:
            return None
        return ", ".join(dict.fromkeys(sink.table for sink in self.sinks))
