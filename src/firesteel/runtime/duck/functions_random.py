"""Random numbers."""

from __future__ import annotations

import random

from firesteel.runtime.duck.registry import volatile

_by_seed: dict[int, random.Random] = {}


def _seeded(seed: int) -> random.Random:
    return _by_seed.setdefault(seed, random.Random(seed))


@volatile
def seeded(seed: int) -> float:
    return _seeded(seed).random()


@volatile
def below(bound: int) -> int:
    return random.randrange(bound)


@volatile
def seeded_below(seed: int, bound: int) -> int:
    return _seeded(seed).randrange(bound)
