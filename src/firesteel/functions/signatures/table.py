"""The function table by name."""

from __future__ import annotations

from firesteel.functions.signatures.collection import COLLECTION_FUNCTIONS
from firesteel.functions.signatures.function import Function
from firesteel.functions.signatures.known_names import KNOWN
from firesteel.functions.signatures.number import NUMBER_FUNCTIONS
from firesteel.functions.signatures.string import STRING_FUNCTIONS
from firesteel.functions.signatures.time import TIME_FUNCTIONS
from firesteel.functions.signatures.variant import BITMAP_FUNCTIONS, VARIANT_FUNCTIONS

ROWS: tuple[Function, ...] = (
    *STRING_FUNCTIONS,
    *NUMBER_FUNCTIONS,
    *COLLECTION_FUNCTIONS,
    *TIME_FUNCTIONS,
    *VARIANT_FUNCTIONS,
    *BITMAP_FUNCTIONS,
)


def _by_name() -> dict[str, tuple[Function, ...]]:
    found: dict[str, tuple[Function, ...]] = {}
    for row in ROWS:
        found[row.name] = (*found.get(row.name, ()), row)
    return found


FUNCTIONS = _by_name()
"""Rows of the function table by name, in the order in which they are tried."""

NOT_YET = KNOWN - frozenset(FUNCTIONS)
"""Functions of Flink that Firesteel does not support."""
