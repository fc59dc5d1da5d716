"""Points in time and intervals in DuckDB: arithmetic, EXTRACT, FLOOR and CEIL.

A TIMESTAMP_LTZ is looked at through the session's time zone where its parts matter.
"""

from __future__ import annotations

from firesteel.errors import NotSupportedError
from firesteel.expr.duckdb_casts import instant, local
from firesteel.expr.duckdb_text import Compiler, Emit
from firesteel.expr.nodes import Call, Expr
from firesteel.types.duckdb import to_duckdb
from firesteel.types.sql import SqlType, TypeRoot

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
        return _add_months(compiler, call, a, f"{sign}({b})")
    return _add_millis(call, left.type, a, f"{sign}({b})")


def _add_months(compiler: Compiler, call: Call, a: str, months: str) -> str:
    kind = call.type
    if kind.root is TypeRoot.TIME:
        return a
    if kind.root is TypeRoot.TIMESTAMP_LTZ:
        shifted = f"({local(compiler, a, kind)} + to_months({months}::INTEGER))"
        return instant(compiler, shifted, kind)
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
    micros = [_micros(compiler, e, text, call.type) for e, text in zip(call.args, (a, b), strict=True)]
    if call.type.root is TypeRoot.INTERVAL_DAY_TIME:
        return (
            f"({micros[0]} // 1000 - {micros[1]} // 1000)"
            if _whole_millis(call)
            else f"millis_between({micros[0]}, {micros[1]})"
        )
    moments = [f"make_timestamp({m})" for m in micros]
    return f"months_between({moments[0]}, {moments[1]})"


def _whole_millis(call: Call) -> bool:
    return all((a.type.precision or 0) <= 3 for a in call.args)


def _micros(compiler: Compiler, expr: Expr, text: str, kind: SqlType) -> str:
    root = expr.type.root
    if root is TypeRoot.DATE:
        return f"epoch_us({text}::TIMESTAMP)"
    if root is TypeRoot.TIMESTAMP_LTZ and kind.root is TypeRoot.INTERVAL_YEAR_MONTH:
        text = local(compiler, text, expr.type)
    return f"epoch_us({text})"


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


_PARTS = {
    "YEAR": "year", "QUARTER": "quarter", "MONTH": "month", "WEEK": "week", "DAY": "day", "DOY": "dayofyear",
    "ISODOW": "isodow", "ISOYEAR": "isoyear", "DECADE": "decade", "CENTURY": "century",
    "MILLENNIUM": "millennium", "HOUR": "hour", "MINUTE": "minute", "SECOND": "second",
}  # fmt: skip


def _extract(compiler: Compiler, call: Call) -> str:
    (value,) = call.args
    (unit,) = call.options
    text, root = compiler(value), value.type.root
    if value.type.is_interval:
        return _of_interval(text, unit, root)
    if unit == "EPOCH":
        return f"floor_to(epoch_us({_moment(text, root)}), 1000000) // 1000000"
    if root is TypeRoot.TIMESTAMP_LTZ:
        text = local(compiler, text, value.type)
    if root is TypeRoot.DATE:
        text = f"{text}::TIMESTAMP"
    if unit == "DOW":
        return f"(date_part('dow', {text}) + 1)"
    if unit in ("MILLISECOND", "MICROSECOND", "NANOSECOND"):
        per = {"MILLISECOND": "// 1000", "MICROSECOND": "", "NANOSECOND": "* 1000"}[unit]
        micros = f"(epoch_us({text}) % 60000000 + 60000000) % 60000000"
        return f"(({micros}) {per})"
    return f"date_part('{_PARTS[unit]}', {text})::BIGINT"


def _moment(text: str, root: TypeRoot) -> str:
    return f"{text}::TIMESTAMP" if root is TypeRoot.DATE else text


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


_CLOCK = {"HOUR": 3_600_000_000, "MINUTE": 60_000_000, "SECOND": 1_000_000, "MILLISECOND": 1_000}


def _rounding(compiler: Compiler, call: Call) -> str:
    (value,) = call.args
    if not call.options:
        return compiler.call_python(f"numbers.{'floor' if call.function == 'FLOOR' else 'ceil'}", call)
    (unit,), kind = call.options, value.type
    text = compiler(value)
    if kind.root is TypeRoot.TIME:
        return _round_time(call.function, text, unit)
    if kind.root is TypeRoot.TIMESTAMP_LTZ:
        text = local(compiler, text, kind)
    if kind.root is TypeRoot.DATE:
        text = f"{text}::TIMESTAMP"
    low = f"week_floor({text})" if unit == "WEEK" else f"date_trunc('{unit.lower()}', {text})::TIMESTAMP"
    if unit in _CLOCK:
        low = f"make_timestamp(floor_to(epoch_us({text}), {_CLOCK[unit]}))"
    if call.function != "FLOOR":
        step = {"QUARTER": "INTERVAL 3 MONTH"}.get(unit) or f"INTERVAL 1 {unit}"
        always = unit == "DAY" and kind.root is TypeRoot.DATE  # Flink's day after, even of a whole day
        low = (
            f"({low} + {step})"
            if always
            else f"(CASE WHEN {low} = {text} THEN {text} ELSE {low} + {step} END)"
        )
    low = f"CAST({low} AS {to_duckdb(kind)})"
    return instant(compiler, low, kind) if kind.root is TypeRoot.TIMESTAMP_LTZ else low


def _round_time(function: str, text: str, unit: str) -> str:
    size = _CLOCK[unit]
    micros = f"epoch_us({text})"
    low = f"{micros} // {size} * {size}"
    if function != "FLOOR":
        low = f"({micros} + {size - 1}) // {size} * {size} % {_DAY * 1000}"
    return f"make_time_of({low})"


EMIT: dict[str, Emit] = {
    "temporal": temporal,
    "Reinterpret": _reinterpret,
    "/INT": _whole_division,
    "EXTRACT": _extract,
    "FLOOR": _rounding,
    "CEIL": _rounding,
}
