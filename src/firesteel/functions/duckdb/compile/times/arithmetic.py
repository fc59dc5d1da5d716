"""Compilation of time arithmetic, the clock functions and DATE_FORMAT.

Fields of a TIMESTAMP_LTZ, such as its hour, are those of the wall clock in the session's time zone.
"""

from __future__ import annotations

import re

from firesteel.functions.duckdb.compile.text import Compiler, Emit, quoted
from firesteel.functions.duckdb.compile.times.moments import (
    below_micros,
    below_millis,
    from_micros,
    from_millis,
    is_fine,
    local,
    micros,
    millis,
    moved,
)
from firesteel.functions.expression.nodes import Call, Expr, Literal
from firesteel.types.duckdb import to_duckdb
from firesteel.types.sql import BIGINT, INT, STRING, SqlType, TypeRoot, timestamp, timestamp_ltz

_DAY = 86_400_000
_FEW_MONTHS, _FEW_MILLIS = 12 * 100_000, 100_000 * 366 * _DAY
_FIRST_SECOND, _LAST_SECOND = -62_167_219_200, 253_402_300_799
"""First and last second of the years 0 to 9999, since 1970."""


def temporal(compiler: Compiler, call: Call) -> str:
    """Return the SQL of `+ - * /` with a point in time or an interval as an operand."""
    left, right = call.args
    a, b = compiler(left), compiler(right)
    if call.type.is_interval and left.type.is_datetime:
        return _difference(call, a, b, compiler)
    if call.type.is_interval:
        return _interval(call, a, b)
    sign = "-" if call.function == "-" else ""
    if right.type.root is TypeRoot.INTERVAL_YEAR_MONTH:
        return _add_months(call, a, f"{sign}({b})::BIGINT")
    return _add_millis(call, left.type, a, sign, b)


def _add_months(call: Call, a: str, months: str) -> str:
    """Return the SQL of `a` moved by months in UTC. A TIME is unchanged, but NULL if the months are NULL."""
    kind, after = call.type, "months_after" if _may_leave(call.args[1], _FEW_MONTHS) else "few_months_after"
    if kind.root is TypeRoot.TIME:
        return f"CASE WHEN {months} IS NOT NULL THEN {a} END"
    if kind.root is TypeRoot.DATE or not is_fine(kind):
        return f"CAST({after}({a}, {months}) AS {to_duckdb(kind)})"
    whole = from_millis(millis(a, kind), timestamp(3))
    return from_millis(f"epoch_ms({after}({whole}, {months}))", kind, below_millis(a, kind))


def _add_millis(call: Call, source: SqlType, a: str, sign: str, span: str) -> str:
    kind = call.type
    if kind.root is TypeRoot.TIME:
        within = f"{sign}(({span}) % {_DAY})"
        return f"make_time_of(((epoch_us({a}) // 1000 + {within}) % {_DAY} + {_DAY}) % {_DAY} * 1000)"
    if kind.root is TypeRoot.DATE:
        return f"days_after({a}, {sign}to_int_exact(({span}) // {_DAY})::BIGINT)"
    if source.root is TypeRoot.DATE:
        a = f"{a}::TIMESTAMP"
    if not _may_leave(call.args[1], _FEW_MILLIS):
        return moved(a, kind, f"{sign}({span})::BIGINT * 1000")
    rest = below_micros(a, kind) if is_fine(kind) else ""
    return from_micros(f"micros_after({micros(a, kind)}, {sign}({span})::HUGEINT * 1000)", kind, rest)


def _may_leave(span: Expr, few: int) -> bool:
    """Return whether adding `span` to a time may lead out of the supported years.

    The result is False only for an integer literal between -few and few. A span that is computed has an
    unknown length, so the result is True.

    Args:
        span: Interval to add, in months or in milliseconds.
        few: Largest span that needs no check, in the unit of `span`: about 100,000 years.
    """
    return not (isinstance(span, Literal) and isinstance(span.value, int) and abs(span.value) <= few)


def _difference(call: Call, a: str, b: str, compiler: Compiler) -> str:
    """Return the SQL of the time from b to a.

    It is a number of months if the call's type is an interval of months, else a number of milliseconds.
    """
    later, earlier = (millis(text, e.type) for text, e in zip((a, b), call.args, strict=True))
    if call.type.root is TypeRoot.INTERVAL_YEAR_MONTH:
        # If each operand is a DATE or a TIME, Flink takes the milliseconds of a TIME for a number of days.
        if all(e.type.root in (TypeRoot.DATE, TypeRoot.TIME) for e in call.args):
            later, earlier = (
                f"({number} * {_DAY})" if e.type.root is TypeRoot.TIME else number
                for number, e in zip((later, earlier), call.args, strict=True)
            )
        return compiler.python("calendar.months_between", [(later, BIGINT), (earlier, BIGINT)], call.type)
    return f"({later} - {earlier})"


def _interval(call: Call, a: str, b: str) -> str:
    name = to_duckdb(call.type)
    wrap = "wrap_integer" if name == "INTEGER" else "wrap_bigint"
    wide = "HUGEINT" if any(to_duckdb(e.type) == "BIGINT" for e in call.args) else "BIGINT"
    if call.function == "/":
        return f"CAST(trunc({a} / nullif({b}, 0)) AS {name})"
    number = next((e for e in call.args if e.type.is_numeric), None)
    if number is not None and not number.type.is_integer:
        return f"CAST(trunc({a} * {b}) AS {name})"
    return f"{wrap}({a}::{wide} {call.function} {b})"


def _reinterpret(compiler: Compiler, call: Call) -> str:
    return f"({compiler(call.args[0])})::BIGINT"


def _whole_division(compiler: Compiler, call: Call) -> str:
    left, right = call.args
    return f"({compiler(left)} // {compiler(right)})"


_NOW = "make_timestamp(epoch_ms(now()) * 1000)"


def _clock(compiler: Compiler, call: Call) -> str:
    """Return the SQL of a clock function: the time at which the batch is evaluated."""
    if call.type.root is TypeRoot.TIMESTAMP_LTZ:
        return _NOW
    text = local(compiler, _NOW, timestamp_ltz(3))
    if call.type.root is TypeRoot.TIME:
        return f"make_time_of(epoch_us({text}) % {_DAY * 1000} // 1000000 * 1000000)"
    return f"CAST({text} AS {to_duckdb(call.type)})"


_STRFTIME = {
    **dict.fromkeys(("yyyy", "uuuu"), "%Y"),
    "MM": "%m",
    "dd": "%d",
    "HH": "%H",
    "hh": "%I",
    "mm": "%M",
    "ss": "%S",
    "a": "%p",
    "SSS": "%g",
    "SSSSSS": "%f",
}


def _strftime(pattern: Expr) -> str | None:
    """Return a literal Java date pattern as a pattern for DuckDB's strftime.

    The result is None if the pattern is no literal, or if it has a field or text that strftime cannot write.
    """
    if not isinstance(pattern, Literal) or not isinstance(pattern.value, str):
        return None
    parts = []
    for part in re.findall(r"([A-Za-z])(\1*)|([^A-Za-z]+)", pattern.value):
        field, rest, text = part
        if text:
            if set(text) & set("'%[]{}#"):
                return None
            parts.append(text)
        elif field + rest in _STRFTIME:
            parts.append(_STRFTIME[field + rest])
        else:
            return None
    return "".join(parts) or None


def _date_format(compiler: Compiler, call: Call) -> str:
    value, pattern = call.args
    if value.type.is_character:
        return compiler.call_python("dates.format_string", call)
    text = compiler(value)
    if value.type.root is TypeRoot.TIMESTAMP_LTZ:
        text = local(compiler, text, value.type)
    unit = "1" if is_fine(value.type) else "1000"
    arguments = [(text, value.type), (unit, INT), (compiler(pattern), STRING)]
    simple = None if is_fine(value.type) else _strftime(pattern)
    if simple is None:
        return compiler.python("dates.format_timestamp", arguments, call.type)
    other = compiler.python("dates.format_timestamp", arguments, call.type)
    within = f"{text} BETWEEN TIMESTAMP '0001-01-01' AND TIMESTAMP '9999-12-31 23:59:59.999999'"
    return f"CASE WHEN {within} THEN strftime({text}, {quoted(simple)}) ELSE {other} END"


def _instant_of(compiler: Compiler, call: Call) -> str:
    """Return the SQL of TO_TIMESTAMP_LTZ.

    For an integer with a literal precision of up to 6 digits, it is plain SQL, else a call of Python.
    """
    number, *given = call.args
    if number.type.is_character:
        return compiler.call_python("dates.to_instant_of", call)
    precision = _literal(given[0]) if given else 3
    if not number.type.is_integer or precision is None or not 0 <= precision <= 6:
        return compiler.call_python("dates.instant_of_number", call)
    text, units = f"({compiler(number)})::BIGINT", 10**precision
    within = f"{text} BETWEEN {_FIRST_SECOND * units} AND {(_LAST_SECOND + 1) * units - 1}"
    return f"CASE WHEN {within} THEN make_timestamp({text} * {10**6 // units}) END"


def _literal(expr: Expr) -> int | None:
    return expr.value if isinstance(expr, Literal) and isinstance(expr.value, int) else None


EMIT: dict[str, Emit] = {
    "temporal": temporal,
    "TO_TIMESTAMP_LTZ": _instant_of,
    "Reinterpret": _reinterpret,
    "/INT": _whole_division,
    "DATE_FORMAT": _date_format,
    **dict.fromkeys(
        [
            *("CURRENT_TIMESTAMP", "NOW", "CURRENT_ROW_TIMESTAMP", "PROCTIME"),
            *("LOCALTIMESTAMP", "CURRENT_DATE", "CURRENT_TIME", "LOCALTIME"),
        ],
        _clock,
    ),
    "PROCTIME_MATERIALIZE": lambda compiler, call: compiler(call.args[0]),
}
