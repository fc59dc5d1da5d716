"""Outcomes of rows and bundles: which result changes are sent."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from firesteel.runtime.aggregate.scan.column import Column, Mask
from firesteel.runtime.aggregate.scan.rows import Rows

NOTHING, INSERT, UPDATE, DELETE = range(4)
"""Outcomes: how a row changes its key's result (as in handler.py)."""


@dataclass(frozen=True)
class Result:
    """Results of one call, as numbers.

    Attributes:
        after: Result after each of n rows.
        known: Result of each of g keys before the batch, from its stored accumulator.
        array: Function that converts numbers of this kind to an Arrow array.
    """

    after: Column
    known: Column
    array: Callable[[Column], pa.Array]

    def line(self, rows: Rows) -> Column:
        """Return n + s results: the result after each of n rows, then one more for each of s segments.

        A segment is a range of rows of one key. After a row that leaves the key without records, the next row
        of the key begins a new segment (`Rows`). The entry of a segment is the result of its key before the
        batch. Only the first segment of a key continues from this result. Later segments repeat the entry,
        but it is not used: their first row is always sent as an INSERT. A key without state has an arbitrary
        entry, which is not used either.
        """
        after, known = self.after, self.known.take(rows.segment_keys)
        values = np.concatenate([after.values, known.values.astype(after.values.dtype, copy=False)])
        if after.null is None and known.null is None:
            return Column(values)
        return Column(values, np.concatenate([after.is_null, known.is_null]))


def outcomes(rows: Rows, results: list[Result], lines: list[Column]) -> NDArray[np.uint8]:
    """Return the outcome of each of n rows, in the order of `rows`, which are sorted by key.

    A row that does not change the results sends nothing, unless the state has a time to live.

    Args:
        rows: The rows, divided into s segments of their keys.
        results: Results of each call.
        lines: For each call, n + s results (`Result.line`): those after each row, then the stored ones for
            each segment.
    """
    outcome = np.full(len(rows), UPDATE, np.uint8)
    if not rows.spec.ttl:
        same = np.ones(len(rows), np.bool_)
        for result, line in zip(results, lines, strict=True):
            same &= same_results(result.after, line.take(rows.before))
        outcome[same] = NOTHING
    outcome[rows.segment_starts[~rows.goes_on]] = INSERT
    outcome[rows.ended] = DELETE
    outcome[~rows.clean[rows.keys.sorted_codes]] = NOTHING
    return outcome


def net_outcomes(
    found: Mask, live: Mask, clean: Mask, results: Sequence[tuple[Column, Column]], always: bool
) -> NDArray[np.uint8]:
    """Return the outcome of a bundle for each of g keys.

    Args:
        found: bool[g], whether the key had state before the bundle.
        live: bool[g], whether the key has records after the bundle.
        clean: bool[g]. Keys that are not clean get NOTHING.
        results: For each call, the results of the keys before and after the bundle.
        always: Whether results are sent even if they have not changed.
    """
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
    """Return at which positions two columns of results are equal. NULL equals NULL, NaN equals nothing."""
    same: Mask = one.values == other.values
    if one.null is None and other.null is None:
        return same
    null1, null2 = one.is_null, other.is_null
    return (same & ~null1 & ~null2) | (null1 & null2)
