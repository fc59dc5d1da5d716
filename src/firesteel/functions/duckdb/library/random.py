"""Functions of random numbers."""

from __future__ import annotations

import random

from firesteel.errors import JobError
from firesteel.functions.duckdb.registry import volatile

_by_seed: dict[int, random.Random] = {}


def _seeded(seed: int) -> random.Random:
    return _by_seed.setdefault(seed, random.Random(seed))


@volatile
def seeded(seed: int) -> float:
    return _seeded(seed).random()


@volatile
def below(bound: int) -> int:
    """Return a random number from 0 up to, but not including, the bound.

    Raises:
        JobError: The bound is not positive.
    """
    return random.randrange(_positive(bound))


@volatile
def seeded_below(seed: int, bound: int) -> int:
    return _seeded(seed).randrange(_positive(bound))


def _positive(bound: int) -> int:
    if bound <= 0:
        raise JobError(f"RAND_INTEGER({bound}): bound must be positive")
    return bound
