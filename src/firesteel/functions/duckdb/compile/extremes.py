"""Compilation of GREATEST and LEAST. Flink: ScalarOperatorGens.generateGreatestLeast.

The result is NULL if any argument is. NaN is the greatest, -0.0 is less than 0.0, and strings are ordered by
UTF-16 units. The SQL contains each argument once, or twice if it is a column, so nested calls stay short.
"""

from __future__ import annotations

from firesteel.functions.duckdb.compile.text import Compiler, Emit, quoted
from firesteel.functions.expression.casting import rounded_literal
from firesteel.functions.expression.nodes import Call, Expr, InputRef, Literal
from firesteel.types.sql import APPROXIMATE, SqlType, TypeRoot


def _extreme(compiler: Compiler, call: Call) -> str:
    kind, name = call.type, call.function.lower()
    texts = [_argument(compiler, call.args[: i + 1], call) for i in range(len(call.args))]
    if len(texts) == 1:
        return texts[0]
    if kind.is_character:
        return compiler.python(f"strings.{name}", [(text, kind) for text in texts], kind)
    approximate = kind.root in APPROXIMATE
    if not approximate and all(isinstance(arg, (InputRef, Literal)) for arg in call.args):
        missing = [f"{t} IS NULL" for t, arg in zip(texts, call.args, strict=True) if _may_be_null(arg)]
        found = f"{name}({', '.join(texts)})"
        return f"(CASE WHEN {' OR '.join(missing)} THEN NULL ELSE {found} END)" if missing else found
    best, other = compiler.fresh_name(), compiler.fresh_name()
    a, b = (f"in_total_order({x}::DOUBLE)" if approximate else x for x in (best, other))
    test = f"{b} {'>' if name == 'greatest' else '<'} {a}"
    either = f"CASE WHEN {test} THEN {other} WHEN {best} IS NULL OR {other} IS NULL THEN NULL ELSE {best} END"
    return f"list_reduce([{', '.join(texts)}], lambda {best}, {other}: {either})"


def _may_be_null(arg: Expr) -> bool:
    """Return whether a column or a literal may be NULL.

    A DECIMAL literal of a NOT NULL type is NULL if it has too many digits after rounding to its scale.
    """
    return arg.type.nullable or (isinstance(arg, Literal) and rounded_literal(arg).value is None)


def _argument(compiler: Compiler, args: tuple[Expr, ...], call: Call) -> str:
    """Return the SQL of one argument of GREATEST or LEAST, cast to the result's type.

    As in Flink, a NULL of a DECIMAL type that differs from the result's type is an error: Flink casts the
    argument before it checks it for NULL. If an argument before it is NULL, there is no error: the result
    is NULL, and Flink does not evaluate the argument.

    Args:
        args: The arguments before it, and the argument itself as the last one.
    """
    *before, arg = args
    text = compiler(arg)
    cast = compiler.cast(text, arg.type, call.type)
    if not _fails_on_null(arg.type, call.type):
        return cast
    tests = [f"{text} IS NULL", *(f"{compiler(a)} IS NOT NULL" for a in before if a.type.nullable)]
    message = f"flink:{call.function}: a NULL {arg.type} cannot be brought into {call.type}"
    return f"(CASE WHEN {' AND '.join(tests)} THEN error({quoted(message)}) ELSE {cast} END)"


def _fails_on_null(source: SqlType, target: SqlType) -> bool:
    return source.root is TypeRoot.DECIMAL and source.nullable and not source.same_as(target)


EMIT: dict[str, Emit] = {"GREATEST": _extreme, "LEAST": _extreme}
