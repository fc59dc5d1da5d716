"""Functions of arrays. Flink: ArrayContainsFunction and similar classes.

To compare elements, the functions use `key_of`: rows and arrays are compared by their values, and NULL equals
NULL.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cmp_to_key
from typing import Any

from firesteel.errors import JobError
from firesteel.functions.duckdb.registry import nullable

Array = list[Any]


def key_of(value: Any) -> Any:
    """Return a hashable key that is equal for equal values."""
    if isinstance(value, dict):
        return tuple(key_of(v) for v in value.values())
    return tuple(map(key_of, value)) if isinstance(value, (list, tuple)) else value


def _ordered(values: Iterable[Any]) -> Array:
    seen: dict[Any, Any] = {}
    for value in values:
        seen.setdefault(key_of(value), value)
    return list(seen.values())


def element(values: Array) -> Any:
    """Return the only element, or NULL for an empty array. Raise JobError for an array of more elements."""
    if len(values) > 1:
        raise JobError("Array has more than one element.")
    return values[0] if values else None


@nullable
def contains(values: Array | None, wanted: Any) -> bool | None:
    return None if values is None else any(key_of(v) == key_of(wanted) for v in values)


def position(values: Array, wanted: Any) -> int:
    """Return the position of a value in an array, counted from 1, or 0 if it is missing."""
    found = [i for i, v in enumerate(values, start=1) if v is not None and key_of(v) == key_of(wanted)]
    return found[0] if found else 0


@nullable
def remove(values: Array | None, wanted: Any) -> Array | None:
    return None if values is None else [v for v in values if key_of(v) != key_of(wanted)]


@nullable
def append(values: Array | None, value: Any) -> Array | None:
    return None if values is None else [*values, value]


@nullable
def prepend(values: Array | None, value: Any) -> Array | None:
    return None if values is None else [value, *values]


def distinct(values: Array) -> Array:
    return _ordered(values)


def _extreme(choose: Callable[..., Any]) -> Callable[[Array], Any]:
    def run(values: Array) -> Any:
        return choose((v for v in values if v is not None), default=None)

    return run


greatest, least = _extreme(max), _extreme(min)


def _greater(a: Any, b: Any) -> int:
    return 1 if a > b else -1


def _not_greater(a: Any, b: Any) -> int:
    return -_greater(a, b)


def sort(values: Array, ascending: bool = True, nulls_first: bool | None = None) -> Array:
    """Return the sorted array; by default ascending with NULLs first, or descending with NULLs last."""
    nulls = [v for v in values if v is None]
    some: Array = [v for v in values if v is not None]
    # Flink compares by `a > b ? 1 : -1`, which is never 0. So 0.0 and -0.0, which are equal, may change their
    # order. To get the same order as in Flink, sort by this comparison.
    if 0 in some and isinstance(some[0], float):
        found = sorted(some, key=cmp_to_key(_greater if ascending else _not_greater))
    else:
        found = sorted(some, reverse=not ascending)
    first = ascending if nulls_first is None else nulls_first
    return nulls + found if first else found + nulls


def slice_of(values: Array, start: int, end: int | None = None) -> Array:
    """Return the elements from `start` to `end`, both inclusive. Flink: ArraySliceFunction.

    Positions count from 1, negative positions from the end: -1 is the last element. Position 0 is taken for
    position 1. So is a negative `end` that leads to position 0: the end -4 of an array with 3 elements.

    Args:
        values: The array.
        start: Position of the first element.
        end: Position of the last element. None: the end of the array.
    """
    size = len(values)
    first = start + size + 1 if start < 0 else start
    last = size if end is None else end + size + 1 if end < 0 else end
    return values[max(first, 1) - 1 : 1 if last == 0 else max(last, 0)]


def union(left: Array, right: Array) -> Array:
    return _ordered([*left, *right])


def difference(left: Array, right: Array) -> Array:
    gone = set(map(key_of, right))
    return [v for v in _ordered(left) if key_of(v) not in gone]


def intersection(left: Array, right: Array) -> Array:
    kept = set(map(key_of, right))
    return [v for v in _ordered(left) if key_of(v) in kept]


def concat(*arrays: Array) -> Array:
    return [value for values in arrays for value in values]


def join(values: Array, separator: str, null: str | None = None) -> str:
    """Return the texts of an array, joined. NULLs are skipped, unless `null` replaces them."""
    parts = values if null is None else [null if v is None else v for v in values]
    return separator.join(v for v in parts if v is not None)
