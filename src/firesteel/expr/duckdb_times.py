"""Points in time and intervals in DuckDB: arithmetic, EXTRACT, FLOOR and CEIL.

A TIMESTAMP_LTZ is looked at through the session's time zone where its parts matter.
"""

from __future__ import annotations

import re

from firesteel.errors import NotSupportedError
from firesteel.expr.duckdb_casts import local
from firesteel.expr.duckdb_text import Compiler, Emit, quoted
from firesteel.expr.nodes import Call, Expr, Literal
from firesteel.types.duckdb import to_duckdb
from firesteel.types.sql import BIGINT, INT, STRING, SqlType, TypeRoot, timestamp_ltz

_DAY = 86_400_000


def temporal(compiler: Compiler, call: Call) -> str:
    """`+ - * /` where an operand is a point in time or an interval."""
    left, right = call.args
    a, b = compiler(left), compiler(right)
    if call.type.is_interval and left.type.is_datetime:
        return _difference(compiler, call, a, b)
    if call.type.is_interval:
        return _interval(call, a, b)
    sign = "-" if call.function == "-" else ""
    if right.type.root is TypeRoot.INTERVAL_YEAR_MONTH:
        return _add_months(call, a, f"{sign}({b})")
    return _add_millis(call, left.type, a, f"{sign}({b})")


def _add_months(call: Call, a: str, months: str) -> str:
    """Months on, of an instant in UTC."""
    kind = call.type
    if kind.root is TypeRoot.TIME:
        return a
    return f"CAST({a} + to_months({months}::INTEGER) AS {to_duckdb(kind)})"


def _add_millis(call: Call, source: SqlType, a: str, millis: str) -> str:
    kind = call.type
    if kind.root is TypeRoot.TIME:
        return f"make_time_of(((epoch_us({a}) // 1000 + {millis}) % {_DAY} + {_DAY}) % {_DAY} * 1000)"
    if kind.root is TypeRoot.DATE:
        return f"({a} + CAST(({millis}) // {_DAY} AS INTEGER))"
    if source.root is TypeRoot.DATE:
        a = f"{a}::TIMESTAMP"
    if (kind.precision or 0) > 6:
        return f"make_timestamp_ns(epoch_ns({a}) + ({millis})::BIGINT * 1000000)"
    return f"make_timestamp(epoch_us({a}) + ({millis})::BIGINT * 1000)"


def _difference(compiler: Compiler, call: Call, a: str, b: str) -> str:
    """Months or milliseconds from b to a."""
    months = call.type.root is TypeRoot.INTERVAL_YEAR_MONTH
    pairs = []
    for operand, text in zip(call.args, (a, b), strict=True):
        pairs.append((millis(text, operand.type), BIGINT))
    if months:
        return compiler.python("times.months_between", pairs, call.type)
    return f"({pairs[0][0]} - {pairs[1][0]})"


def millis(text: str, kind: SqlType) -> str:
    """Milliseconds since the epoch, in which Flink computes; what is finer is cut off."""
    if kind.root is TypeRoot.DATE:
        return f"(epoch_us({text}::TIMESTAMP) // 1000)"
    if kind.root is TypeRoot.TIME or (kind.precision or 0) <= 3:
        return f"(epoch_us({text}) // 1000)"
    return f"(floor_to(epoch_us({text}), 1000) // 1000)"


def _interval(call: Call, a: str, b: str) -> str:
    name = to_duckdb(call.type)
    wrap = "wrap_integer" if name == "INTEGER" else "wrap_bigint"
    wide = "BIGINT" if name == "INTEGER" else "HUGEINT"
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


_OF_MILLIS = {
    "HOUR": f"% {_DAY} // 3600000",
    "MINUTE": "% 3600000 // 60000",
    "SECOND": "% 60000 // 1000",
    "MILLISECOND": "% 1000",
    "EPOCH": "// 1000",
}
_OF_DAY = {
    **{unit: unit.lower() for unit in ("YEAR", "QUARTER", "MONTH", "WEEK", "DAY", "ISODOW", "ISOYEAR")},
    **{unit: unit.lower() for unit in ("DECADE", "CENTURY", "MILLENNIUM")},
    "DOY": "dayofyear",
}


def _extract(compiler: Compiler, call: Call) -> str:
    """A part. Flink takes days and clock apart by division towards zero, before 1970 too."""
    (value,) = call.args
    (unit,) = call.options
    text, kind = compiler(value), value.type
    if kind.is_interval:
        return _of_interval(text, unit, kind.root)
    if kind.root is TypeRoot.TIMESTAMP_LTZ:
        text = f"make_timestamp(epoch_us({text}) + {_offset(compiler, text, kind)})"
    if unit in _OF_MILLIS:
        return f"({millis(text, kind)} {_OF_MILLIS[unit]})"
    if unit in ("MICROSECOND", "NANOSECOND"):
        whole = millis(text, kind)
        micros = f"({whole} % 1000 * 1000 + epoch_us({text}) - {whole} * 1000)"
        return micros if unit == "MICROSECOND" else f"({micros} * 1000)"
    day = text if kind.root is TypeRoot.DATE else day_of(text, kind)
    if unit == "DOW":
        return f"(date_part('dow', {day}) + 1)"
    return f"date_part('{_OF_DAY[unit]}', {day})::BIGINT"


def day_of(text: str, kind: SqlType) -> str:
    """The DATE of a wall clock by division towards zero, as in Flink: before 1970 often the next one."""
    return f"(DATE '1970-01-01' + CAST({millis(text, kind)} // {_DAY} AS INTEGER))"


def _of_interval(text: str, unit: str, root: TypeRoot) -> str:
    months = {"YEAR": "// 12", "MONTH": "% 12", "QUARTER": "% 12 // 3 + 1"}
    millis = {
        "DAY": f"// {_DAY}",
        "HOUR": f"% {_DAY} // 3600000",
        "MINUTE": "% 3600000 // 60000",
        "SECOND": "% 60000 // 1000",
        "MILLISECOND": "% 60000",
        "EPOCH": "// 1000",
    }
    table = months if root is TypeRoot.INTERVAL_YEAR_MONTH else millis
    if unit not in table:
        raise NotSupportedError(f"EXTRACT({unit} FROM an interval) is not supported yet")
    return f"({text} {table[unit]})::BIGINT"


_CLOCK = {"HOUR": 3_600_000, "MINUTE": 60_000, "SECOND": 1_000, "MILLISECOND": 1}
_YEARS = {"DECADE": 10, "CENTURY": 100, "MILLENNIUM": 1000}


def _rounding(compiler: Compiler, call: Call) -> str:
    (value,) = call.args
    if not call.options:
        return compiler.call_python(f"numbers.{'floor' if call.function == 'FLOOR' else 'ceil'}", call)
    (unit,), kind = call.options, value.type
    text = compiler(value)
    if kind.root is TypeRoot.TIME:
        return _round_time(call.function, text, unit)
    offset = _offset(compiler, text, kind)  # the instant's own, it holds for the result too
    if offset != "0":
        text = f"make_timestamp(epoch_us({text}) + {offset})"
    low, exact = _floor(text, unit, kind)
    if call.function != "FLOOR":
        step = {"QUARTER": "INTERVAL 3 MONTH"}.get(unit) or f"INTERVAL 1 {unit}"
        # of a whole day or decade Flink's ceiling is the next one
        onwards = f"{low} + {step}"
        always = unit in _YEARS or (unit == "DAY" and kind.root is TypeRoot.DATE)
        low = onwards if always else f"CASE WHEN {low} = {exact} THEN {low} ELSE {onwards} END"
    if offset != "0":
        low = f"make_timestamp(epoch_us({low}) - {offset})"
    return f"CAST(({low}) AS {to_duckdb(kind)})"


def _floor(text: str, unit: str, kind: SqlType) -> tuple[str, str]:
    """The start of the unit that a wall clock lies in, and what of the clock decides that it is the start."""
    exact = f"make_timestamp({millis(text, kind)} * 1000)"
    if unit == "MILLISECOND" and kind.root is not TypeRoot.DATE:
        return exact, text
    if unit in _CLOCK:
        return f"make_timestamp(floor_to({millis(text, kind)}, {_CLOCK[unit]}) * 1000)", exact
    if unit == "DAY" and kind.root is not TypeRoot.DATE:
        return f"date_trunc('day', {exact})::TIMESTAMP", exact
    day = text if kind.root is TypeRoot.DATE else day_of(text, kind)
    if unit == "WEEK":
        return f"week_floor(date_trunc('day', {exact})::TIMESTAMP)", exact
    exact = f"{day}::TIMESTAMP"  # months and years are looked up by the day alone
    if unit in ("CENTURY", "MILLENNIUM"):
        years = _YEARS[unit]
        return f"make_timestamp((year({day}) - 1) // {years} * {years} + 1, 1, 1, 0, 0, 0.0)", exact
    return f"date_trunc('{unit.lower()}', {day})::TIMESTAMP", exact


def _offset(compiler: Compiler, text: str, kind: SqlType) -> str:
    """The microseconds between UTC and the wall clock of the session's time zone at an instant."""
    if kind.root is not TypeRoot.TIMESTAMP_LTZ or compiler.time_zone == "UTC":
        return "0"
    zone = (quoted(compiler.time_zone), STRING)
    return compiler.python("dates.offset_micros", [(text, kind), zone], BIGINT)


def _round_time(function: str, text: str, unit: str) -> str:
    size = _CLOCK[unit] * 1000
    micros = f"epoch_us({text})"
    low = f"{micros} // {size} * {size}"
    if function != "FLOOR":
        low = f"({micros} + {size - 1}) // {size} * {size} % {_DAY * 1000}"
    return f"make_time_of({low})"


_NOW = "make_timestamp(epoch_ms(now()) * 1000)"


def _clock(compiler: Compiler, call: Call) -> str:
    """The time at which the batch is evaluated."""
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
    """A literal pattern of plain fields in DuckDB's letters, or None where it has others."""
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
    simple = _strftime(pattern) if (value.type.precision or 0) <= 6 else None
    if simple is not None:
        return f"strftime({text}, {quoted(simple)})"
    unit = "1000" if (value.type.precision or 0) <= 6 else "1"
    arguments = [(text, value.type), (unit, INT), (compiler(pattern), STRING)]
    return compiler.python("dates.format_timestamp", arguments, call.type)


EMIT: dict[str, Emit] = {
    "temporal": temporal,
    "Reinterpret": _reinterpret,
    "/INT": _whole_division,
    "EXTRACT": _extract,
    "DATE_FORMAT": _date_format,
    **dict.fromkeys(
        [
            *("CURRENT_TIMESTAMP", "NOW", "CURRENT_ROW_TIMESTAMP", "PROCTIME"),
            *("LOCALTIMESTAMP", "CURRENT_DATE", "CURRENT_TIME", "LOCALTIME"),
        ],
        _clock,
    ),
    "PROCTIME_MATERIALIZE": lambda compiler, call: compiler(call.args[0]),
    "FLOOR": _rounding,
    "CEIL": _rounding,
}
