"""Counts of the probes of this process."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field


@dataclass
class Counts:
    """Counts of the rows that passed the probes of one run of a query.

    Attributes:
        kinds: Number of rows by (number of the probe, byte of the row kind).
        branches: Number of rows by (number of the probe, number of the decision, number of the branch). A
            decision is a WHERE, CASE, IF or join condition of the query (`ProbeSpec.branches`).
    """

    kinds: Counter[tuple[int, int]] = field(default_factory=Counter)
    branches: Counter[tuple[int, int, int]] = field(default_factory=Counter)


_RUNS: dict[str, Counts] = {}


def counts_of(run: str) -> Counts:
    """Return the counts of a run, given by its id. The probes of the run add to them."""
    return _RUNS.setdefault(run, Counts())


def taken_counts(run: str) -> Counts:
    """Remove and return the counts of a run that has ended, given by its id."""
    return _RUNS.pop(run, Counts())
