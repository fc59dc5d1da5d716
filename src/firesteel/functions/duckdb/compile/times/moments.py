"""Compilation of points in time to numbers, and of numbers to points in time.

A TIMESTAMP of more than six digits is a TIMESTAMP_NS, whose own functions round in DuckDB. Here, finer digits
than the wanted unit are truncated downwards.
"""

from __future__ import annotations

from firesteel.functions.duckdb.compile.text import Compiler, quoted
from firesteel.types.sql import BIGINT, STRING, SqlType, TypeRoot


def is_fine(kind: SqlType) -> bool:
    """Return whether a type has finer digits than microseconds."""
    return (kind.precision or 0) > 6


def micros(text: str, kind: SqlType) -> str:
    """Return the SQL of a point in time as microseconds since 1970, for a TIME as microseconds of the day."""
    if kind.root is TypeRoot.DATE:
        return f"epoch_us({text}::TIMESTAMP)"
    if kind.root is not TypeRoot.TIME and is_fine(kind):
        return f"(floor_to(epoch_ns({text}), 1000) // 1000)"
    return f"epoch_us({text})"


def millis(text: str, kind: SqlType) -> str:
    """Return the SQL of a point in time as milliseconds since 1970, for a TIME as milliseconds of the day.

    Flink computes in milliseconds.
    """
    if kind.root is TypeRoot.DATE or kind.root is TypeRoot.TIME or (kind.precision or 0) <= 3:
        return f"({micros(text, kind)} // 1000)"
    if is_fine(kind):
        return f"(floor_to(epoch_ns({text}), 1000000) // 1000000)"
    return f"(floor_to({micros(text, kind)}, 1000) // 1000)"


def below_millis(text: str, kind: SqlType) -> str:
    """Return the SQL of a timestamp's nanoseconds within its millisecond."""
    if is_fine(kind):
        return f"(epoch_ns({text}) - {millis(text, kind)} * 1000000)"
    return f"((epoch_us({text}) - {millis(text, kind)} * 1000) * 1000)"


def below_micros(text: str, kind: SqlType) -> str:
    """Return the SQL of a timestamp's nanoseconds within its microsecond.

    The type must have more than six digits (`is_fine`).
    """
    return f"(epoch_ns({text}) - {micros(text, kind)} * 1000)"


def seconds(text: str, kind: SqlType) -> str:
    """Return the SQL of a point in time as seconds since 1970."""
    return f"(floor_to({millis(text, kind)}, 1000) // 1000)"


def from_millis(number: str, kind: SqlType, rest: str = "") -> str:
    """Return the SQL of the timestamp at `number` milliseconds since 1970 plus `rest` nanoseconds."""
    if is_fine(kind):
        return _of_nanos(f"({number}) * 1000", rest)
    return f"make_timestamp(({number}) * 1000{' + ' + rest + ' // 1000' if rest else ''})"


def from_micros(number: str, kind: SqlType, rest: str = "") -> str:
    """Return the SQL of the timestamp at `number` microseconds since 1970 plus `rest` nanoseconds."""
    return _of_nanos(number, rest) if is_fine(kind) else f"make_timestamp({number})"


def _of_nanos(micros: str, rest: str) -> str:
    """Return the SQL of a TIMESTAMP_NS: `micros` microseconds since 1970 plus `rest` nanoseconds.

    DuckDB raises an error for times that a TIMESTAMP_NS cannot hold: before 1677-09-21 or after 2262-04-11.
    """
    moment = f"CAST(make_timestamp({micros}) AS TIMESTAMP_NS)"
    return f"make_timestamp_ns(epoch_ns({moment}) + {rest})" if rest else moment


def from_days(number: str) -> str:
    """Return the SQL of the DATE at a number of days since 1970."""
    return f"(DATE '1970-01-01' + CAST({number} AS INTEGER))"


def moved(text: str, kind: SqlType, span: str) -> str:
    """Return the SQL of a timestamp moved by `span` microseconds."""
    rest = below_micros(text, kind) if is_fine(kind) else ""
    return from_micros(f"{micros(text, kind)} + {span}", kind, rest)


def local(compiler: Compiler, text: str, kind: SqlType) -> str:
    """Return the SQL of a TIMESTAMP_LTZ as the wall clock of the session's time zone."""
    if compiler.time_zone == "UTC":
        return text
    return moved(text, kind, f"{_offset(compiler, 'offset_at', text, kind)} * 1000000")


def instant(compiler: Compiler, text: str, kind: SqlType) -> str:
    """Return the SQL of the instant at which the session's time zone shows a wall clock."""
    if compiler.time_zone == "UTC":
        return text
    return moved(text, kind, f"-{_offset(compiler, 'offset_of_local', text, kind)} * 1000000")


def legacy_offset(compiler: Compiler, text: str, kind: SqlType) -> str:
    """Return the SQL of the session zone's offset from UTC at a TIMESTAMP_LTZ, in milliseconds.

    East of Greenwich, the offset is positive. It is that of java.util.TimeZone. For other types, it is 0.
    """
    if kind.root is not TypeRoot.TIMESTAMP_LTZ or compiler.time_zone == "UTC":
        return "0"
    return f"({_offset(compiler, 'legacy_offset_at', text, kind)} * 1000)"


def _offset(compiler: Compiler, name: str, text: str, kind: SqlType) -> str:
    zone = (quoted(compiler.time_zone), STRING)
    return compiler.python(f"calendar.{name}", [(seconds(text, kind), BIGINT), zone], BIGINT)
