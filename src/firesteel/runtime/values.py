"""The internal form: how the row handler holds SQL values in Python.

NULL is None. Integers, BOOLEAN, FLOAT, DOUBLE, CHAR, VARCHAR and BINARY are the Python value. DECIMAL is
an int scaled by the type's scale; DATE days, TIME and TIMESTAMP ticks of their Arrow type's unit,
intervals as in Arrow: all ints. ARRAY, MAP and ROW are as `to_pylist` gives them.

The key form is hashable and equal where the bytes are: FLOAT and DOUBLE become the integer that sorts
as Java's compareTo does (so 0.0 and -0.0 differ and all NaN are one), nested values tuples. The rest is
as in the internal form.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from firesteel.runtime.numbers import from_sortable, sortable
from firesteel.types.arrow import to_arrow
from firesteel.types.sql import APPROXIMATE, DATETIME, INTEGERS, INTERVALS, SqlType, TypeRoot

_NESTED = (TypeRoot.ARRAY, TypeRoot.MAP, TypeRoot.MULTISET, TypeRoot.ROW)
_TICKS = {TypeRoot.DATE: pa.int32(), TypeRoot.INTERVAL_YEAR_MONTH: pa.int32()}
_NAN = np.int64(0x7FF8000000000000)
_MAGNITUDE = np.int64(0x7FFFFFFFFFFFFFFF)


def to_list(column: pa.ChunkedArray | pa.Array, kind: SqlType) -> list[Any]:
    """The column's values in internal form."""
    array = one_chunk(column)
    if kind.root is TypeRoot.DECIMAL:
        return _from_decimal(array)
    if kind.root in DATETIME:
        return _numbers(array.view(_TICKS.get(kind.root, pa.int64())))
    if kind.root in INTEGERS or kind.root in INTERVALS or kind.root in APPROXIMATE:
        return _numbers(array)
    values: list[Any] = array.to_pylist()
    return values


def to_keys(column: pa.ChunkedArray | pa.Array, kind: SqlType) -> list[Any]:
    """The column's values in key form."""
    if kind.root in APPROXIMATE:
        return _numbers(sortable_column(one_chunk(column)))
    values = to_list(column, kind)
    return [hashable(value) for value in values] if kind.root in _NESTED else values


def has_key_form(kind: SqlType) -> bool:
    """Whether the key form of a type differs from its internal form."""
    return kind.root in APPROXIMATE or kind.root in _NESTED


def to_key(value: Any, kind: SqlType) -> Any:
    """The key form of a value in internal form."""
    if kind.root in APPROXIMATE and value is not None:
        return sortable(value)
    return hashable(value) if kind.root in _NESTED else value


def from_key(key: Any, kind: SqlType) -> Any:
    """The internal form of a value in key form."""
    if kind.root in APPROXIMATE and key is not None:
        return from_sortable(key)
    return _unhashable(key, kind)


def from_list(values: Sequence[Any], kind: SqlType) -> pa.Array:
    """The Arrow column of values in internal form."""
    target = to_arrow(kind)
    if kind.root is TypeRoot.DECIMAL:
        return _to_decimal(values, target)
    if kind.root in DATETIME:
        return pa.array(values, _TICKS.get(kind.root, pa.int64())).view(target)
    return pa.array(values, target)


def sortable_column(array: pa.Array) -> pa.Array:
    """FLOAT or DOUBLE as int64 in the order of Java's Double.compareTo."""
    numbers = array.cast(pa.float64()).fill_null(0.0).to_numpy(zero_copy_only=False)
    bits = np.where(np.isnan(numbers), _NAN, numbers.view(np.int64))
    keys = np.where(bits < 0, bits ^ _MAGNITUDE, bits)
    return pa.array(keys, mask=_mask(array))


def one_chunk(column: pa.ChunkedArray | pa.Array) -> pa.Array:
    """The column as one array."""
    if isinstance(column, pa.ChunkedArray):
        return column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()
    return column


def hashable(value: Any) -> Any:
    """A nested value as tuples; floats in sortable form, behind their type as 1 and 1.0 are equal."""
    if isinstance(value, float):
        return ("float", sortable(value))
    if isinstance(value, dict):
        return tuple((name, hashable(each)) for name, each in value.items())
    if isinstance(value, (list, tuple)):
        return tuple(hashable(each) for each in value)
    return value


def _unhashable(key: Any, kind: SqlType) -> Any:
    if kind.root not in _NESTED or key is None:
        return key
    if kind.root is TypeRoot.ROW:
        return {name: _element(each, child) for (name, each), child in zip(key, kind.children, strict=True)}
    if kind.root is TypeRoot.ARRAY:
        return [_element(each, kind.children[0]) for each in key]
    second = kind.children[1] if kind.root is TypeRoot.MAP else None
    return [(_element(k, kind.children[0]), _element(v, second) if second else v) for k, v in key]


def _element(key: Any, kind: SqlType) -> Any:
    if kind.root in APPROXIMATE and key is not None:
        return from_sortable(key[1])
    return _unhashable(key, kind)


def _mask(array: pa.Array) -> NDArray[np.bool_] | None:
    if not array.null_count:
        return None
    mask: NDArray[np.bool_] = array.is_null().to_numpy(zero_copy_only=False)
    return mask


def _numbers(array: pa.Array) -> list[Any]:
    mask = _mask(array)
    if mask is None:
        plain: list[Any] = array.to_numpy(zero_copy_only=False).tolist()
        return plain
    values = array.fill_null(0).to_numpy(zero_copy_only=False).astype(object)
    values[mask] = None
    result: list[Any] = values.tolist()
    return result


def _from_decimal(array: pa.Array) -> list[Any]:
    """Scaled ints out of Arrow's 128-bit words."""
    words = np.frombuffer(array.buffers()[1], np.int64)[2 * array.offset :][: 2 * len(array)]
    low, high = words[0::2], words[1::2]
    values: list[Any]
    mask = _mask(array)
    if np.array_equal(high if mask is None else high[~mask], (low if mask is None else low[~mask]) >> 63):
        values = low.tolist()
    else:
        unsigned = low.view(np.uint64)
        values = [(h << 64) | w for h, w in zip(high.tolist(), unsigned.tolist(), strict=True)]
    if mask is not None:
        for row in np.flatnonzero(mask).tolist():
            values[row] = None
    return values


def _to_decimal(values: Sequence[Any], target: pa.DataType) -> pa.Array:
    """Arrow's 128-bit words out of scaled ints."""
    missing = [value is None for value in values]
    if any(missing):
        values = [0 if value is None else value for value in values]
    try:
        low = np.array(values, dtype=np.int64)
        words = np.empty(2 * len(values), np.int64)
        words[0::2], words[1::2] = low, low >> 63
        data = pa.py_buffer(words)
    except OverflowError:
        data = pa.py_buffer(b"".join(value.to_bytes(16, "little", signed=True) for value in values))
    nulls = None
    if any(missing):
        nulls = pa.py_buffer(np.packbits(~np.array(missing), bitorder="little"))
    return pa.Array.from_buffers(target, len(values), [nulls, data])
