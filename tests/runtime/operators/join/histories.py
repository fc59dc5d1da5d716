"""What the tests of joins share: random changes of an input, and what a stream of changes leaves."""

from __future__ import annotations

import random
from typing import Any

from firesteel.functions.duckdb.calc_spec import CalcSpec
from firesteel.types.sql import INT
from tests.runtime.changes import Row

TYPES = (INT, INT, INT)
"""id, k, v"""

LESS = CalcSpec((), (), "f2 < f5")
"""The v of the left input is less than that of the right one."""


def history(chance: random.Random, length: int, unique: bool) -> list[Row]:
    """Changes of one input; with a unique key ids are there once."""
    there: list[tuple[Any, ...]] = []
    found: list[Row] = []
    for number in range(length):
        values = (chance.choice([None, 1, 2, 3]), chance.choice([None, 1, 2, 3, 4]))
        step = chance.choice("IIIUD") if there else "I"
        if step == "I":
            there.append((number if unique else chance.randrange(3), *values))
            found.append(("+I", *there[-1]))
            continue
        at = chance.randrange(len(there))
        found.append(("-U" if step == "U" else "-D", *there[at]))
        if step == "U":
            there[at] = (there[at][0], *values)
            found.append(("+U", *there[at]))
        else:
            del there[at]
    return found
