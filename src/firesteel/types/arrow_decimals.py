"""Arrow's DECIMAL columns in another precision and scale."""

from __future__ import annotations

import pyarrow as pa

_WIDEST = 76
"""Digits of Arrow's widest decimals, which hold every DECIMAL at every scale."""


def at_scale(values: pa.Array | pa.ChunkedArray, kind: pa.Decimal128Type) -> pa.Array | pa.ChunkedArray:
    """Return decimals as another type of decimals, the values unchanged.

    Arrow's own cast to a greater scale multiplies 128-bit numbers, and what leaves 128 bits wraps around to
    another number without an error. Here the numbers are multiplied where they have room.

    Args:
        values: A column of decimals, of up to 256 bits.
        kind: The type that is wanted.

    Raises:
        pa.ArrowInvalid: A value has more digits than the type, before or behind the point.
    """
    source = values.type
    if source.scale == kind.scale:
        return values.cast(kind)
    if source.precision - source.scale + kind.scale > _WIDEST:
        raise pa.ArrowInvalid(f"{source} has too many digits to be {kind}")
    return values.cast(pa.decimal256(_WIDEST, kind.scale)).cast(kind)
