"""Differences of two sets of rows, by key."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from firesteel.changelog import field as column
from firesteel.runtime.columns.keys import find_keys
from firesteel.testing.verify.rows_left import compared, weights
from firesteel.types.sql import SqlType
from firesteel.types.text import render


@dataclass
class KeyDifference:
    """Difference between the expected and the found rows, or changes, of one key.

    If rows are compared, it lists the rows that are not equally often expected and found. A row that occurs
    more than once is followed by its count, such as `[1, a] 3 times`. If changes are compared in their order,
    it lists all changes of the key, such as `+I[1, a]`.

    Attributes:
        key: Values of the key, as printed.
        expected: Expected rows or changes, as printed.
        found: Found rows or changes, as printed. A row that was removed more often than added is listed, too.
    """

    key: tuple[str, ...]
    expected: list[str] = field(default_factory=list)
    found: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Shape:
    """The columns of both sets of rows.

    Attributes:
        names: Names of the columns.
        types: Types of the columns.
        key: Positions of the key columns; () if there is no key. Then all columns are the key.
        zone: Time zone of the session.
    """

    names: tuple[str, ...]
    types: tuple[SqlType, ...]
    key: tuple[int, ...]
    zone: str

    @property
    def key_columns(self) -> tuple[int, ...]:
        return self.key or tuple(range(len(self.names)))


def differences(
    expected: pa.Table, found: pa.Table, shape: Shape, most: int
) -> tuple[int, list[KeyDifference]]:
    """Return the number of keys whose rows differ, and the first of these keys.

    Args:
        expected: Changes whose merge gives the expected rows.
        found: Changes whose merge gives the rows to check.
        shape: The columns.
        most: Maximum number of keys to return. Keys come in the order of `expected`, then of `found`.
    """
    rows = pa.concat_tables([expected, found]).combine_chunks()
    if not rows.num_rows:
        return 0, []
    keys = find_keys(compared(rows, shape.types), rows.num_rows)
    split = expected.num_rows
    all_weights = weights(rows)
    wanted = _sums(keys.codes[:split], all_weights[:split], len(keys))
    there = _sums(keys.codes[split:], all_weights[split:], len(keys))
    differ = np.flatnonzero(wanted != there)
    if not len(differ):
        return 0, []
    first = keys.order[keys.starts]
    by_row = differ[np.argsort(first[differ], kind="stable")]
    return _by_key(rows.take(pa.array(first[by_row])), wanted[by_row], there[by_row], shape, most)


def _sums(codes: NDArray[np.int64], values: NDArray[np.int64], keys: int) -> NDArray[np.int64]:
    found = np.zeros(keys, np.int64)
    np.add.at(found, codes, values)
    return found


def _by_key(
    rows: pa.Table, wanted: NDArray[np.int64], there: NDArray[np.int64], shape: Shape, most: int
) -> tuple[int, list[KeyDifference]]:
    """Return the number of keys whose rows differ, and the differences of the first `most` of these keys.

    Args:
        rows: The n distinct rows that are not equally often expected and found.
        wanted: How often each row is expected, int64[n].
        there: How often each row is found, int64[n].
        shape: The columns.
        most: Maximum number of keys to return, in the order of `rows`.
    """
    groups = find_keys([rows.column(column(i)) for i in shape.key_columns], rows.num_rows)
    order = np.argsort(groups.order[groups.starts], kind="stable")[:most]
    found = []
    for group in order.tolist():
        start = int(groups.starts[group])
        places = groups.order[start : start + int(groups.counts[group])]
        cells = _cells(rows.take(pa.array(places)), shape)
        difference = KeyDifference(tuple(cells[0][i] for i in shape.key_columns))
        for place, row in zip(places.tolist(), cells, strict=True):
            _note(difference, f"[{', '.join(row)}]", int(wanted[place]), int(there[place]))
        found.append(difference)
    return len(groups), found


def _note(difference: KeyDifference, row: str, wanted: int, there: int) -> None:
    """Add a row to the difference of its key. It is expected `wanted` times and found `there` times."""
    if wanted > 0:
        difference.expected.append(row if wanted == 1 else f"{row} {wanted} times")
    if there > 0:
        difference.found.append(row if there == 1 else f"{row} {there} times")
    if there < 0:
        difference.found.append(f"{row} taken away {-there} times more than added")


def _cells(rows: pa.Table, shape: Shape) -> list[tuple[str, ...]]:
    texts = [render(rows.column(column(i)), kind, shape.zone) for i, kind in enumerate(shape.types)]
    return list(zip(*texts, strict=True))
