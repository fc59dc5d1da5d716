"""Compilation of VARIANT and BITMAP expressions: access to parts, and equality."""

from __future__ import annotations

from firesteel.functions.duckdb.compile.text import Compiler
from firesteel.functions.expression.nodes import Call, Expr
from firesteel.types.sql import BIGINT, BOOLEAN, STRING, TypeRoot


def variant_item(compiler: Compiler, call: Call, placed: bool = False) -> str:
    """Return the SQL of v['name'] or v[index].

    Args:
        compiler: The compiler.
        call: The access, with the VARIANT and the name or index as arguments.
        placed: Whether the result keeps its byte offset in the VARIANT from which it is taken, because it is
            an operand of `=`, which compares these offsets in Flink. If False, the offset is 0.
    """
    value, key = call.args
    name, kind = ("field", STRING) if key.type.is_character else ("element", BIGINT)
    arguments = [(_placed(compiler, value), value.type), (compiler(key), kind)]
    return compiler.python(f"variant.{name}{'_at' if placed else ''}", arguments, call.type)


def _placed(compiler: Compiler, expr: Expr) -> str:
    if isinstance(expr, Call) and expr.function == "ITEM" and expr.args[0].type.root is TypeRoot.VARIANT:
        return variant_item(compiler, expr, placed=True)
    return compiler(expr)


def equality_operands(compiler: Compiler, left: Expr, right: Expr) -> tuple[str, str]:
    """Return the SQL of two VARIANTs or BITMAPs in a form that is equal if Flink's `=` is true.

    VARIANTs are equal if their bytes and the order of their names are equal, and if they have the same byte
    offset in the VARIANTs from which they are taken (Flink: BinaryVariant.equals). BITMAPs are equal if they
    have the same integers.
    """
    if left.type.root is TypeRoot.VARIANT:
        return _placed(compiler, left), _placed(compiler, right)
    arguments = [(compiler(left), left.type), (compiler(right), right.type)]
    return compiler.python("bitmap.same", arguments, BOOLEAN), "TRUE"


def packed(compiler: Compiler, expr: Expr, text: str) -> str:
    """Return the SQL of an output column of a Calc.

    It is `text`, the SQL of `expr`. If `expr` computes a BITMAP, the SQL also serializes it as Flink does.
    """
    if expr.type.root is not TypeRoot.BITMAP or not isinstance(expr, Call):
        return text
    return compiler.python("bitmap.to_bytes", [(text, expr.type)], expr.type)
