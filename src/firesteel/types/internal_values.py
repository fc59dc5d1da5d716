"""Internal form and key form: SQL values as Python objects for row-wise code.

In the internal form, NULL is None. Integers, BOOLEAN, FLOAT, DOUBLE, CHAR, VARCHAR and BINARY are plain
Python values. The following types are ints: DECIMAL, multiplied by 10**scale; DATE in days; TIME and
TIMESTAMP in the unit of their Arrow type; intervals as in Arrow. ARRAY is a list, MAP and MULTISET a list
of pairs, ROW a tuple, with nested values in internal form. RAW, used only for accumulators, is a Python
object. A column holds its pickle. Accumulators of user-defined functions may be objects of any class, those
of other functions only plain data (types/plain_pickle.py).

The key form is hashable, so that values can be keys of a dict. Two values of a type have equal key forms if
Flink stores them as equal bytes. FLOAT and DOUBLE become integers in the order of Java's compareTo, so 0.0
and -0.0 differ and all NaN are equal. Nested values are tuples of key forms. Other types are as in the
internal form.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from firesteel.types import plain_pickle
from firesteel.types.arrow import to_arrow
from firesteel.types.numbers import from_sortable, sortable
from firesteel.types.sql import APPROXIMATE, DATETIME, INT, INTEGERS, INTERVALS, SqlType, TypeRoot

OF_USER = "user"
"""Class name of a RAW type whose values are objects of user-defined functions. They may be of any class."""
_MAPS = (TypeRoot.MAP, TypeRoot.MULTISET)
_NESTED = (TypeRoot.ARRAY, *_MAPS, TypeRoot.ROW)
_TICKS = {TypeRoot.DATE: pa.int32(), TypeRoot.INTERVAL_YEAR_MONTH: pa.int32()}
_NAN = np.int64(0x7FF8000000000000)
_MAGNITUDE = np.int64(0x7FFFFFFFFFFFFFFF)


def to_list(column: pa.ChunkedArray | pa.Array, kind: SqlType) -> list[Any]:
    """Return the values of a column in internal form."""
    array = one_chunk(column)
    if kind.root is TypeRoot.DECIMAL:
        return _from_decimal(array)
    if kind.root in DATETIME:
        return _numbers(array.view(_TICKS.get(kind.root, pa.int64())))
    if kind.root in INTEGERS or kind.root in INTERVALS or kind.root in APPROXIMATE:
        return _numbers(array)
    if kind.root is TypeRoot.ROW:
        return _rows(array, kind)
    if kind.root is TypeRoot.ARRAY:
        return _slices(array, to_list(array.values, kind.children[0]))
    if kind.root in _MAPS:
        keys, items = (to_list(array.values.field(i), k) for i, k in enumerate(_entry(kind)))
        return _slices(array, list(zip(keys, items, strict=True)))
    values: list[Any] = array.to_pylist()
    if kind.root is TypeRoot.RAW:
        loads = pickle.loads if kind.class_name == OF_USER else plain_pickle.loads
        return [None if value is None else loads(value) for value in values]
    return values


def to_keys(column: pa.ChunkedArray | pa.Array, kind: SqlType) -> list[Any]:
    """Return the values of a column in key form."""
    if kind.root in APPROXIMATE:
        return _numbers(sortable_column(one_chunk(column)))
    values = to_list(column, kind)
    return list(map(_to_key(kind), values)) if kind.root in _NESTED else values


def has_key_form(kind: SqlType) -> bool:
    """Return whether the key form of a type differs from its internal form."""
    return kind.root in APPROXIMATE or kind.root in _NESTED


def to_key(value: Any, kind: SqlType) -> Any:
    """Convert a value from internal form to key form."""
    return _to_key(kind)(value)


def from_key(key: Any, kind: SqlType) -> Any:
    """Convert a value from key form to internal form."""
    return value_of_key(kind)(key)


def from_list(values: Sequence[Any], kind: SqlType) -> pa.Array:
    """Return the Arrow column of values in internal form."""
    target = to_arrow(kind)
    if kind.root is TypeRoot.DECIMAL:
        return _to_decimal(values, target)
    if kind.root in DATETIME:
        return pa.array(values, _TICKS.get(kind.root, pa.int64())).view(target)
    if kind.root is TypeRoot.ROW and kind.children:
        return _to_rows(values, kind, target)
    if kind.root is TypeRoot.ARRAY:
        inner = from_list([each for value in values if value for each in value], kind.children[0])
        return pa.ListArray.from_arrays(_offsets(values), inner, type=target)
    if kind.root in _MAPS:
        pairs = [pair for value in values if value for pair in value]
        keys, items = (from_list([pair[i] for pair in pairs], k) for i, k in enumerate(_entry(kind)))
        entries = pa.StructArray.from_arrays([keys, items], fields=list(target.value_type))
        return pa.ListArray.from_arrays(_offsets(values), entries, type=target)
    if kind.root is TypeRoot.RAW:
        dumps = pickle.dumps if kind.class_name == OF_USER else plain_pickle.dumps
        values = [None if value is None else dumps(value) for value in values]
    return pa.array(values, target)


def sortable_column(array: pa.Array) -> pa.Array:
    """Return a FLOAT or DOUBLE column as int64 in the order of Java's Double.compareTo."""
    numbers = array.cast(pa.float64()).fill_null(0.0).to_numpy(zero_copy_only=False)
    bits = np.where(np.isnan(numbers), _NAN, numbers.view(np.int64))
    keys = np.where(bits < 0, bits ^ _MAGNITUDE, bits)
    return pa.array(keys, mask=_mask(array))


def one_chunk(column: pa.ChunkedArray | pa.Array) -> pa.Array:
    """Return the column as a single array."""
    if isinstance(column, pa.ChunkedArray):
        return column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()
    return column


@lru_cache(maxsize=256)
def _to_key(kind: SqlType) -> Callable[[Any], Any]:
    """Return a function from internal form to key form of this type."""
    if kind.root in APPROXIMATE:
        return lambda value: None if value is None else sortable(value)
    if kind.root is TypeRoot.ARRAY:
        element = _to_key(kind.children[0])
        return lambda value: None if value is None else tuple(map(element, value))
    if kind.root is TypeRoot.ROW:
        fields = tuple(map(_to_key, kind.children))
        return lambda value: (
            None if value is None else tuple(f(v) for f, v in zip(fields, value, strict=True))
        )
    if kind.root in _MAPS:
        key, item = map(_to_key, _entry(kind))
        return lambda value: None if value is None else tuple((key(k), item(v)) for k, v in value)
    return lambda value: value


@lru_cache(maxsize=256)
def value_of_key(kind: SqlType) -> Callable[[Any], Any]:
    """Return a function from key form to internal form of this type."""
    if kind.root in APPROXIMATE:
        return lambda key: None if key is None else from_sortable(key)
    if kind.root is TypeRoot.ARRAY:
        element = value_of_key(kind.children[0])
        return lambda key: None if key is None else list(map(element, key))
    if kind.root is TypeRoot.ROW:
        fields = tuple(map(value_of_key, kind.children))
        return lambda key: None if key is None else tuple(f(v) for f, v in zip(fields, key, strict=True))
    if kind.root in _MAPS:
        name, item = map(value_of_key, _entry(kind))
        return lambda key: None if key is None else [(name(k), item(v)) for k, v in key]
    return lambda key: key


def _entry(kind: SqlType) -> tuple[SqlType, SqlType]:
    """Return the key and value types of a MAP, or element and count types of a MULTISET."""
    return kind.children[0], kind.children[1] if kind.root is TypeRoot.MAP else INT


def _slices(array: pa.Array, values: list[Any]) -> list[Any]:
    """Split the flat `values` into one list for each list of the array, None for NULL."""
    offsets, valid = array.offsets.to_pylist(), array.is_valid().to_pylist()
    return [values[offsets[i] : offsets[i + 1]] if ok else None for i, ok in enumerate(valid)]


def _rows(array: pa.Array, kind: SqlType) -> list[Any]:
    columns = [to_list(array.field(i), child) for i, child in enumerate(kind.children)]
    rows: Sequence[Any] = list(zip(*columns, strict=True)) if columns else [()] * len(array)
    return [row if ok else None for row, ok in zip(rows, array.is_valid().to_pylist(), strict=True)]


def _to_rows(values: Sequence[Any], kind: SqlType, target: pa.DataType) -> pa.Array:
    missing = [value is None for value in values]
    columns = [
        from_list([None if value is None else value[i] for value in values], child)
        for i, child in enumerate(kind.children)
    ]
    fields = [target.field(i) for i in range(target.num_fields)]
    return pa.StructArray.from_arrays(columns, fields=fields, mask=pa.array(missing, pa.bool_()))


def _offsets(values: Sequence[Any]) -> pa.Array:
    """Return the offsets of an Arrow list column: where each list starts in the concatenation of all lists.

    The offset of a list that is None is NULL. The last offset is the length of the concatenation.

        [[a, b], None, [c]]  ->  [0, NULL, 2, 3]
    """
    offsets: list[int | None] = []
    end = 0
    for value in values:
        offsets.append(None if value is None else end)
        end += len(value or ())
    return pa.array([*offsets, end], pa.int32())


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
    """Return scaled ints from Arrow's 128-bit words."""
    if not len(array):
        return []  # the buffer of an empty array may be shorter than one decimal
    words = np.frombuffer(array.buffers()[1], np.int64, 2 * len(array), 16 * array.offset)
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
    """Return an Arrow column of 128-bit words from scaled ints."""
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
