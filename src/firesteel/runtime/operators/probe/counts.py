"""Counts of the probes of this process."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field


@dataclass
class Counts:
    """Counts of rows that the probes of a run have taken.

    Attributes:
        kinds: Number of rows by (probe, byte of the row kind).
        branches: Number of rows by (probe, decision, branch).
    """

    kinds: Counter[tuple[int, int]] = field(default_factory=Counter)
    branches: Counter[tuple[int, int, int]] = field(default_factory=Counter)


_RUNS: dict[str, Counts] = {}


def counts_of(run: str) -> Counts:
    """Return the counts of a run, to which its probes add."""
    return _RUNS.setdefault(run, Counts())


def taken_counts(run: str) -> Counts:
    """Return the counts of a run that has ended, and forget them."""
    return _RUNS.pop(run, Counts())
