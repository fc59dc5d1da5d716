"""Compilation of CAST and TRY_CAST with Flink's results. Flink: the `CastRule`s of the table planner.

A cast between numbers never fails: integers wrap, floating point numbers saturate, and a DECIMAL that does
not fit is NULL. If a string cannot be cast, CAST fails, and TRY_CAST returns NULL.
"""

from __future__ import annotations

from collections.abc import Callable

from firesteel.errors import NotSupportedError
from firesteel.functions.duckdb.compile.nested import nested
from firesteel.functions.duckdb.compile.text import Compiler, Emit, quoted
from firesteel.functions.duckdb.compile.times.casts import between_times
from firesteel.functions.duckdb.compile.times.moments import local
from firesteel.functions.expression.nodes import Call
from firesteel.types import sql
from firesteel.types.codec import encode
from firesteel.types.duckdb import to_duckdb
from firesteel.types.sql import (
    APPROXIMATE,
    BYTES_LIKE,
    CHARACTER,
    INTEGERS,
    INTERVALS,
    MAX_LENGTH,
    NUMERIC,
    TIMESTAMPS,
    SqlType,
    TypeRoot,
)

_LONG_BOUND = "9223372036854775808::DOUBLE"
_NESTED = (TypeRoot.ARRAY, TypeRoot.MAP, TypeRoot.ROW, TypeRoot.MULTISET)


def cast(compiler: Compiler, text: str, source: SqlType, target: SqlType, attempt: bool = False) -> str:
    """Return the SQL text cast from type `source` to `target`; as TRY_CAST if `attempt` is set.

    Raises:
        NotSupportedError: Flink has the cast, but Firesteel does not.
    """
    if source.root is TypeRoot.NULL:
        return f"CAST(NULL AS {to_duckdb(target)})"
    if source.same_as(target):
        return text
    if target.root in _NESTED:
        return nested(compiler, text, source, target, attempt)
    if target.root in CHARACTER:
        return _to_string(compiler, text, source, target)
    if source.root in CHARACTER:
        return _from_string(compiler, text, source, target, attempt)
    for (sources, targets), rule in _RULES:
        if source.root in sources and target.root in targets:
            return rule(compiler, text, source, target)
    raise NotSupportedError(f"CAST from {source} to {target} is not supported yet")


def _to_integer(compiler: Compiler, text: str, source: SqlType, target: SqlType) -> str:
    name = to_duckdb(target)
    if source.root is TypeRoot.BOOLEAN:
        return f"CAST({text} AS {name})"
    if source.root in INTEGERS:
        if INTEGERS.index(source.root) < INTEGERS.index(target.root):
            return f"CAST({text} AS {name})"
        return f"wrap_{name.lower()}({text}::BIGINT)"
    if source.root is TypeRoot.DECIMAL:
        whole = f"trunc({text})::HUGEINT"
        if (source.precision or 0) - (source.scale or 0) <= 18:
            whole = f"trunc({text})::BIGINT"
        if target.root is TypeRoot.BIGINT:
            return f"wrap_bigint({whole}::HUGEINT)"
        return f"wrap_{name.lower()}(wrap_bigint({whole}::HUGEINT))"
    number = f"{text}::DOUBLE"
    if target.root is TypeRoot.BIGINT:
        return f"saturated_bigint({number})"
    saturated = f"CAST(saturate({number}, -2147483648, 2147483647) AS INTEGER)"
    if target.root is TypeRoot.INTEGER:
        return saturated
    return f"wrap_{name.lower()}({saturated}::BIGINT)"


def _to_decimal(compiler: Compiler, text: str, source: SqlType, target: SqlType) -> str:
    if source.root in APPROXIMATE:
        return compiler.python("decimals.from_double", [(text, sql.DOUBLE)], target)
    if source.root is TypeRoot.BOOLEAN:
        text = f"{text}::INTEGER"
    return f"TRY_CAST({text} AS {to_duckdb(target)})"


def _to_approximate(compiler: Compiler, text: str, source: SqlType, target: SqlType) -> str:
    if source.root is TypeRoot.DOUBLE and target.root is TypeRoot.FLOAT:
        return compiler.python("casts.to_float", [(text, source)], target)
    if source.root is TypeRoot.DECIMAL:
        return f"CAST({_double(text, source)} AS {to_duckdb(target)})"  # A FLOAT is cast from the DOUBLE.
    return f"CAST({text} AS {to_duckdb(target)})"


def _double(text: str, source: SqlType) -> str:
    """Return the SQL of a cast from DECIMAL to DOUBLE (DecimalDataUtils.doubleValue)."""
    precision, scale = source.precision or 0, source.scale or 0
    if precision > 18:
        return f"nearest_double({text})"
    return _divided(text, scale) if scale and precision > 15 else f"CAST({text} AS DOUBLE)"


def _divided(text: str, scale: int) -> str:
    """Return the SQL of a cast from a DECIMAL of up to 18 digits to DOUBLE.

    The SQL computes as Flink does: 123.45 -> 12345 (unscaled value) -> nearest DOUBLE -> divided by 10^scale.
    DuckDB's own cast may give another last bit: if no DOUBLE equals the unscaled value, the cast converts the
    digits before and after the point separately.
    """
    digits = f"({text}::DECIMAL(19,{scale}) * '{10**scale}'::DECIMAL({scale + 1},0))::BIGINT"
    return f"({digits}::DOUBLE / 1e{scale}::DOUBLE)"


def _to_boolean(compiler: Compiler, text: str, source: SqlType, target: SqlType) -> str:
    return f"({text} <> 0)"


def _to_interval(compiler: Compiler, text: str, source: SqlType, target: SqlType) -> str:
    if source.root is TypeRoot.BIGINT and target.root is TypeRoot.INTERVAL_YEAR_MONTH:
        return f"wrap_integer({text})"
    return f"CAST({text} AS {to_duckdb(target)})"


def _packed(compiler: Compiler, text: str, source: SqlType, target: SqlType) -> str:
    return compiler.python("bitmap.to_bytes", [(text, source)], target)


def _to_bytes(compiler: Compiler, text: str, source: SqlType, target: SqlType) -> str:
    return sized(text, source, target)


def _to_string(compiler: Compiler, text: str, source: SqlType, target: SqlType) -> str:
    return sized(
        _text_of(compiler, text, source), sql.STRING if source.root not in CHARACTER else source, target
    )


def _text_of(compiler: Compiler, text: str, source: SqlType) -> str:
    root = source.root
    if root in CHARACTER:
        return text
    if root in _NESTED:
        extra = [(quoted(encode(source)), sql.STRING), (quoted(compiler.time_zone), sql.STRING)]
        return compiler.python("casts.to_text", [(text, source), *extra], sql.STRING)
    if root is TypeRoot.BOOLEAN:
        return f"(CASE WHEN {text} THEN 'TRUE' WHEN NOT {text} THEN 'FALSE' END)"
    if root is TypeRoot.DECIMAL and source.precision == source.scale:  # DuckDB omits the 0 before the point.
        return f"replace(CAST({text} AS VARCHAR), '.', '0.')"
    if root in INTEGERS or root is TypeRoot.DECIMAL:
        return f"CAST({text} AS VARCHAR)"
    if root is TypeRoot.DATE:
        return f"four_digit_year(strftime({text}, '%Y-%m-%d'), 10)"
    names = {
        TypeRoot.FLOAT: "casts.text_of_float",
        TypeRoot.DOUBLE: "casts.text_of_double",
        TypeRoot.INTERVAL_DAY_TIME: "casts.text_of_day_time",
        TypeRoot.INTERVAL_YEAR_MONTH: "casts.text_of_year_month",
        **dict.fromkeys(BYTES_LIKE, "casts.text_of_bytes"),
        TypeRoot.BITMAP: "bitmap.to_string",
    }
    if root in names:
        return compiler.python(names[root], [(text, source)], sql.STRING)
    precision = (str(source.precision or 0), sql.INT)
    if root is TypeRoot.TIME:
        return compiler.python("casts.text_of_time", [(text, source), precision], sql.STRING)
    if root is TypeRoot.TIMESTAMP_LTZ:
        text = local(compiler, text, source)
    if (source.precision or 0) <= 6:
        fraction = {0: "", 3: ".%g", 6: ".%f"}.get(source.precision or 0)
        if fraction is not None:
            length = 19 + len(fraction and "." * ((source.precision or 0) + 1))
            return f"four_digit_year(strftime({text}, '%Y-%m-%d %H:%M:%S{fraction}'), {length})"
    unit = ("1000" if (source.precision or 0) <= 6 else "1", sql.INT)
    return compiler.python("casts.text_of_timestamp", [(text, source), precision, unit], sql.STRING)


def sized(text: str, source: SqlType, target: SqlType) -> str:
    """Return the SQL of a string or bytes, cut to the target's length. CHAR and BINARY are also padded."""
    length = target.length or 0
    if length == MAX_LENGTH or (
        (source.length or 0) <= length and target.root in (TypeRoot.VARCHAR, TypeRoot.VARBINARY)
    ):
        return text
    if target.root in CHARACTER:
        if target.root is TypeRoot.CHAR:
            return f"rpad(left({text}, {length}), {length}, ' ')" if length else f"left({text}, 0)"
        return f"left({text}, {length})"
    cut = f"unhex(left(hex({text}), {2 * length}))"
    return (
        cut
        if target.root is TypeRoot.VARBINARY
        else f"unhex(rpad(left(hex({text}), {2 * length}), {2 * length}, '0'))"
    )


def _from_string(compiler: Compiler, text: str, source: SqlType, target: SqlType, attempt: bool) -> str:
    if target.root in BYTES_LIKE:
        return sized(f"encode({text})", sql.BYTES, target)
    prefix = "try_" if attempt else ""
    arguments = [(text, sql.STRING)]
    if target.root in TIMESTAMPS:
        arguments += [(str(target.precision or 0), sql.INT), (quoted(_zone(compiler, target)), sql.STRING)]
    if target.root is TypeRoot.TIME:
        arguments.append((str(target.precision or 0), sql.INT))
    names = {
        TypeRoot.BOOLEAN: "boolean",
        **{root: to_duckdb(SqlType(root)).lower() for root in INTEGERS},
        TypeRoot.FLOAT: "single",
        TypeRoot.DOUBLE: "double",
        TypeRoot.DECIMAL: "decimal",
        TypeRoot.DATE: "date",
        TypeRoot.TIME: "time",
        TypeRoot.TIMESTAMP: "timestamp",
        TypeRoot.TIMESTAMP_LTZ: "timestamp",
    }
    if target.root not in names:
        raise NotSupportedError(f"CAST from {source} to {target} is not supported yet")
    return compiler.python(f"parsing.{prefix}{names[target.root]}", arguments, target)


def _zone(compiler: Compiler, target: SqlType) -> str:
    return compiler.time_zone if target.root is TypeRoot.TIMESTAMP_LTZ else "UTC"


Rule = Callable[[Compiler, str, SqlType, SqlType], str]
_RULES: tuple[tuple[tuple[tuple[TypeRoot, ...], tuple[TypeRoot, ...]], Rule], ...] = (
    (((TypeRoot.BITMAP,), BYTES_LIKE), _packed),
    (((*NUMERIC, TypeRoot.BOOLEAN), INTEGERS), _to_integer),
    (((*NUMERIC, TypeRoot.BOOLEAN), (TypeRoot.DECIMAL,)), _to_decimal),
    (((*NUMERIC, TypeRoot.BOOLEAN), APPROXIMATE), _to_approximate),
    ((NUMERIC, (TypeRoot.BOOLEAN,)), _to_boolean),
    ((INTEGERS, INTERVALS), _to_interval),
    ((INTERVALS, INTEGERS), _to_interval),
    ((BYTES_LIKE, BYTES_LIKE), _to_bytes),
    (
        ((TypeRoot.DATE, TypeRoot.TIME, *TIMESTAMPS), (TypeRoot.DATE, TypeRoot.TIME, *TIMESTAMPS)),
        between_times,
    ),
)


def _cast(compiler: Compiler, call: Call) -> str:
    (operand,) = call.args
    if operand.type.nullable and not call.type.nullable and operand.type.same_as(call.type):
        # A CAST to NOT NULL must be checked for NULL. Statement (statement.py) checks computed columns, but
        # no plain references such as `f0`. In parentheses, a reference is a computed column.
        return f"({compiler(operand)})"
    return cast(compiler, compiler(operand), operand.type, call.type, call.function == "TRY_CAST")


EMIT: dict[str, Emit] = {"CAST": _cast, "TRY_CAST": _cast}
