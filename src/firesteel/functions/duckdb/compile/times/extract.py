"""Compilation of EXTRACT. Flink: ExtractCallGen, DateTimeUtils.extractFromTimestamp."""

from __future__ import annotations

from firesteel.errors import NotSupportedError
from firesteel.functions.duckdb.compile.text import Compiler, Emit
from firesteel.functions.duckdb.compile.times.moments import below_millis, from_days, legacy_offset, millis
from firesteel.functions.expression.nodes import Call
from firesteel.types.sql import TypeRoot

_DAY = 86_400_000
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
_OF_MONTHS = {
    "YEAR": "// 12",
    "MONTH": "% 12",
    "CENTURY": "// 1200",
    "MILLENNIUM": "// 12000",
}
_OF_SPAN = {**_OF_MILLIS, "DAY": f"// {_DAY}"}
_OF_SPAN.pop("EPOCH")


def _extract(compiler: Compiler, call: Call) -> str:
    """Return the SQL of EXTRACT.

    As in Flink, milliseconds since 1970 are split into days and clock by a division that rounds towards zero.
    So before 1970, clock units are negative: of 1969-12-31 23:00, the HOUR is -1 and the DAY is 1.
    """
    (value,) = call.args
    (unit,) = call.options
    text, kind = compiler(value), value.type
    if kind.is_interval:
        return _of_interval(text, unit, kind.root)
    if kind.root is TypeRoot.DATE:
        return _of_date(text, unit)
    whole = f"({millis(text, kind)} + {legacy_offset(compiler, text, kind)})"
    if unit in _OF_MILLIS:
        return f"({whole} {_OF_MILLIS[unit]})"
    if unit in ("MICROSECOND", "NANOSECOND"):
        size = 1000 if unit == "MICROSECOND" else 1
        return f"({whole} % 1000 * {1_000_000 // size} + {below_millis(text, kind)} // {size})"
    return _of_days(from_days(f"{whole} // {_DAY}"), unit)


def _of_date(text: str, unit: str) -> str:
    """Return the SQL of EXTRACT from a DATE.

    For clock units such as HOUR, Flink takes the DATE's days since 1970 for milliseconds.
    """
    days = f"({text} - DATE '1970-01-01')"
    if unit == "EPOCH":
        return f"({days} * 86400)"
    if unit in _OF_MILLIS:
        return f"({days} {_OF_MILLIS[unit]})"
    return _of_days(text, unit)


def _of_days(day: str, unit: str) -> str:
    if unit == "DOW":
        return f"(date_part('dow', {day}) + 1)"
    return f"date_part('{_OF_DAY[unit]}', {day})::BIGINT"


def _of_interval(text: str, unit: str, root: TypeRoot) -> str:
    if root is TypeRoot.INTERVAL_YEAR_MONTH and unit == "QUARTER":
        return f"(({text} % 12 - 1) // 3 + 1)::BIGINT"
    table = _OF_MONTHS if root is TypeRoot.INTERVAL_YEAR_MONTH else _OF_SPAN
    if unit not in table:
        raise NotSupportedError(f"EXTRACT({unit} FROM an interval) is not supported yet")
    return f"({text} {table[unit]})::BIGINT"


EMIT: dict[str, Emit] = {"EXTRACT": _extract}
