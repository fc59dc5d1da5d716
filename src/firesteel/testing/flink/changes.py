"""Comparison of the changes of both engines, whose cells are texts."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from firesteel.changelog import KIND, SHORT, field
from firesteel.runtime.columns.keys import find_keys
from firesteel.testing.verify.differences import KeyDifference, Shape, differences
from firesteel.types.sql import STRING

_DIGITS = 9
"""Number of leading digits of a floating point number that are compared.

Later digits may depend on the order of additions.
"""
_TINY = 1e-9
"""Limit below which a number counts as 0, since sums of rounded numbers rarely give exactly 0."""
_NUDGE = 1 + 1e-11
"""Factor for numbers before they are rounded.

Without it, 1.23456789499999 and 1.234567895 would be rounded to different numbers, although only the order of
additions makes them differ. With it, both are rounded up.
"""
_NUMBER = re.compile(r"-?\d+\.\d+(?:E-?\d+)?")


@dataclass(frozen=True)
class Comparison:
    """The result of comparing Flink's changes of a query with Firesteel's.

    Attributes:
        rows: Number of rows in Flink's result table.
        changes: Number of Flink's changes.
        count: Number of keys whose rows differ or, if `of_changes`, whose changes differ.
        first: The differences of the first of these keys. `expected` has Flink's rows or changes, `found`
            Firesteel's.
        names: Names of the key columns.
        of_changes: True if the result tables are equal, and the changes of some keys differ.
    """

    rows: int
    changes: int
    count: int
    first: Sequence[KeyDifference]
    names: tuple[str, ...]
    of_changes: bool = False


def compare_changes(
    flink: Sequence[Sequence[str]],
    own: Sequence[Sequence[str]],
    shape: Shape,
    approximate: Sequence[int],
    most: int,
    *,
    each_change: bool,
) -> Comparison:
    """Compare the result tables of both engines. If they are equal, compare the changes of each key.

    Args:
        flink: Flink's changes: the row kind, then the cells.
        own: Firesteel's changes, in the same form.
        shape: The columns, whose types are STRING, and the key by which rows and changes are compared.
        approximate: Positions of columns with floating point numbers, which are rounded before.
        most: Maximum number of keys in `Comparison.first`.
        each_change: Whether to compare the changes of each key, in their order.
    """
    expected = _table(flink, len(shape.names), approximate)
    found = _table(own, len(shape.names), approximate)
    count, first = differences(expected, found, shape, most)
    names = tuple(shape.names[i] for i in shape.key_columns)
    kinds = np.asarray(expected.column(KIND))
    rows = int(np.where((kinds == 0) | (kinds == 2), 1, -1).sum())
    of_changes = not count and each_change
    if of_changes:
        count, first = _sequences(expected, found, shape, most)
    return Comparison(rows, len(flink), count, first, names, of_changes and count > 0)


def text_shape(names: Sequence[str], key: Sequence[int]) -> Shape:
    """Return the Shape of rows whose cells are texts: the names, the key, and type STRING for each column.

    Args:
        names: Names of the columns.
        key: Positions of the key columns; () if there is no key.
    """
    return Shape(tuple(names), (STRING,) * len(names), tuple(key), "UTC")


def _table(changes: Sequence[Sequence[str]], columns: int, approximate: Sequence[int]) -> pa.Table:
    kinds, *cells = zip(*changes, strict=True) if changes else ((),) * (columns + 1)
    texts = [[*map(_rounded, each)] if i in approximate else list(each) for i, each in enumerate(cells)]
    numbers = pa.array([SHORT.index(kind) for kind in kinds], pa.int8())
    return pa.table(
        {KIND: numbers, **{field(i): pa.array(each, pa.string()) for i, each in enumerate(texts)}}
    )


def _rounded(cell: str) -> str:
    return _NUMBER.sub(lambda found: _rounded_number(found[0]), cell)


def _rounded_number(text: str) -> str:
    number = float(text)
    if abs(number) < _TINY:
        return "0"
    return f"{number * _NUDGE:.{_DIGITS}g}" if math.isfinite(number) else text


def _sequences(
    expected: pa.Table, found: pa.Table, shape: Shape, most: int
) -> tuple[int, list[KeyDifference]]:
    """Compare the changes of each key in their order.

    Return the number of keys that differ, and a KeyDifference with all changes for at most `most` of them.
    """
    rows = pa.concat_tables([expected, found]).combine_chunks()
    if not rows.num_rows:
        return 0, []
    keys = find_keys([rows.column(field(i)) for i in shape.key_columns], rows.num_rows)
    changes = find_keys(rows.columns, rows.num_rows).codes
    split = expected.num_rows
    one, other = _by_key(keys.codes[:split]), _by_key(keys.codes[split:])
    wanted, there = changes[:split], changes[split:]
    differ = [
        key
        for key in range(len(keys))
        if not np.array_equal(wanted[one.get(key, _NONE)], there[other.get(key, _NONE)])
    ]
    first = keys.order[keys.starts]
    differ.sort(key=lambda key: int(first[key]))
    shown = []
    for key in differ[:most]:
        cells = rows.slice(int(first[key]), 1).to_pylist()[0]
        named = tuple(cells[field(i)] for i in shape.key_columns)
        sides = (_texts(expected, one.get(key, _NONE)), _texts(found, other.get(key, _NONE)))
        shown.append(KeyDifference(named, *sides))
    return len(differ), shown


_NONE: NDArray[np.int64] = np.zeros(0, np.int64)


def _by_key(keys: NDArray[np.int64]) -> dict[int, NDArray[np.int64]]:
    """Return by key the positions of its changes, ascending.

    `keys` has the number of the key of each change, int64[n].
    """
    if not len(keys):
        return {}
    order = np.argsort(keys, kind="stable")
    starts = np.flatnonzero(np.diff(keys[order], prepend=-1))
    parts = np.split(order, starts[1:])
    return {int(keys[part[0]]): part for part in parts}


def _texts(table: pa.Table, places: NDArray[np.int64]) -> list[str]:
    rows = table.take(pa.array(places, pa.int64()))
    cells = [column.to_pylist() for column in rows.columns]
    return [f"{SHORT[kind]}[{', '.join(values)}]" for kind, *values in zip(*cells, strict=True)]
