"""Conversion between Arrow columns and the Python values of user-defined functions.

NULL is None. DECIMAL is a Decimal, dates and times are datetime objects, ARRAY is a list, MAP a dict and
ROW a named tuple. PyFlink: the coders of pyflink.fn_execution.
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable, Sequence
from decimal import ROUND_HALF_UP, Decimal
from functools import lru_cache
from typing import Any

import pyarrow as pa

from firesteel.types.arrow import KEY, VALUE, is_entries
from firesteel.types.decimals import EXACT


def values_of(column: pa.Array | pa.ChunkedArray) -> list[Any]:
    """Return the values of a column as Python objects. Timestamps are cut to microseconds."""
    array = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    if pa.types.is_timestamp(array.type) and array.type.unit == "ns":
        array = array.cast(pa.timestamp("us", array.type.tz), safe=False)
    convert = _from_arrow(array.type)
    plain: list[Any] = array.to_pylist()
    return plain if convert is None else [None if value is None else convert(value) for value in plain]


def column_of(values: Sequence[Any], kind: pa.DataType) -> pa.Array:
    """Return Python values as a column.

    Raises:
        TypeError, ValueError, ArithmeticError or pa.ArrowException: A value is not of the type.
    """
    convert = _to_arrow(kind)
    if convert is not None:
        values = [None if value is None else convert(value) for value in values]
    return pa.array(values, kind)


def is_of_type(value: Any, kind: pa.DataType) -> bool:
    """Return whether a Python value can be converted to an Arrow type."""
    try:
        column_of([value], kind)
    except (TypeError, ValueError, ArithmeticError, AttributeError, pa.ArrowException):
        return False
    return True


Convert = Callable[[Any], Any]


@lru_cache(maxsize=256)
def _from_arrow(kind: pa.DataType) -> Convert | None:
    if is_entries(kind):
        key, item = (_from_arrow(each.type) or _same for each in kind.value_type)
        return lambda entries: {
            None if each[KEY] is None else key(each[KEY]): None if each[VALUE] is None else item(each[VALUE])
            for each in entries
        }
    if pa.types.is_list(kind):
        inner = _from_arrow(kind.value_type)
        return None if inner is None else lambda each: [None if v is None else inner(v) for v in each]
    if pa.types.is_struct(kind):
        fields = [kind.field(i) for i in range(kind.num_fields)]
        row = namedtuple("Row", [f.name for f in fields], rename=True)  # type: ignore[misc]
        inners = [_from_arrow(f.type) or _same for f in fields]
        return lambda each: row(
            *(None if v is None else inner(v) for v, inner in zip(each.values(), inners, strict=True))
        )
    return None


@lru_cache(maxsize=256)
def _to_arrow(kind: pa.DataType) -> Convert | None:
    if pa.types.is_decimal(kind):
        return lambda value: _decimal(value, kind.scale)
    if pa.types.is_integer(kind) or pa.types.is_floating(kind):
        return _number
    if is_entries(kind):
        key, item = (_to_arrow(each.type) or _same for each in kind.value_type)
        return lambda pairs: [
            (None if k is None else key(k), None if v is None else item(v)) for k, v in dict(pairs).items()
        ]
    if pa.types.is_list(kind):
        inner = _to_arrow(kind.value_type) or _same
        return lambda each: [None if v is None else inner(v) for v in each]
    if pa.types.is_struct(kind):
        return lambda each: _row(each, kind)
    return None


def _same(value: Any) -> Any:
    return value


def _number(value: Any) -> Any:
    """Return a number unchanged. Raise TypeError for a boolean, which is an int in Python."""
    if isinstance(value, bool):
        raise TypeError("a boolean is no number")
    return value


def _decimal(value: Any, scale: int) -> Decimal:
    if isinstance(value, bool) or not isinstance(value, (int, Decimal)):
        raise TypeError(f"{type(value).__name__} is no DECIMAL")
    return Decimal(value).quantize(Decimal(1).scaleb(-scale), ROUND_HALF_UP, EXACT)


def _row(value: Any, kind: pa.DataType) -> dict[str, Any]:
    """Return the dict that Arrow takes for a ROW, from a dict by name or a sequence by position.

    Raises:
        ValueError: The sequence has another number of values than the ROW has fields.
        KeyError: The dict lacks a field.
    """
    fields = [kind.field(i) for i in range(kind.num_fields)]
    cells = [value[f.name] for f in fields] if isinstance(value, dict) else list(value)
    if len(cells) != len(fields):
        raise ValueError(f"a ROW of {len(fields)} fields, not {len(cells)}")
    converts = [_to_arrow(f.type) or _same for f in fields]
    return {
        f.name: None if cell is None else convert(cell)
        for f, cell, convert in zip(fields, cells, converts, strict=True)
    }
