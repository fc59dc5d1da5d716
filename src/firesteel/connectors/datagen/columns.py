"""Columns of generated values.

A value depends only on the row's number, the seed and the field. Date, time and timestamp columns also depend
on the time of creation, which splits and offsets contain like the seed.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import Context, Decimal
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from firesteel.connectors.datagen.options import SEQUENCE_KIND, FieldOptions
from firesteel.types.arrow import to_arrow
from firesteel.types.sql import BYTES_LIKE, CHARACTER, INTEGERS, SqlType, TypeRoot

CHUNK = 1 << 13
"""Number of rows of a chunk. Chunk n has the rows [n * CHUNK, (n + 1) * CHUNK) of the table.

Each chunk has a random generator of its own, so its values are always generated for all its rows. A split
that begins inside a chunk drops the rows before its first row.
"""
_MILLIS_PER_DAY = 86_400_000
_EXACT = Context(prec=400)
"""Decimal context for any DOUBLE: up to 309 digits before the decimal point, and up to 38 after it.

Python's default context has only 28 digits and would raise an error for more.
"""


class Moment:
    """Inputs of the generated values of one chunk.

    Args:
        first: Number of the chunk's first row in the table.
        count: Number of values to generate: the rows of the chunk, or the elements of their arrays or maps.
        random: Random generator.
        now: Time of creation of the rows, in milliseconds since 1970. Timestamps are generated from it.
    """

    def __init__(self, first: int, count: int, random: np.random.Generator, now: int) -> None:
        self.first = first
        self.count = count
        self.random = random
        self.now = now

    def resized(self, count: int) -> Moment:
        """Return these inputs with another `count`, for the elements of all arrays or maps of the chunk."""
        return Moment(self.first, count, self.random, self.now)


def column(kind: SqlType, options: FieldOptions, moment: Moment) -> pa.Array:
    """Return `moment.count` values of one field."""
    if options.kind == SEQUENCE_KIND:
        return _sequence(kind, options, moment)
    values = _random(kind, options, moment)
    if options.null_rate > 0:
        null = moment.random.random(moment.count) < options.null_rate
        values = pc.if_else(pa.array(null), pa.scalar(None, values.type), values)
    return values


def _sequence(kind: SqlType, options: FieldOptions, moment: Moment) -> pa.Array:
    start = options.start + moment.first
    numbers = pa.array(np.arange(start, start + moment.count, dtype=np.int64))
    if kind.root is TypeRoot.DECIMAL:
        return pa.array([Decimal(one) for one in numbers.to_pylist()], to_arrow(kind))
    return numbers.cast(to_arrow(kind), safe=False)


def _random(kind: SqlType, options: FieldOptions, moment: Moment) -> pa.Array:
    root = kind.root
    if root in INTEGERS or root in (TypeRoot.INTERVAL_YEAR_MONTH, TypeRoot.INTERVAL_DAY_TIME):
        dtype = to_arrow(kind).to_pandas_dtype()
        values = moment.random.integers(options.least, options.most, moment.count, dtype, endpoint=True)
        return pa.array(values)
    if root in CHARACTER or root in BYTES_LIKE:
        return _texts(kind, options, moment)
    return _MAKERS[root](kind, options, moment)


def _uniform(options: FieldOptions, moment: Moment) -> Any:
    """Return float64[moment.count] of random numbers from `options.least` to `options.most`.

    A number is least * (1 - share) + most * share, with a random share in [0, 1). The formula
    least + (most - least) * share could overflow, because the difference may exceed the range of DOUBLE.
    """
    share = moment.random.random(moment.count)
    return options.least * (1 - share) + options.most * share


def _floats(kind: SqlType, options: FieldOptions, moment: Moment) -> pa.Array:
    return pa.array(_uniform(options, moment)).cast(to_arrow(kind), safe=False)


def _decimals(kind: SqlType, options: FieldOptions, moment: Moment) -> pa.Array:
    quantum = Decimal(1).scaleb(-(kind.scale or 0), _EXACT)
    most = Decimal(10 ** (kind.precision or 0) - 1).scaleb(-(kind.scale or 0), _EXACT)

    def exact(value: float) -> Decimal:
        """Return the value with the scale of the column's type, DECIMAL(p, s); further digits are cut off.

        The result is limited to the range of this type, because the DOUBLE nearest to the type's greatest or
        least value may lie outside of the range.
        """
        return min(max(Decimal(value).quantize(quantum, "ROUND_DOWN", _EXACT), most.copy_negate()), most)

    return pa.array(map(exact, _uniform(options, moment).tolist()), to_arrow(kind))


def _booleans(kind: SqlType, options: FieldOptions, moment: Moment) -> pa.Array:
    return pa.array(moment.random.integers(0, 2, moment.count, np.int8) == 1)


def _texts(kind: SqlType, options: FieldOptions, moment: Moment) -> pa.Array:
    """Return `moment.count` random values: bytes for binary types, else strings of hexadecimal digits.

    Each value has `options.length` digits or bytes. With `options.variable_length`, the length of each value
    is random, from 1 to `options.length`.
    """
    lengths = np.full(moment.count, options.length, dtype=np.int32)
    if options.variable_length and options.length > 1:
        lengths = moment.random.integers(1, options.length, moment.count, np.int32, endpoint=True)
    offsets = np.zeros(moment.count + 1, dtype=np.int32)
    np.cumsum(lengths, out=offsets[1:])
    total = int(offsets[-1])
    data = moment.random.bytes(total)
    buffers = [None, pa.py_buffer(offsets)]
    if kind.root in BYTES_LIKE:
        return pa.Array.from_buffers(pa.binary(), moment.count, [*buffers, pa.py_buffer(data)])
    digits = np.frombuffer(b"0123456789abcdef", np.uint8)[np.frombuffer(data, np.uint8) & 15]
    return pa.Array.from_buffers(pa.string(), moment.count, [*buffers, pa.py_buffer(digits)])


def _moments(kind: SqlType, options: FieldOptions, moment: Moment) -> pa.Array:
    past = np.zeros(moment.count, dtype=np.int64)
    if options.max_past > 0:
        past = moment.random.integers(0, options.max_past, moment.count, np.int64)
    millis = pa.array(moment.now - past).cast(pa.timestamp("ms"))
    return millis.cast(pa.timestamp(to_arrow(kind).unit)).cast(to_arrow(kind))


def _dates(kind: SqlType, options: FieldOptions, moment: Moment) -> pa.Array:
    return pa.array(np.full(moment.count, moment.now // _MILLIS_PER_DAY, dtype=np.int32)).cast(pa.date32())


def _times(kind: SqlType, options: FieldOptions, moment: Moment) -> pa.Array:
    micros = moment.now % _MILLIS_PER_DAY * 1000
    return pa.array(np.full(moment.count, micros, dtype=np.int64)).cast(pa.time64("us"))


def _arrays(kind: SqlType, options: FieldOptions, moment: Moment) -> pa.Array:
    elements = column(kind.children[0], options.children[0], moment.resized(moment.count * options.length))
    return pa.ListArray.from_arrays(pa.array(_offsets(options, moment)), elements)


def _maps(kind: SqlType, options: FieldOptions, moment: Moment) -> pa.Array:
    """Return `moment.count` random maps or multisets.

    Each is made from `options.length` entries. Of entries with equal keys, only the last one stays, as in
    Java's HashMap, so a map may have fewer entries.
    """
    inner = moment.resized(moment.count * options.length)
    keys = column(kind.children[0], options.children[0], inner).to_pylist()
    if kind.root is TypeRoot.MULTISET:
        values = moment.random.integers(0, 10, inner.count, np.int32, endpoint=True).tolist()
    else:
        values = column(kind.children[1], options.children[1], inner).to_pylist()
    bounds = _offsets(options, moment).tolist()
    rows = [list(dict(zip(keys[a:b], values[a:b], strict=True)).items()) for a, b in pairwise(bounds)]
    return pa.array(rows, to_arrow(kind))


def _offsets(options: FieldOptions, moment: Moment) -> Any:
    return np.arange(moment.count + 1, dtype=np.int32) * options.length


def _rows(kind: SqlType, options: FieldOptions, moment: Moment) -> pa.Array:
    pairs = zip(kind.children, options.children, strict=True)
    return pa.StructArray.from_arrays([column(*pair, moment) for pair in pairs], names=list(kind.names))


_MAKERS: dict[TypeRoot, Callable[[SqlType, FieldOptions, Moment], pa.Array]] = {
    TypeRoot.BOOLEAN: _booleans,
    TypeRoot.FLOAT: _floats,
    TypeRoot.DOUBLE: _floats,
    TypeRoot.DECIMAL: _decimals,
    TypeRoot.TIMESTAMP: _moments,
    TypeRoot.TIMESTAMP_LTZ: _moments,
    TypeRoot.DATE: _dates,
    TypeRoot.TIME: _times,
    TypeRoot.ARRAY: _arrays,
    TypeRoot.MAP: _maps,
    TypeRoot.MULTISET: _maps,
    TypeRoot.ROW: _rows,
}
