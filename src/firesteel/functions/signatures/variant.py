"""Functions of VARIANT and BITMAP. Flink: BuiltInFunctionDefinitions, FlinkSqlOperatorTable."""

from __future__ import annotations

from collections.abc import Sequence

from firesteel.functions.expression.casting import cast
from firesteel.functions.expression.nodes import Expr
from firesteel.functions.signatures.function import Function
from firesteel.types.sql import BIGINT, BYTES, INT, INTEGERS, STRING, SqlType, TypeRoot, array

VARIANT = SqlType(TypeRoot.VARIANT)
BITMAP = SqlType(TypeRoot.BITMAP)


def _typed(args: Sequence[Expr]) -> Sequence[Expr] | None:
    """Return the arguments; None if the first is an untyped NULL, which Calcite's TRY_PARSE_JSON rejects."""
    return None if args[0].type.root is TypeRoot.NULL else args


def _integers(args: Sequence[Expr]) -> Sequence[Expr] | None:
    """Return the argument of BITMAP_BUILD, cast to an array of INT.

    None if the elements of the array are not TINYINT, SMALLINT or INT. An untyped NULL is cast, too.
    """
    kind = args[0].type
    if kind.root is TypeRoot.NULL:
        return [cast(args[0], array(INT))]
    element = kind.children[0]
    if element.root is TypeRoot.NULL or element.root not in INTEGERS[:3]:
        return None
    smaller = element.root is not INT.root  # As in Flink, NULL elements become 0: the cast is to NOT NULL.
    return [cast(args[0], array(INT.with_nullable(element.nullable and not smaller)))]


VARIANT_FUNCTIONS: tuple[Function, ...] = (
    Function("PARSE_JSON", "s b?", VARIANT, "@variant.parse"),
    Function("TRY_PARSE_JSON", "s b?", VARIANT, "@variant.try_parse", nullable=True, prepare=_typed),
)

BITMAP_FUNCTIONS: tuple[Function, ...] = (
    Function("BITMAP_BUILD", "a", BITMAP, "@bitmap.build", prepare=_integers),
    Function("BITMAP_AND", "r r", BITMAP, "@bitmap.intersection"),
    Function("BITMAP_ANDNOT", "r r", BITMAP, "@bitmap.difference"),
    Function("BITMAP_OR", "r r", BITMAP, "@bitmap.union"),
    Function("BITMAP_XOR", "r r", BITMAP, "@bitmap.symmetric_difference"),
    Function("BITMAP_CARDINALITY", "r", BIGINT, "@bitmap.cardinality"),
    Function("BITMAP_FROM_BYTES", "y", BITMAP, "@bitmap.from_bytes"),
    Function("BITMAP_TO_ARRAY", "r", array(INT), "@bitmap.to_array"),
    Function("BITMAP_TO_BYTES", "r", BYTES, "@bitmap.to_bytes"),
    Function("BITMAP_TO_STRING", "r", STRING, "@bitmap.to_string"),
)
