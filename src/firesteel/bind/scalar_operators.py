"""Operators: arithmetic, comparison, logic, IN, BETWEEN, LIKE, IS, and access to elements."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sqlglot import exp

from firesteel.bind.comparison import check_assignable, comparable, compare
from firesteel.errors import NotSupportedError, SourceRange, ValidationError
from firesteel.expr.casting import cast
from firesteel.expr.nodes import Call, Expr, Literal
from firesteel.expr.type_names import calcite_name
from firesteel.sql import dialect
from firesteel.sql.dialect import range_of
from firesteel.types import decimals, sql
from firesteel.types.coerce import common_type
from firesteel.types.sql import APPROXIMATE, BYTES_LIKE, SqlType, TypeRoot

if TYPE_CHECKING:
    from firesteel.bind.scalar import Rule, ScalarBinder

_ARITHMETIC = {exp.Add: "+", exp.Sub: "-", exp.Mul: "*", exp.Div: "/", exp.Mod: "MOD"}
_COMPARISON = {exp.EQ: "=", exp.NEQ: "<>", exp.LT: "<", exp.LTE: "<=", exp.GT: ">", exp.GTE: ">="}
LEFT_DEEP = (*_ARITHMETIC, exp.DPipe)
"""Operators that make chains: their left operand is one of them, and so on."""
_DECIMAL = {
    "+": decimals.addition,
    "-": decimals.addition,
    "*": decimals.multiplication,
    "/": decimals.division,
    "MOD": decimals.modulus,
}


def nullable(*args: Expr) -> bool:
    """Whether any of the arguments may be NULL."""
    return any(a.type.nullable for a in args)


def wrong_operands(
    name: str, args: Sequence[Expr], supported: str, place: SourceRange | None
) -> ValidationError:
    """Flink's message for operands of the wrong type."""
    types = [f"<{calcite_name(a.type)}>" for a in args]
    shown = f"{name} {types[0]}" if len(types) == 1 else f" {name} ".join(types)
    return ValidationError(
        f"Cannot apply '{name}' to arguments of type '{shown}'. Supported form(s): {supported}", range=place
    )


def arithmetic(name: str, left: Expr, right: Expr, place: SourceRange | None = None) -> Expr:
    """left `name` right for two numbers, typed as Flink does. Raises ValidationError for other types."""
    left, right = _typed_null(left, right), _typed_null(right, left)
    if not left.type.is_numeric or not right.type.is_numeric:
        raise wrong_operands(name, (left, right), f"'<NUMERIC> {name} <NUMERIC>'", place)
    kind = _arithmetic_type(name, left.type, right.type, place)
    return Call(name, (left, right), kind.with_nullable(nullable(left, right)), range=place)


def _typed_null(value: Expr, other: Expr) -> Expr:
    return cast(value, other.type) if value.type.root is TypeRoot.NULL else value


def _arithmetic_type(name: str, left: SqlType, right: SqlType, place: SourceRange | None) -> SqlType:
    if name == "MOD" and (left.root in APPROXIMATE or right.root in APPROXIMATE):
        shown = f"MOD(<{calcite_name(left)}>, <{calcite_name(right)}>)"
        raise ValidationError(
            f"Cannot apply 'MOD' to arguments of type '{shown}'. Supported form(s): "
            "'MOD(<EXACT_NUMERIC>, <EXACT_NUMERIC>)'",
            range=place,
        )
    if left.root in APPROXIMATE or right.root in APPROXIMATE:
        return common_type([left, right]) or sql.DOUBLE
    if TypeRoot.DECIMAL in (left.root, right.root):
        return _DECIMAL[name](left, right)
    return right if name == "MOD" else common_type([left, right]) or left


def _arithmetic(binder: ScalarBinder, node: exp.Expression) -> Expr:
    name = _ARITHMETIC[type(node)]
    left, right = binder.bind(node.this), binder.bind(node.expression)
    place = range_of(node)
    if left.type.is_datetime or right.type.is_datetime or left.type.is_interval or right.type.is_interval:
        from firesteel.bind.temporal import temporal_arithmetic

        return temporal_arithmetic(name, left, right, place)
    return arithmetic(name, left, right, place)


def _negate(binder: ScalarBinder, node: exp.Expression) -> Expr:
    operand = binder.bind_typed(node.this)
    if (
        isinstance(operand, Literal)
        and isinstance(node.this, (exp.Literal, exp.Neg))
        and operand.type.is_numeric
    ):
        return negative_literal(node, operand)
    if not (operand.type.is_numeric or operand.type.is_interval):
        raise wrong_operands("-", (operand,), "'-<NUMERIC>'", range_of(node))
    return Call("-", (operand,), operand.type, range=range_of(node))


def negative_literal(node: exp.Expression, operand: Literal) -> Literal:
    """`-5` is a literal of its own: -2147483648 is an INT though 2147483648 is a BIGINT."""
    from firesteel.bind.scalar_literals import integer

    value = operand.value
    if isinstance(value, int) and not isinstance(value, bool):
        return integer(-value, range_of(node))
    if isinstance(value, float) and value == 0:
        return Literal(0.0, operand.type, range=range_of(node))  # Calcite reads it as a decimal: no sign
    return Literal(-value, operand.type, range=range_of(node))  # type: ignore[operator]


def _plus(binder: ScalarBinder, node: exp.Expression) -> Expr:
    operand = binder.bind_typed(node.this)
    if not (operand.type.is_numeric or operand.type.is_interval):
        raise wrong_operands("+", (operand,), "'+<NUMERIC>'", range_of(node))
    return operand


def _compare(binder: ScalarBinder, node: exp.Expression) -> Expr:
    left, right = binder.bind(node.this), binder.bind(node.expression)
    return compare(_COMPARISON[type(node)], left, right, range_of(node))


def _distinct(binder: ScalarBinder, node: exp.Expression) -> Expr:
    left, right = binder.bind(node.this), binder.bind(node.expression)
    name = "IS DISTINCT FROM" if isinstance(node, exp.NullSafeNEQ) else "IS NOT DISTINCT FROM"
    left, right = comparable(name, left, right, range_of(node))
    for value, other in ((left, right), (right, left)):
        if isinstance(value, Literal) and value.value is None:
            test = "IS NOT NULL" if isinstance(node, exp.NullSafeNEQ) else "IS NULL"
            return Call(test, (other,), sql.BOOLEAN.with_nullable(False), range=range_of(node))
    return Call(name, (left, right), sql.BOOLEAN.with_nullable(False), range=range_of(node))


def _condition(binder: ScalarBinder, node: exp.Expression, name: str) -> Expr:
    found = binder.bind_typed(node)
    if found.type.root is not TypeRoot.BOOLEAN:
        shown = f"<{calcite_name(found.type)}>"
        raise ValidationError(
            f"Cannot apply '{name}' to arguments of type {shown}. "
            f"Supported form(s): '<BOOLEAN> {name} <BOOLEAN>'",
            range=range_of(node),
        )
    return found


def junction(name: str, args: Sequence[Expr], place: SourceRange | None = None) -> Expr:
    """AND or OR of all, one call: operands of the same kind are taken in. One operand is itself."""
    flat: list[Expr] = []
    for arg in args:
        flat += arg.args if isinstance(arg, Call) and arg.function == name else (arg,)
    if len(flat) == 1:
        return flat[0]
    return Call(name, tuple(flat), sql.BOOLEAN.with_nullable(nullable(*flat)), range=place)


def _junction(binder: ScalarBinder, node: exp.Expression) -> Expr:
    name = "AND" if isinstance(node, exp.And) else "OR"
    kind, parts = type(node), [node]
    while type(parts[-1].this) is kind:
        parts.append(parts[-1].this)
    nodes = [parts[-1].this, *(part.expression for part in reversed(parts))]
    return junction(name, [_condition(binder, part, name) for part in nodes], range_of(node))


def negated(operand: Expr, place: SourceRange | None = None) -> Expr:
    """NOT operand."""
    return Call("NOT", (operand,), sql.BOOLEAN.with_nullable(operand.type.nullable), range=place)


def _not(binder: ScalarBinder, node: exp.Expression) -> Expr:
    return negated(_condition(binder, node.this, "NOT"), range_of(node))


def _is(binder: ScalarBinder, node: exp.Expression) -> Expr:
    test = node.args["test"]
    if test.startswith("JSON"):
        from firesteel.bind.scalar_json import is_json

        return is_json(binder, node)
    operand = binder.bind(node.this)
    if test in ("TRUE", "FALSE", "UNKNOWN"):
        operand = _condition(binder, node.this, f"IS {test}")
    words = "NULL" if test == "UNKNOWN" else test
    name = f"IS {'NOT ' if node.args.get('negated') else ''}{words}"
    return Call(name, (operand,), sql.BOOLEAN.with_nullable(False), range=range_of(node))


def _between(binder: ScalarBinder, node: exp.Expression) -> Expr:
    value = binder.bind(node.this)
    low, high = binder.bind(node.args["low"]), binder.bind(node.args["high"])
    place = range_of(node)

    def within(a: Expr, b: Expr) -> Expr:
        return junction("AND", [compare(">=", value, a, place), compare("<=", value, b, place)], place)

    if node.args.get("symmetric"):
        return junction("OR", [within(low, high), within(high, low)], place)
    return within(low, high)


def _in(binder: ScalarBinder, node: exp.Expression) -> Expr:
    place = range_of(node)
    if node.args.get("query") is not None:
        raise NotSupportedError("IN (SELECT ...) is not supported yet", range=place)
    value = binder.bind(node.this)
    items = binder.bind_all(node.expressions)
    check_assignable([item.type for item in items], place)
    if common_type([item.type for item in items]) is None:
        raise ValidationError("Values in expression list must have compatible types", range=place)
    tests = [_equals_item(value, item, place) for item in items]
    return junction("OR", list(dict.fromkeys(tests)), place)


def _equals_item(value: Expr, item: Expr, place: SourceRange) -> Expr:
    """One `=` of an IN list: the item is brought into the value's type first, whether it fits or not, but for
    one of the same root, and for CHAR beside VARCHAR (Calcite: SqlToRelConverter.ensureSqlType)."""
    a, b = value.type, item.type
    if a.root is b.root is TypeRoot.VARIANT:  # the list alone is of one type
        return Call("=", (value, item), sql.BOOLEAN.with_nullable(nullable(value, item)), range=place)
    if isinstance(value, Call) and isinstance(item, Call) and value.function == item.function == "ROW":
        pairs = zip(value.args, item.args, strict=False)
        if len(value.args) == len(item.args) > 1:
            return junction("AND", [_equals_item(x, y, place) for x, y in pairs], place)
    if a.root is not b.root and (
        (a.is_numeric and (b.is_numeric or b.is_character))
        or (b.is_character and (a.root in (TypeRoot.CHAR, TypeRoot.BOOLEAN) or a.is_datetime))
    ):
        item = cast(item, a)
    return compare("=", value, item, place)


def _like(binder: ScalarBinder, node: exp.Expression) -> Expr:
    name = "LIKE" if isinstance(node, exp.Like) else "SIMILAR TO"
    parts = [node.this, node.expression, node.args.get("escape")]
    args = [
        cast(a, sql.STRING) if a.type.root is TypeRoot.NULL else a
        for a in binder.bind_all([p for p in parts if p])
    ]
    if not all(a.type.is_character for a in args):
        supported = f"'<STRING> {name} <STRING> ESCAPE <STRING>'"
        raise wrong_operands(name, args, supported, range_of(node))
    return Call(name, tuple(args), sql.BOOLEAN.with_nullable(nullable(*args)), range=range_of(node))


def _concat(binder: ScalarBinder, node: exp.Expression) -> Expr:
    left, right = binder.bind(node.this), binder.bind(node.expression)
    left, right = _typed_null(left, right), _typed_null(right, left)
    place = range_of(node)
    if left.type.is_character and right.type.is_character:
        roots = TypeRoot.CHAR, TypeRoot.VARCHAR
    elif left.type.root in BYTES_LIKE and right.type.root in BYTES_LIKE:
        roots = TypeRoot.BINARY, TypeRoot.VARBINARY
    else:
        raise wrong_operands("||", (left, right), "'<STRING> || <STRING>'", place)
    length = min((left.type.length or 0) + (right.type.length or 0), sql.MAX_LENGTH)
    root = roots[0] if left.type.root is right.type.root is roots[0] else roots[1]
    kind = SqlType(root, nullable(left, right), length=length)
    return Call("||", (left, right), kind, range=place)


def _item(binder: ScalarBinder, node: exp.Expression) -> Expr:
    value, key = binder.bind(node.this), binder.bind(node.expressions[0])
    place = range_of(node)
    root = value.type.root
    if root is TypeRoot.ARRAY and key.type.is_integer:
        if isinstance(key, Literal) and isinstance(key.value, int) and key.value < 1:
            raise ValidationError(
                f"Array element access needs an index starting at 1 but was {key.value}.", range=place
            )
        return Call("ITEM", (value, key), value.type.children[0].with_nullable(True), range=place)
    if root is TypeRoot.MAP and comparable_kinds(value.type.children[0], key.type):
        if isinstance(value, Call) and value.function == "MAP_UNION" and len(value.args) > 1:
            raise ValidationError("MAP_UNION(...)[key]: Flink fails to read a key of a union", range=place)
        return Call("ITEM", (value, key), value.type.children[1].with_nullable(True), range=place)
    if root is TypeRoot.VARIANT and (key.type.is_integer or key.type.is_character):
        return Call("ITEM", (value, key), value.type.with_nullable(True), range=place)
    types = f"ITEM(<{calcite_name(value.type)}>, <{calcite_name(key.type)}>)"
    raise ValidationError(
        f"Cannot apply 'ITEM' to arguments of type '{types}'. Supported form(s): <ARRAY>[<INTEGER>]\n"
        "<MAP>[<ANY>]\n<ROW>[<CHARACTER>|<INTEGER>]\n<VARIANT>[<CHARACTER>|<INTEGER>]",
        range=place,
    )


def comparable_kinds(left: SqlType, right: SqlType) -> bool:
    """Whether a map's key may be compared with a value of the other type."""
    return common_type([left, right]) is not None


def field(value: Expr, name: str, place: SourceRange | None) -> Expr:
    """A ROW's field; raises ValidationError where the row has none of that name."""
    if value.type.root is not TypeRoot.ROW:
        raise ValidationError(f"{calcite_name(value.type)} has no fields", range=place)
    if name not in value.type.names:
        known = ", ".join(value.type.names)
        raise ValidationError(f"Field '{name}' not found", range=place, hint=f"the row's fields are {known}")
    kind = value.type.children[value.type.names.index(name)]
    kind = kind.with_nullable(kind.nullable or value.type.nullable)
    return Call("ITEM_FIELD", (value,), kind, (name,), range=place)


def _dot(binder: ScalarBinder, node: exp.Expression) -> Expr:
    return field(binder.bind(node.this), node.expression.name, range_of(node))


RULES: dict[type[exp.Expression], Rule] = {
    **dict.fromkeys(_ARITHMETIC, _arithmetic),
    **dict.fromkeys(_COMPARISON, _compare),
    exp.Neg: _negate,
    dialect.Plus: _plus,
    exp.NullSafeEQ: _distinct,
    exp.NullSafeNEQ: _distinct,
    exp.And: _junction,
    exp.Or: _junction,
    exp.Not: _not,
    dialect.IsTest: _is,
    exp.Between: _between,
    exp.In: _in,
    exp.Like: _like,
    exp.SimilarTo: _like,
    exp.DPipe: _concat,
    exp.Bracket: _item,
    exp.Dot: _dot,
}
