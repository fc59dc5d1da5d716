"""How much the tests do: a part of what is random, long or killed, or all of it (`make test-all`)."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TypeVar

from hypothesis import settings

FULL = os.environ.get("FIRESTEEL_TESTS") == "full"

# A check of a change answers for the change alone; `make test-all` goes where nothing has been before.
settings.register_profile("the same each time", derandomize=True)
settings.register_profile("new each time", derandomize=False, print_blob=True)
settings.load_profile("new each time" if FULL else "the same each time")

T = TypeVar("T")


def examples(full: int) -> int:
    """How many examples Hypothesis draws where `full` are drawn at full size."""
    return full if FULL else max(4, full // 40)


def part(full: Sequence[T], count: int) -> Sequence[T]:
    """`count` of the cases, evenly spread, with the first and, of several, the last; all at full size."""
    if FULL or len(full) <= count:
        return full
    return [full[i * (len(full) - 1) // max(1, count - 1)] for i in range(count)]
