"""Casts between Arrow decimal types."""

from __future__ import annotations

import pyarrow as pa

_WIDEST = 76
"""Digits of Arrow's widest decimals, which hold every DECIMAL at every scale."""


def at_scale(values: pa.Array | pa.ChunkedArray, kind: pa.Decimal128Type) -> pa.Array | pa.ChunkedArray:
    """Return decimals in another decimal type, with unchanged values.

    Arrow's own cast to a larger scale multiplies 128-bit numbers and wraps around on overflow, without an
    error. This function multiplies 256-bit numbers.

    Args:
        values: Column of decimals, of up to 256 bits.
        kind: Target type.

    Raises:
        pa.ArrowInvalid: A value has more digits than the type, before or after the point.
    """
    source = values.type
    if source.scale == kind.scale:
        return values.cast(kind)
    if source.precision - source.scale + kind.scale > _WIDEST:
        raise pa.ArrowInvalid(f"{source} has too many digits to be {kind}")
    return values.cast(pa.decimal256(_WIDEST, kind.scale)).cast(kind)
