"""Compilation of FLOOR and CEIL of points in time to a unit. Flink: FloorCeilCallGen, DateTimeUtils.

For units of a week or longer, a timestamp is first rounded to a day, towards 1970: 1969-12-31 12:00 counts
as 1970-01-01. For shorter units, FLOOR rounds down and CEIL rounds up, before 1970, too.
"""

from __future__ import annotations

from firesteel.functions.duckdb.compile.text import Compiler, Emit, quoted
from firesteel.functions.duckdb.compile.times.moments import (
    below_millis,
    from_days,
    from_millis,
    legacy_offset,
    millis,
)
from firesteel.functions.expression.nodes import Call
from firesteel.types.sql import BIGINT, STRING, TypeRoot

_DAY = 86_400_000
_CLOCK = {"HOUR": 3_600_000, "MINUTE": 60_000, "SECOND": 1_000, "MILLISECOND": 1, "ISOYEAR": 12}
_LONG = ("WEEK", "MONTH", "QUARTER", "YEAR", "DECADE", "CENTURY", "MILLENNIUM")


def _rounding(compiler: Compiler, call: Call) -> str:
    (value,) = call.args
    floor = call.function == "FLOOR"
    if not call.options:
        return compiler.call_python(f"numbers.{'floor' if floor else 'ceil'}", call)
    (unit,), kind = call.options, value.type
    text = compiler(value)
    if kind.root is TypeRoot.DATE:
        if unit != "DAY" and unit not in _LONG:
            return text
        return from_days(_days(compiler, call, f"({text} - DATE '1970-01-01')"))
    whole = millis(text, kind)
    if kind.root is TypeRoot.TIME:
        found = _to_multiple(whole, _CLOCK[unit], floor)
        return compiler.python("calendar.time_of_millis", [(found, BIGINT)], kind)
    offset = legacy_offset(compiler, text, kind)
    wall = f"({whole} + {offset})"
    if unit in _LONG:
        found = f"{_days(compiler, call, f'({wall} // {_DAY})')} * {_DAY}"
    elif unit == "MILLISECOND" and not floor and kind.root is TypeRoot.TIMESTAMP:
        found = f"({whole} + CASE WHEN {below_millis(text, kind)} > 0 THEN 1 ELSE 0 END)"
    else:
        found = _to_multiple(wall, _CLOCK.get(unit, _DAY), floor)
    return from_millis(f"{found} - {offset}", kind)


def _days(compiler: Compiler, call: Call, days: str) -> str:
    name = "calendar.floor_days" if call.function == "FLOOR" else "calendar.ceil_days"
    return compiler.python(name, [(days, BIGINT), (quoted(call.options[0]), STRING)], BIGINT)


def _to_multiple(number: str, size: int, floor: bool) -> str:
    if size == 1:
        return number
    return f"floor_to({number}, {size})" if floor else f"-floor_to(-{number}, {size})"


EMIT: dict[str, Emit] = {"FLOOR": _rounding, "CEIL": _rounding}
