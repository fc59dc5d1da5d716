"""Constant folding: calls of literals, evaluated at planning time by the code that evaluates rows.

Flink: ExpressionReducer, which runs the generated code of every deterministic call of literals. These calls
are not folded: those that depend on the clock or on random numbers; those whose type has no literal here
(arrays, maps, rows, intervals, TIMESTAMP_LTZ); and those that fail, which then fail in the job.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import date, datetime, time
from decimal import Context, Decimal
from math import copysign, isfinite
from typing import Any, cast

from firesteel.errors import FiresteelError, JobError, ValidationError
from firesteel.functions.duckdb.calc_spec import IN_PLACE_OF_NULL
from firesteel.functions.expression.nodes import Call, Expr, InputRef, Literal, Value
from firesteel.types.sql import APPROXIMATE, BYTES_LIKE, CHARACTER, INTEGERS, SqlType, TypeRoot

_VARYING = frozenset(
    [
        *("RAND", "RAND_INTEGER", "UUID", "NOW", "PROCTIME", "UNIX_TIMESTAMP", "TYPEOF"),
        *("JSON_OBJECT", "JSON_ARRAY", "JSON"),
    ]
)
_WITHOUT_ARGUMENTS = frozenset({"PI", "E"})
"""Functions without arguments that are constants."""
_SEVEN_DIGITS = Context(prec=7)
"""Precision of FLOAT literals in Calcite's RexBuilder (MathContext.DECIMAL32)."""
_ZONES = ("UTC", "Asia/Kathmandu")
_VALUES: dict[TypeRoot, type | tuple[type, ...]] = {
    TypeRoot.BOOLEAN: bool,
    TypeRoot.DECIMAL: Decimal,
    TypeRoot.DATE: date,
    TypeRoot.TIME: time,
    TypeRoot.TIMESTAMP: datetime,
    **dict.fromkeys(INTEGERS, int),
    **dict.fromkeys(APPROXIMATE, float),
    **dict.fromkeys(CHARACTER, str),
    **dict.fromkeys(BYTES_LIKE, bytes),
}
"""Types that literals can have, with the Python class of their values."""


def constant(call: Call, zone: str | None = None) -> Expr:
    """Return the literal that a call of literals evaluates to, or the call itself if it cannot be folded.

    Args:
        call: The call.
        zone: Time zone of the session. None: calls that depend on the zone are not folded.

    Raises:
        ValidationError: The result is in a year that literals cannot have, such as 10000. The message is
            Calcite's (DateString).
    """
    if not _is_constant(call):
        return call
    # Import DuckDB only here: few plans need it.
    from firesteel.functions.duckdb.compile.calc import compile_calc

    try:
        zones = _ZONES if zone is None else (zone,)
        # A call may return NULL although its type is NOT NULL. To see this NULL, give the call a nullable
        # type: in an output column of a NOT NULL type, NULL would become a default value or an error.
        free = replace(call, type=call.type.with_nullable(True))
        spec, *elsewhere = (compile_calc([free], None, [], time_zone=each) for each in zones)
        if any(other != spec for other in elsewhere):
            return call
        from firesteel.functions.duckdb.statement import calculated

        return _literal(calculated(spec), call)
    except OverflowError as error:  # Neither Python nor Calcite has literals for the year 10000.
        raise ValidationError("Year out of range", range=call.range) from error
    except JobError:
        call.__dict__[_FAILED] = True
        return call
    except FiresteelError:
        return call


_FAILED = "_failed"
_NO_LITERAL = "_no_literal"
_IS_NULL = "_is_null"


def failed(call: Call) -> bool:
    """Return whether `constant` has tried to evaluate this very object, and the evaluation failed."""
    return _FAILED in call.__dict__


def has_no_literal(call: Call) -> bool:
    """Return whether `constant` has evaluated this very object to a value that has no literal.

    Such values are NULL of a NOT NULL type, NaN and infinities. Flink's reducer does not fold such a call.
    """
    return _NO_LITERAL in call.__dict__


def is_null(call: Call) -> bool:
    """Return whether `constant` has evaluated this very object to NULL although its type is NOT NULL."""
    return _IS_NULL in call.__dict__


def in_place_of_null(kind: SqlType, call: Call) -> Literal | None:
    """Return the literal that Flink's generated code has in place of NULL of a NOT NULL type.

    The result is None if the type is nullable, or if its values are Java objects.
    """
    if kind.nullable or kind.root not in IN_PLACE_OF_NULL:
        return None
    return Literal(cast("Value", IN_PLACE_OF_NULL[kind.root]), _as_long("", kind), call.range)


def as_largest(call: Call) -> Expr:
    """Return what Flink's generated code reads for a constant call: the call, or a default value for NULL.

    If the result is NULL, but the type is NOT NULL, the code reads the type's default value, such as -1 for
    an INT. There are two exceptions, in which NULL stays NULL:

    - The values of the type are Java objects. Such a type has no default value.
    - The type is CHAR or VARCHAR, the call is no CAST, and none of its arguments is a call for which
      `is_null` is True.

    Args:
        call: A constant call that is not an argument of another constant call.
    """
    if not is_null(call):
        return call
    by_argument = call.function == "CAST" or any(isinstance(a, Call) and is_null(a) for a in call.args)
    if call.type.is_character and not by_argument:
        return call
    return in_place_of_null(call.type, call) or call


def _is_constant(call: Call) -> bool:
    if call.type.root not in _VALUES or (not call.args and call.function not in _WITHOUT_ARGUMENTS):
        return False
    if call.type.root is TypeRoot.TIMESTAMP and (call.type.precision or 0) > 6:
        return False
    pending: list[Expr] = [call]
    while pending:
        part = pending.pop()
        if isinstance(part, InputRef):
            return False
        if isinstance(part, Call) and (part.function == "ROW" or varies(part)):
            return False
        pending += part.args if isinstance(part, Call) else ()
    return True


def varies(call: Call) -> bool:
    """Return whether a call of literals may have different values, so that it is no constant.

    True for user-defined functions, random numbers, the clock and TYPEOF. Also True for JSON_OBJECT,
    JSON_ARRAY and JSON, whose value depends on the call of which they are an argument.
    """
    function = call.function
    return call.user is not None or function in _VARYING or function.startswith(("CURRENT_", "LOCALTIME"))


def _literal(value: Any, call: Call) -> Expr:
    kind = call.type.with_nullable(False)
    if value is None:
        if call.type.nullable:
            return Literal(None, call.type, call.range)
        call.__dict__[_NO_LITERAL] = call.__dict__[_IS_NULL] = True
        return call
    if not isinstance(value, _VALUES[kind.root]):
        return call
    if isinstance(value, float):
        if not isfinite(value):
            call.__dict__[_NO_LITERAL] = True
            return call
        if value == 0 and copysign(1, value) < 0:
            return call
        exact = Decimal(value)
        if kind.root is TypeRoot.FLOAT:
            exact = _SEVEN_DIGITS.plus(exact).normalize()
        return Literal(exact, kind, call.range)
    return Literal(cast("Value", value), _as_long(value, kind), call.range)


def _as_long(value: Any, kind: SqlType) -> SqlType:
    """Return the type of a literal: for CHAR with the length of the text `value`, else `kind` unchanged.

    The length is counted in UTF-16 units.
    """
    if kind.root is not TypeRoot.CHAR:
        return kind
    return replace(kind, length=len(value.encode("utf-16-le", "surrogatepass")) // 2)
