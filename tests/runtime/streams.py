"""Random change streams in which every retraction takes back an earlier row."""

from __future__ import annotations

import datetime as dt
from decimal import Context, Decimal
from typing import Any

from hypothesis import strategies as st

from firesteel.types.sql import (
    BIGINT,
    BOOLEAN,
    DATE,
    DOUBLE,
    FLOAT,
    INT,
    SMALLINT,
    STRING,
    TINYINT,
    SqlType,
    decimal,
    timestamp,
)
from tests.runtime.changes import Row

VALUES: dict[SqlType, tuple[Any, ...]] = {
    TINYINT: (0, 1, -3, 100, 127, -128),
    SMALLINT: (0, 1, -3, 32767, -32768),
    INT: (0, 1, 2, -7, 2147483647, -2147483648),
    BIGINT: (0, 1, 2, -7, 9223372036854775807, -9223372036854775808),
    FLOAT: (0.0, -0.0, 1.5, -2.25, 8.0),
    DOUBLE: (0.0, -0.0, 1.5, -2.25, 1024.5),
    decimal(5, 2): tuple(map(Decimal, ("0.00", "1.25", "-3.50", "999.99", "0.01"))),
    decimal(30, 10): tuple(
        map(Decimal, ("0.0000000000", "12345678901234567890.0000000001", "-1.5000000000"))
    ),
    STRING: ("", "a", "b", "ab", "é", "～", "😀"),
    BOOLEAN: (True, False),
    DATE: (dt.date(1969, 12, 31), dt.date(2026, 2, 2), dt.date(1, 1, 1)),
    timestamp(3): (dt.datetime(2026, 1, 2, 8, 55, 0, 929000), dt.datetime(1, 1, 1), dt.datetime(1969, 1, 1)),
}
"""Values of a type that are worth trying. Sums of the floats are exact."""

LIMITS: dict[SqlType, tuple[Any, ...]] = {
    decimal(18, 0): tuple(map(Decimal, (0, 1, 10**18 - 1, 1 - 10**18, 1 << 59))),
    decimal(19, 1): tuple(
        Decimal(n).scaleb(-1) for n in (0, 5, 1 << 62, -(1 << 62), (1 << 63) - 1, -(1 << 63))
    ),
    decimal(38, 0): tuple(map(Decimal, (0, 1, 1 << 63, -(1 << 64), 10**38 - 1, 1 - 10**38, 5 * 10**37))),
    decimal(38, 18): tuple(
        Decimal(n).scaleb(-18, Context(prec=38)) for n in (0, 1, 10**38 - 1, 1 - 10**38, -(1 << 63), 10**37)
    ),
    decimal(38, 38): tuple(Decimal(n).scaleb(-38, Context(prec=38)) for n in (0, 10**38 - 1, 1 - 10**38, 1)),
}
"""DECIMALs at which 64 bits, 18 and 38 digits end: sums of them overflow, which makes the order of the rows
part of the answer."""

NUMERIC = tuple(kind for kind in VALUES if kind.is_numeric)


@st.composite
def streams(
    draw: st.DrawFn, types: tuple[SqlType, ...], insert_only: bool = False, size: int = 25
) -> list[Row]:
    """Changes of rows (k STRING, values of `types`..., a BOOLEAN for FILTER), all to be retracted or not."""
    rows: list[Row] = []
    live: list[Row] = []
    cells = [st.sampled_from(("a", "b", None))]
    cells += [st.sampled_from((*VALUES[kind], None)) for kind in (*types, BOOLEAN)]
    for _ in range(draw(st.integers(0, size))):
        if live and not insert_only and draw(st.booleans()):
            row = live.pop(draw(st.integers(0, len(live) - 1)))
            rows.append((draw(st.sampled_from(("-U", "-D"))), *row))
        else:
            row = tuple(draw(cell) for cell in cells)
            live.append(row)
            rows.append((draw(st.sampled_from(("+I", "+U"))) if not insert_only else "+I", *row))
    return rows
