"""BITMAP_BUILD_AGG, BITMAP_AND_AGG, BITMAP_OR_AGG, BITMAP_XOR_AGG, and their variants with CARDINALITY.

Flink: AbstractBitmap*AggFunction and AbstractBitmap*WithRetractAggFunction. If rows may be retracted, the
functions count the occurrences of each integer. XOR does not need this: it keeps one bitmap, and adding the
bitmap of a row a second time removes it.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from firesteel.runtime.aggregate.functions.declaration import (
    AccumulatorField,
    Aggregate,
    HandWritten,
    MapView,
)
from firesteel.runtime.aggregate.functions.statements import statements
from firesteel.runtime.spec.operators import AggregateSpec
from firesteel.types.sql import BIGINT, SqlType, TypeRoot

if TYPE_CHECKING:
    from pyroaring import BitMap

_OBJECT = SqlType(TypeRoot.RAW)
_UNSIGNED = 1 << 32
_BITMAP = AccumulatorField("bitmap", _OBJECT, None)
_BITMAPS = AccumulatorField("bitmaps", BIGINT, 0)
_COUNTS = MapView("counts", BIGINT, BIGINT, whole=True)


def _count(counts: Any, bitmaps: int, numbers: Callable[[Any], Iterable[int]], x: Any, change: int) -> int:
    bitmaps += change
    for number in numbers(x):
        count = counts.get(number, 0) + change
        if count:
            counts[number] = count
        else:
            counts.pop(number, None)
    return bitmaps


def _merge_counts(counts: Any, other_counts: Any, bitmaps: int, other_bitmaps: int) -> int:
    bitmaps += other_bitmaps
    for number, other in other_counts.items():
        count = counts.get(number, 0) + other
        if count:
            counts[number] = count
        else:
            counts.pop(number, None)
    return bitmaps


def bitmap_build(call: AggregateSpec) -> Aggregate:
    """Return the aggregate that builds the bitmap of the integers in the rows, NULL for no rows."""
    if call.retract:
        return _counted(call, "{result}({counts}.items(), 1)", _integer, present_only=True)
    return _changed(call, "build", _add, operator.or_, empty_is_null=True)


def bitmap_and(call: AggregateSpec) -> Aggregate:
    """Return the aggregate that keeps the integers that are in every bitmap."""
    if call.retract:
        return _counted(call, "{result}({counts}.items(), {bitmaps})", _integers, everywhere=True)
    return _changed(call, "and", _combine(operator.iand), operator.and_)


def bitmap_or(call: AggregateSpec) -> Aggregate:
    """Return the aggregate that keeps the integers that are in any bitmap."""
    if call.retract:
        return _counted(call, "{result}({counts}.items(), {bitmaps})", _integers)
    return _changed(call, "or", _combine(operator.ior), operator.or_)


def bitmap_xor(call: AggregateSpec) -> Aggregate:
    """Return the aggregate that keeps the integers in an odd number of bitmaps.

    A retraction adds the bitmap once more.
    """
    if not call.retract:
        return _changed(call, "xor", _combine(operator.ixor), operator.xor)
    change = "{bitmap} = {changed}({bitmap}, {x})\n{bitmaps} $sign= 1\n"
    merge = "{bitmap} = {merged}({bitmap}, {other_bitmap})\n{bitmaps} += {other_bitmaps}\n"
    return HandWritten(
        state_id="bitmap-xor-retract.v1",
        fields=(_BITMAP, _BITMAPS),
        views=(),
        accumulate=change.replace("$sign", "+"),
        retract=change.replace("$sign", "-"),
        merge=merge,
        value="({result}({bitmap}) if {bitmaps} > 0 else None)",
        functions=(
            ("changed", _combine(operator.ixor)),
            ("merged", _merged(operator.xor)),
            ("result", _result(call.type.root is TypeRoot.BITMAP, False)),
        ),
    )


def _changed(
    call: AggregateSpec,
    name: str,
    change: Callable[[Any, Any], Any],
    merge: Callable[[Any, Any], Any],
    empty_is_null: bool = False,
) -> HandWritten:
    """Return an aggregate over insert-only input whose accumulator is one bitmap that each row changes.

    Args:
        call: The call.
        name: Part of the name of the stored layout.
        change: Function of the bitmap and a row's argument, which returns the new bitmap.
        merge: Function of two bitmaps, which returns the merged one.
        empty_is_null: Whether an empty bitmap gives NULL.
    """
    return HandWritten(
        state_id=f"bitmap-{name}.v1",
        fields=(_BITMAP,),
        views=(),
        accumulate="{bitmap} = {changed}({bitmap}, {x})",
        retract=None,
        merge="{bitmap} = {merged}({bitmap}, {other_bitmap})",
        value="{result}({bitmap})",
        functions=(
            ("changed", change),
            ("merged", _merged(merge)),
            ("result", _result(call.type.root is TypeRoot.BITMAP, empty_is_null)),
        ),
    )


def _counted(
    call: AggregateSpec,
    value: str,
    numbers: Callable[[Any], Iterable[int]],
    everywhere: bool = False,
    present_only: bool = False,
) -> HandWritten:
    """Return an aggregate that counts in how many rows each integer occurs. It supports retractions.

    The field `bitmaps` has the number of rows.

    Args:
        call: The call.
        value: Expression of the result.
        numbers: Function that returns the integers of a row's argument.
        everywhere: Whether the result has only the integers that occur in all rows (BITMAP_AND_AGG).
        present_only: Whether the result is NULL if no integer is left.
    """
    return HandWritten(
        state_id="bitmap-counts.v1",
        fields=(_BITMAPS,),
        views=(_COUNTS,),
        accumulate=statements(_count, change="1"),
        retract=statements(_count, change="-1"),
        merge=statements(_merge_counts),
        value=value,
        functions=(
            ("numbers", numbers),
            ("result", _counts_result(call.type.root is TypeRoot.BITMAP, everywhere, present_only)),
        ),
    )


def _integer(value: int) -> tuple[int]:
    return (value % _UNSIGNED,)


def _integers(data: bytes) -> Iterable[int]:
    return _read(data)


def _read(data: bytes) -> BitMap:
    from pyroaring import BitMap

    return BitMap.deserialize(data)


def _add(bitmap: BitMap | None, value: int) -> BitMap:
    from pyroaring import BitMap

    if bitmap is None:
        bitmap = BitMap()
    bitmap.add(value % _UNSIGNED)
    return bitmap


@lru_cache(maxsize=8)
def _combine(change: Callable[[Any, Any], Any]) -> Callable[[Any, bytes], Any]:
    """Return a function of a bitmap and a serialized one, which returns `change` of both.

    If the first one is None, as no row has come yet, the function returns the second one.
    """

    def combine(bitmap: BitMap | None, data: bytes) -> Any:
        return _read(data) if bitmap is None else change(bitmap, _read(data))

    return combine


@lru_cache(maxsize=8)
def _merged(merge: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    def merged(bitmap: BitMap | None, other: BitMap | None) -> Any:
        if bitmap is None or other is None:
            return other if bitmap is None else bitmap
        return merge(bitmap, other)

    return merged


@lru_cache(maxsize=8)
def _result(as_bitmap: bool, empty_is_null: bool) -> Callable[[Any], Any]:
    """Return a function from a bitmap to its SQL value or, without `as_bitmap`, its number of integers."""

    def result(bitmap: BitMap | None) -> bytes | int | None:
        if bitmap is None or (empty_is_null and not bitmap):
            return None
        return bitmap.serialize() if as_bitmap else len(bitmap)

    return result


@lru_cache(maxsize=8)
def _counts_result(as_bitmap: bool, everywhere: bool, present_only: bool) -> Callable[..., Any]:
    """Return a function of (integer, count) pairs and the number of rows, which returns the SQL result.

    The result has the integers with a count above 0 or, with `everywhere`, with a count equal to the number
    of rows. With `present_only`, it is NULL if there are none. Without `as_bitmap`, it is their number.
    """

    def result(counts: Iterable[tuple[int, int]], bitmaps: int) -> bytes | int | None:
        if bitmaps <= 0:
            return None
        there = [number for number, n in counts if (n == bitmaps if everywhere else n > 0)]
        if present_only and not there:
            return None
        if not as_bitmap:
            return len(there)
        from pyroaring import BitMap

        return BitMap(there, optimize=False).serialize()

    return result
