"""Text of literals in plans: `_UTF-16LE'tea'`, `2.5:DECIMAL(2, 1)`, `1E-3:DOUBLE`, `null:INTEGER`.

Calcite: RexLiteral.computeDigest and appendAsJava, Util.toScientificNotation.
"""

from __future__ import annotations

from datetime import date, datetime, time
from decimal import Decimal

from firesteel.functions.expression.nodes import Literal, Plain, Written
from firesteel.plan.expressions.type_text import interval_qualifier, plain_type_text, type_text
from firesteel.types.sql import APPROXIMATE, INTERVALS, SqlType, TypeRoot


def literal_text(literal: Literal, with_type: bool | None = None) -> str:
    """Return the text of a literal in a Calcite digest.

    Args:
        literal: The literal.
        with_type: Whether the type follows the value. None: only if the value does not imply the type.
    """
    text = _value_text(literal, charset=True)
    shown = not _tells_its_type(literal) if with_type is None else with_type
    if literal.type.root in INTERVALS and literal.value is not None:
        shown = True
    if not shown:
        return text
    return f"{text}:{type_text(literal.type.with_nullable(True))}"


def plain_literal_text(literal: Literal) -> str:
    """Return the text of a literal in the execution plan: `'tea'`, `2.5`, `null:INTEGER`.

    A NULL or an interval is followed by its type. Other literals are printed without type.
    """
    text = _value_text(literal, charset=False)
    if literal.value is None:
        return f"{text}:{plain_type_text(literal.type)}"
    if literal.type.root in INTERVALS:
        return f"{text}:INTERVAL {interval_qualifier(literal.type)}"
    return text


def names_itself(kind: SqlType) -> bool:
    """Return whether plans print the literals of a type without the type, as `5` for an INTEGER.

    True for BOOLEAN, INTEGER and DATE, and for TIME and TIMESTAMP with precision 0. NULL is an exception:
    plans print it with its type, as `null:INTEGER`.
    """
    if kind.root in (TypeRoot.BOOLEAN, TypeRoot.INTEGER, TypeRoot.DATE):
        return True
    return kind.root in (TypeRoot.TIME, TypeRoot.TIMESTAMP) and kind.precision == 0


def _tells_its_type(literal: Literal) -> bool:
    """Return whether the value of a literal implies its type, as 'Bar' implies CHAR(3)."""
    if literal.value is None:
        return False
    if literal.type.root is TypeRoot.CHAR and isinstance(literal.value, str):
        return len(literal.value.encode("utf-16-le", "surrogatepass")) // 2 == literal.type.length
    return names_itself(literal.type)


def _value_text(literal: Literal, charset: bool) -> str:
    value, kind = literal.value, literal.type
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return f"_UTF-16LE'{_quoted(value)}'" if charset else f"'{value}'"
    if isinstance(value, bytes):
        return f"X'{value.hex()}'"
    if isinstance(value, Plain):
        return format(value, "f")
    if isinstance(value, Written):
        return scientific_text(value.digits)
    if kind.root in APPROXIMATE and isinstance(value, (float, Decimal)):
        return scientific_text(
            Decimal(repr(value)).normalize() if isinstance(value, float) else Decimal(value)
        )
    if isinstance(value, (date, time)):
        return _moment_text(value, kind)
    if isinstance(value, Decimal):
        return format(value, "f")
    return str(value)


def _quoted(value: str) -> str:
    return value.replace("'", "''")


def _moment_text(value: date | time | datetime, kind: SqlType) -> str:
    if not isinstance(value, (datetime, time)):
        return value.isoformat()
    text = value.strftime("%Y-%m-%d %H:%M:%S" if isinstance(value, datetime) else "%H:%M:%S")
    fraction = f"{value.microsecond:06d}000"[: kind.precision or 0].rstrip("0")
    return f"{text}.{fraction}" if fraction else text


def scientific_text(value: Decimal) -> str:
    """Return a number with one digit before the point and an exponent: `1E-3`, `2.5E0`."""
    sign, digit_tuple, exponent = value.as_tuple()
    if not isinstance(exponent, int):
        return str(value)
    digits = "".join(map(str, digit_tuple))
    power = len(digits) + exponent - 1
    digits = digits[:20]
    if exponent == 0:
        digits = digits.rstrip("0") or "0"
    fraction = f".{digits[1:]}" if len(digits) > 1 else ""
    return f"{'-' if sign else ''}{digits[0]}{fraction}E{power}"
