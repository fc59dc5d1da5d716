"""The changes that go out, in the order of the input rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from firesteel.runtime.running.column import Column, Mask
from firesteel.runtime.running.rows import Rows
from firesteel.runtime.running.segments import Index, shifted

NOTHING, INSERT, UPDATE, DELETE = range(4)
"""What a row did to its key's result (as in handler.py)."""


@dataclass(frozen=True)
class Result:
    """A call's result: after each row, and as stored for each key; array makes numbers a column."""

    after: Column
    known: Column
    array: Callable[[Column], pa.Array]

    def before(self, rows: Rows) -> Column:
        """The result before each row; anything where there was none."""
        keys = rows.life_keys
        values = shifted(self.after.values, rows.life_starts, self.known.values[keys])
        if self.after.null is None and self.known.null is None:
            return Column(values)
        null = shifted(self.after.is_null, rows.life_starts, self.known.is_null[keys])
        return Column(values, null)


def outcomes(rows: Rows, results: list[Result], befores: list[Column]) -> NDArray[np.uint8]:
    """What each row (in key order) did. Equal results give nothing unless there is a time to live."""
    outcome = np.full(len(rows), UPDATE, np.uint8)
    if not rows.spec.ttl:
        same = np.ones(len(rows), np.bool_)
        for result, before in zip(results, befores, strict=True):
            same &= same_results(result.after, before)
        outcome[same] = NOTHING
    outcome[rows.life_starts[~rows.goes_on]] = INSERT
    outcome[rows.ended] = DELETE
    outcome[~rows.clean[rows.keys.sorted_codes]] = NOTHING
    return outcome


def net_outcomes(
    found: Mask, live: Mask, clean: Mask, results: Sequence[tuple[Column, Column]], always: bool
) -> NDArray[np.uint8]:
    """What a bundle did to its keys: (before, after) for each result. always: equal results are sent too."""
    outcome = np.full(len(found), UPDATE, np.uint8)
    if not always:
        same = np.ones(len(found), np.bool_)
        for before, after in results:
            same &= same_results(after, before)
        outcome[same] = NOTHING
    outcome[~found] = INSERT
    outcome[~live] = np.where(found[~live], DELETE, NOTHING)
    outcome[~clean] = NOTHING
    return outcome


def same_results(one: Column, other: Column) -> Mask:
    """NULL equals NULL, NaN nothing."""
    same: Mask = one.values == other.values
    if one.null is None and other.null is None:
        return same
    null1, null2 = one.is_null, other.is_null
    return (same & ~null1 & ~null2) | (null1 & null2)


def emitted(result: Result, before: Column, place: Index, old: Mask) -> pa.Array:
    """The result's values in the rows that go out: `place` in key order, the value before where `old`."""
    index = np.where(old, place + len(before.values), place)
    values = np.concatenate([result.after.values, before.values])[index]
    null = None
    if result.after.null is not None or before.null is not None:
        null = np.concatenate([result.after.is_null, before.is_null])[index]
    return result.array(Column(values, null))
