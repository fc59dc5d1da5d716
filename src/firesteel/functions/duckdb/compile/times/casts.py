"""Compilation of casts between points in time.

Flink: TimestampToTimestampCastRule and similar rules, DateTimeUtils.truncate.
"""

from __future__ import annotations

from firesteel.functions.duckdb.compile.text import Compiler
from firesteel.functions.duckdb.compile.times.moments import (
    from_days,
    from_micros,
    from_millis,
    instant,
    is_fine,
    local,
    micros,
    millis,
)
from firesteel.types.duckdb import to_duckdb
from firesteel.types.sql import TIMESTAMPS, SqlType, TypeRoot, timestamp

_DAY = 86_400_000


def between_times(compiler: Compiler, text: str, source: SqlType, target: SqlType) -> str:
    """Return the SQL of a cast between DATE, TIME and timestamps."""
    zoned = TypeRoot.TIMESTAMP_LTZ
    if source.root in TIMESTAMPS and target.root in TIMESTAMPS:
        if source.root is not target.root:
            text = (local if source.root is zoned else instant)(compiler, text, source)
        return _cut(text, source, target)
    if source.root in TIMESTAMPS:
        if source.root is zoned:
            text = local(compiler, text, source)
        return _of_timestamp(millis(text, source), source, target)
    if source.root is TypeRoot.TIME:
        text = _time_cut(text, source, target)
        text = text if target.root is TypeRoot.TIME else f"(DATE '1970-01-01' + {text})"
    text = f"CAST({text} AS {to_duckdb(target)})"
    return instant(compiler, text, target) if target.root is zoned else text


def _of_timestamp(whole: str, source: SqlType, target: SqlType) -> str:
    """Return the SQL of a cast to DATE or TIME, from the milliseconds since 1970 of a wall clock.

    As in Flink, a TIMESTAMP is rounded towards 1970: 1969-12-31 12:00 becomes the DATE 1970-01-01. A
    TIMESTAMP_LTZ is rounded down.

    Args:
        whole: SQL of the milliseconds.
        source: Type of the timestamp.
        target: DATE or TIME.
    """
    if target.root is TypeRoot.DATE:
        down = f"floor_to({whole}, {_DAY})" if source.root is TypeRoot.TIMESTAMP_LTZ else whole
        return from_days(f"{down} // {_DAY}")
    clock = f"{whole} % {_DAY}"
    if source.root is TypeRoot.TIMESTAMP_LTZ:
        clock = f"({clock} + {_DAY}) % {_DAY}"
    unit = 10 ** (3 - min(target.precision or 0, 3))
    return f"make_time_of((({clock}) // {unit} * {unit} + {_DAY}) % {_DAY} * 1000)"


def _time_cut(text: str, source: SqlType, target: SqlType) -> str:
    if (target.precision or 0) >= (source.precision or 0):
        return text
    unit = 10 ** (6 - (target.precision or 0))
    return f"make_time_of(epoch_us({text}) // {unit} * {unit})"


def _cut(text: str, source: SqlType, target: SqlType) -> str:
    """Return the SQL that truncates a timestamp to the precision of `target`, with the rules of Flink.

    Up to precision 3, milliseconds are truncated towards 1970. For higher precisions, digits are truncated
    downwards. For the precisions 4, 5, 7 and 8, Flink first counts the digits of the nanoseconds within the
    second, as a number without leading zeros. If the number has no more digits than the precision, Flink
    truncates nothing: .000001 has the 4 digits 1000, so it stays as it is in a TIMESTAMP(4).
    """
    wanted, given = target.precision or 0, source.precision or 0
    if wanted >= given:
        return _widened(text, source, target)
    if wanted == 6:
        return from_micros(micros(text, source), target)
    if wanted <= 3:
        unit = 10 ** (3 - wanted)
        return from_millis(f"{millis(text, source)} // {unit} * {unit}", target)
    if wanted > 6:
        cut = f"make_timestamp_ns(floor_to(epoch_ns({text}), {10 ** (9 - wanted)}))"
        rest = f"epoch_ns({text}) - floor_to(epoch_ns({text}), 1000000000)"
        return f"CASE WHEN {rest} < {10**wanted} THEN {text} ELSE {cut} END"
    number = micros(text, source)
    cut = from_micros(f"floor_to({number}, {10 ** (6 - wanted)})", target)
    rest = f"({number} - floor_to({number}, 1000000)) * 1000"
    return f"CASE WHEN {rest} < {10**wanted} THEN {from_micros(number, target)} ELSE {cut} END"


def _widened(text: str, source: SqlType, target: SqlType) -> str:
    if is_fine(source) == is_fine(target):
        return text
    return f"CAST({text} AS {to_duckdb(timestamp(target.precision or 0))})"
