"""Functions of numbers. Flink: BuiltInFunctionDefinitions, SqlFunctionUtils."""

from __future__ import annotations

from collections.abc import Sequence

from firesteel.errors import ValidationError
from firesteel.functions.expression.nodes import Expr, Literal
from firesteel.functions.signatures.function import Function, same_as_first
from firesteel.types.decimals import rounding
from firesteel.types.sql import DOUBLE, INT, STRING, SqlType, TypeRoot, decimal


def _whole(args: Sequence[Expr]) -> SqlType:
    """Return the type of FLOOR and CEIL: a DECIMAL loses its scale."""
    kind = args[0].type
    if kind.root is TypeRoot.DECIMAL:
        return decimal(kind.precision or 0, 0).with_nullable(kind.nullable)
    return kind


def _rounded(args: Sequence[Expr]) -> SqlType:
    """Return the type of ROUND and TRUNCATE: the type of the first argument, nullable if any argument is.

    A DECIMAL gets the precision and scale of the rounded number if the second argument, the number of digits,
    is a literal or missing. If it is an expression, the DECIMAL keeps its precision and scale.
    """
    kind = args[0].type
    nullable = any(a.type.nullable for a in args)
    if kind.root is TypeRoot.DECIMAL:
        to = args[1] if len(args) > 1 else Literal(0, INT)
        if isinstance(to, Literal) and isinstance(to.value, int):
            kind = rounding(kind, to.value)
    return kind.with_nullable(nullable)


_NARROW = (TypeRoot.TINYINT, TypeRoot.SMALLINT)


def _refused(name: str, args: Sequence[Expr]) -> ValidationError:
    shown = ", ".join(str(a.type) for a in args)
    return ValidationError(f"Unsupported call: {name}({shown})", range=args[0].range)


def _sign(args: Sequence[Expr]) -> SqlType:
    """Return the type of SIGN. Types below INT are rejected: Flink's code for them does not compile."""
    if args[0].type.root in _NARROW:
        raise _refused("SIGN", args)
    return same_as_first(args)


def _truncated(args: Sequence[Expr]) -> SqlType:
    """Return the type of TRUNCATE. Types below INT are rejected: Flink's code for them does not compile."""
    if args[0].type.root in _NARROW:
        raise _refused("TRUNCATE", args)
    return _rounded(args)


def _angle(args: Sequence[Expr]) -> SqlType:
    """Return the type of ATAN2. Its arguments must both be DECIMAL, or both not."""
    if len({a.type.root is TypeRoot.DECIMAL for a in args}) > 1:
        raise _refused("ATAN2", args)
    return DOUBLE.with_nullable(any(a.type.nullable for a in args))


NUMBER_FUNCTIONS: tuple[Function, ...] = (
    Function("ABS", "n", same_as_first, ""),
    Function("SIGN", "n", _sign, "@numbers.sign"),
    Function("FLOOR", "n", _whole, "@numbers.floor"),
    Function("CEIL", "n", _whole, "@numbers.ceil"),
    Function("CEILING", "n", _whole, "@numbers.ceil"),
    Function("ROUND", "n j?", _rounded, "@numbers.round_to"),
    Function("TRUNCATE", "n j?", _truncated, "@numbers.truncate_to"),
    *(
        Function(name, "n", DOUBLE, f"@math.{name.lower()}")
        for name in (
            *("SQRT", "EXP", "LN", "LOG10", "LOG2", "SIN", "COS", "TAN", "COT", "SINH", "COSH", "TANH"),
            *("ASIN", "ACOS", "ATAN", "DEGREES", "RADIANS"),
        )
    ),
    Function("LOG", "n", DOUBLE, "@math.ln"),
    Function("LOG", "n n", DOUBLE, "@math.log"),
    Function("POWER", "n n", DOUBLE, "@math.power"),
    Function("ATAN2", "n n", _angle, "@math.atan2"),
    Function("PI", "", DOUBLE, "pi()"),
    Function("E", "", DOUBLE, "exp(1)"),
    Function("BIN", "i", STRING, "@numbers.binary"),
    Function("RAND", "", DOUBLE, "random()"),
    Function("RAND", "i", DOUBLE, "@random.seeded"),
    Function("RAND_INTEGER", "j", INT, "@random.below"),
    Function("RAND_INTEGER", "j j", INT, "@random.seeded_below"),
    Function("UUID", "", SqlType(TypeRoot.CHAR, length=36), "uuid()::VARCHAR"),
)
