"""HASH_CODE: the result of Java's `hashCode` for the value as Flink holds it. Flink: HashCodeCallGen.

It determines the buckets of split DISTINCT aggregates, and so the changes that a query sends.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from firesteel.functions.duckdb.registry import columnar
from firesteel.kernels.column_hashes import fixed_width, offsets_of

U32 = NDArray[np.uint32]
I64 = NDArray[np.int64]

_31 = np.uint32(31)


@columnar
def hash_code(values: pa.Array | pa.ChunkedArray) -> pa.Array:
    """Return the hash of each value as int32, NULL for NULL. Integers wrap as in Java."""
    array = values.combine_chunks() if isinstance(values, pa.ChunkedArray) else values
    hashes = pa.array(_hashes(array).view(np.int32))
    return pc.if_else(array.is_valid(), hashes, pa.scalar(None, pa.int32()))


def _hashes(array: pa.Array) -> U32:
    """Return one hash for each row. The hash of NULL is arbitrary."""
    kind = array.type
    if pa.types.is_string(kind):
        return _of_strings(array)
    if pa.types.is_decimal(kind):
        return _of_decimals(array)
    if pa.types.is_boolean(kind):
        return np.where(array.fill_null(False).to_numpy(zero_copy_only=False), 1231, 1237).astype(np.uint32)
    for is_kind, of in _BY_TYPE:
        if is_kind(kind):
            return of(fixed_width(array, np.dtype(f"i{kind.bit_width // 8}")), kind)
    raise TypeError(f"no hash of {kind}")


def _of_integers(values: NDArray[np.generic], kind: pa.DataType) -> U32:
    return values.astype(np.uint32) if kind.bit_width < 64 else _of_longs(values.astype(np.int64))


def _of_longs(values: I64) -> U32:
    return (values ^ (values >> np.int64(32))).astype(np.uint32)


def _of_floats(bits: NDArray[np.generic], kind: pa.DataType) -> U32:
    """Return the hashes of floating point numbers, computed from their bits. All NaN have one hash."""
    numbers = bits.view(f"f{kind.bit_width // 8}").copy()
    numbers[np.isnan(numbers)] = np.nan
    return _of_integers(numbers.view(bits.dtype), kind)


def _of_timestamps(values: NDArray[np.generic], kind: pa.DataType) -> U32:
    """Hash timestamps: the milliseconds, and the nanoseconds within a millisecond."""
    unit = 1_000 if kind.unit == "us" else 1_000_000
    milliseconds, rest = np.divmod(values.astype(np.int64), unit)
    return _31 * _of_longs(milliseconds) + (rest * (1_000_000 // unit)).astype(np.uint32)


def _of_times(values: NDArray[np.generic], kind: pa.DataType) -> U32:
    """Hash a TIME as Flink stores it, in milliseconds of the day."""
    return (values.astype(np.int64) // 1_000).astype(np.uint32)


def _of_decimals(array: pa.Array) -> U32:
    """Hash decimals: the magnitude of the unscaled value, 32 bits at a time, its sign and its scale."""
    words = fixed_width(array, np.dtype((np.uint64, (2,))))
    low, high = words[:, 0].astype(np.uint64), words[:, 1].astype(np.uint64)
    negative = high >> np.uint64(63) == 1
    flipped = ~low + np.uint64(1)
    high = np.where(negative, ~high + (flipped == 0).astype(np.uint64), high)
    low = np.where(negative, flipped, low)
    found = np.zeros(len(low), np.uint32)
    for part in (high >> np.uint64(32), high, low >> np.uint64(32), low):
        found = _31 * found + part.astype(np.uint32)
    found = np.where(negative, -found, found)
    return _31 * found + np.uint32(array.type.scale)


def _of_strings(array: pa.Array) -> U32:
    """Return the hash of strings, the sum of unit[i] * 31 ** (n - 1 - i) over the n UTF-16 units.

    The result is the absolute value of this sum as a Java int (Flink: SqlFunctionUtils.hashCode).
    """
    offsets = offsets_of(array)
    buffer, first, last = array.buffers()[2], int(offsets[0]), int(offsets[-1])
    data = np.frombuffer(buffer, np.uint8, last - first, first) if last > first else np.zeros(0, np.uint8)
    ends = offsets - first
    units = data.astype(np.uint32)
    if len(data) and int(data.max()) >= 0x80:
        # True for a byte that begins a character. A byte of 0xF0 or above begins a character of two units.
        begun = (data & 0xC0) != 0x80
        before = np.concatenate([[0], np.cumsum(begun.astype(np.int64) + (data >= 0xF0))])
        units = np.frombuffer(data.tobytes().decode().encode("utf-16-le"), "<u2").astype(np.uint32)
        ends = before[ends]
    lengths = np.diff(ends)
    powers = np.full(max(int(lengths.max(initial=0)), 1), _31)
    powers[0] = 1
    powers = np.multiply.accumulate(powers, dtype=np.uint32)
    after = np.repeat(ends[1:], lengths) - 1 - np.arange(len(units))
    sums = np.concatenate([[np.uint32(0)], np.cumsum(units * powers[after], dtype=np.uint32)])
    hashes: U32 = np.abs((sums[ends[1:]] - sums[ends[:-1]]).view(np.int32)).view(np.uint32)
    return hashes


_BY_TYPE: tuple[
    tuple[Callable[[pa.DataType], bool], Callable[[NDArray[np.generic], pa.DataType], U32]], ...
] = (
    (pa.types.is_integer, _of_integers),
    (pa.types.is_date, _of_integers),
    (pa.types.is_floating, _of_floats),
    (pa.types.is_time, _of_times),
    (pa.types.is_timestamp, _of_timestamps),
)
