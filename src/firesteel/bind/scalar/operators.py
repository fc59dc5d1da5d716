"""Binding of operators: arithmetic, comparison, logic, IN, BETWEEN, LIKE, IS, and access to elements."""

from __future__ import annotations

from collections.abc import Sequence

from firesteel.bind.binder import Binder, Rule
from firesteel.bind.scalar.comparison import (
    Incomparable,
    as_numbers,
    check_assignable,
    comparable,
    compare,
    rows_equal,
)
from firesteel.bind.scalar.json import is_json
from firesteel.bind.scalar.literals import integer, number
from firesteel.bind.scalar.sub_queries import within
from firesteel.bind.scalar.temporal import temporal_arithmetic
from firesteel.errors import SourceRange, ValidationError
from firesteel.functions.expression.casting import cast
from firesteel.functions.expression.nodes import IN_LIST, Call, Expr, Literal
from firesteel.functions.signatures.type_names import calcite_name
from firesteel.sql import syntax
from firesteel.types import decimals, sql
from firesteel.types.coerce import common_type
from firesteel.types.sql import APPROXIMATE, BYTES_LIKE, SqlType, TypeRoot

_ARITHMETIC = {"+": "+", "-": "-", "*": "*", "/": "/", "%": "MOD"}
_DECIMAL = {
    "+": decimals.addition,
    "-": decimals.addition,
    "*": decimals.multiplication,
    "/": decimals.division,
    "MOD": decimals.modulus,
}


def nullable(*args: Expr) -> bool:
    """Return whether any of the arguments may be NULL."""
    return any(a.type.nullable for a in args)


def wrong_operands(
    name: str, args: Sequence[Expr], supported: str, place: SourceRange | None
) -> ValidationError:
    """Return Flink's error for wrong operands. `supported` shows the right form: '<NUMERIC> + <NUMERIC>'."""
    types = [f"<{calcite_name(a.type)}>" for a in args]
    shown = f"{name} {types[0]}" if len(types) == 1 else f" {name} ".join(types)
    return ValidationError(
        f"Cannot apply '{name}' to arguments of type '{shown}'. Supported form(s): {supported}", range=place
    )


def arithmetic(name: str, left: Expr, right: Expr, place: SourceRange | None = None) -> Expr:
    """Return the call of the arithmetic operator `name` with two numbers, with the type that Flink gives it.

    Raises:
        ValidationError: An operand is no number, or one of MOD is a FLOAT or DOUBLE.
    """
    left, right = _typed_null(left, right), _typed_null(right, left)
    if name == "MOD" and not all(e.type.is_numeric and e.type.root not in APPROXIMATE for e in (left, right)):
        shown = f"MOD(<{calcite_name(left.type)}>, <{calcite_name(right.type)}>)"
        raise ValidationError(
            f"Cannot apply 'MOD' to arguments of type '{shown}'. Supported form(s): "
            "'MOD(<EXACT_NUMERIC>, <EXACT_NUMERIC>)'",
            range=place,
        )
    if not left.type.is_numeric or not right.type.is_numeric:
        raise wrong_operands(name, (left, right), f"'<NUMERIC> {name} <NUMERIC>'", place)
    kind = _arithmetic_type(name, left.type, right.type)
    return Call(name, (left, right), kind.with_nullable(nullable(left, right)), range=place)


def _typed_null(value: Expr, other: Expr) -> Expr:
    return cast(value, other.type) if value.type.root is TypeRoot.NULL else value


def _arithmetic_type(name: str, left: SqlType, right: SqlType) -> SqlType:
    if left.root in APPROXIMATE or right.root in APPROXIMATE:
        return common_type([left, right]) or sql.DOUBLE
    if TypeRoot.DECIMAL in (left.root, right.root):
        return _DECIMAL[name](left, right)
    return right if name == "MOD" else common_type([left, right]) or left


def _arithmetic(binder: Binder, node: syntax.Binary) -> Expr:
    name = _ARITHMETIC[node.operator]
    left, right = binder.bind(node.left), binder.bind(node.right)
    place = node.range
    if left.type.is_datetime or right.type.is_datetime or left.type.is_interval or right.type.is_interval:
        return temporal_arithmetic(name, left, right, place)
    refuse_nulls(node.left, node.right)
    if node.operator == "%" and not all(
        e.type.is_numeric and e.type.root not in APPROXIMATE for e in (left, right)
    ):
        raise wrong_operands("%", (left, right), "'<EXACT_NUMERIC> % <EXACT_NUMERIC>'", place)
    return arithmetic(name, left, right, place)


def refuse_nulls(*operands: syntax.Node) -> None:
    """Raise ValidationError if an operand is a bare NULL: Calcite's validator cannot find its type."""
    for operand in operands:
        if isinstance(operand, syntax.NullLiteral):
            raise ValidationError("Illegal use of 'NULL'", range=operand.range)


def _negate(binder: Binder, node: syntax.Unary) -> Expr:
    if isinstance(node.operand, syntax.NumberLiteral):
        return negative_literal(node, number(node.operand.text, node.range, negated=True))
    operand = binder.bind_typed(node.operand)
    if isinstance(operand, Literal) and _is_number(node.operand) and operand.type.is_numeric:
        return negative_literal(node, operand)
    if not (operand.type.is_numeric or operand.type.is_interval):
        raise wrong_operands("-", (operand,), "'-<NUMERIC>'", node.range)
    return Call("-", (operand,), operand.type, range=node.range)


def _is_number(node: syntax.Node) -> bool:
    """Return whether a node is a number as written, or an expression that begins with a minus: `-x`."""
    return isinstance(node, syntax.NumberLiteral) or (isinstance(node, syntax.Unary) and node.operator == "-")


def negative_literal(node: syntax.Node, operand: Literal) -> Literal:
    """Return the literal of a number with a minus.

    The sign belongs to the literal: -2147483648 is an INT, although 2147483648 is a BIGINT.
    """
    value = operand.value
    if isinstance(value, int) and not isinstance(value, bool):
        return integer(-value, node.range)
    if isinstance(value, float) and value == 0:
        return Literal(0.0, operand.type, range=node.range)  # Calcite reads a decimal: no -0
    return Literal(-value, operand.type, range=node.range)  # type: ignore[operator]


def _plus(binder: Binder, node: syntax.Unary) -> Expr:
    operand = binder.bind_typed(node.operand)
    if not (operand.type.is_numeric or operand.type.is_interval):
        raise wrong_operands("+", (operand,), "'+<NUMERIC>'", node.range)
    return operand


def _compare(binder: Binder, node: syntax.Binary) -> Expr:
    return compare(node.operator, binder.bind(node.left), binder.bind(node.right), node.range)


def _distinct(binder: Binder, node: syntax.Binary) -> Expr:
    name = node.operator
    left, right = comparable(name, binder.bind(node.left), binder.bind(node.right), node.range)
    for value, other in ((left, right), (right, left)):
        if isinstance(value, Literal) and value.value is None:
            test = "IS NOT NULL" if name == "IS DISTINCT FROM" else "IS NULL"
            return Call(test, (other,), sql.BOOLEAN.with_nullable(False), range=node.range)
    return Call(name, (left, right), sql.BOOLEAN.with_nullable(False), range=node.range)


def _condition(operand: Expr, form: str, place: SourceRange) -> Expr:
    """Return the operand of NOT, IS TRUE or the like, and refuse one that is no BOOLEAN.

    Args:
        operand: The operand.
        form: Form of the call for the message, with {} in place of the operand.
        place: Position in the statement.
    """
    if operand.type.root is TypeRoot.BOOLEAN:
        return operand
    name = form.replace("{}", "").strip()
    shown = form.format(f"<{calcite_name(operand.type)}>")
    raise ValidationError(
        f"Cannot apply '{name}' to arguments of type '{shown}'. "
        f"Supported form(s): '{form.format('<BOOLEAN>')}'",
        range=place,
    )


def junction(name: str, args: Sequence[Expr], place: SourceRange | None = None) -> Expr:
    """Return one AND or OR of all arguments. Nested calls of the same function are flattened.

    A single argument is returned as it is.
    """
    flat: list[Expr] = []
    for arg in args:
        flat += arg.args if isinstance(arg, Call) and arg.function == name else (arg,)
    if len(flat) == 1:
        return flat[0]
    return Call(name, tuple(flat), sql.BOOLEAN.with_nullable(nullable(*flat)), range=place)


def _junction(binder: Binder, node: syntax.Binary) -> Expr:
    name, parts = node.operator, [node]
    while isinstance(left := parts[-1].left, syntax.Binary) and left.operator == name:
        parts.append(left)
    nodes = [parts[-1].left, *(part.right for part in reversed(parts))]
    args = [binder.bind_typed(part) for part in nodes]
    for i, arg in enumerate(args[1:], start=1):  # check the types of a and b, then of (a AND b) and c
        pair = (args[0] if i == 1 else Literal(None, sql.BOOLEAN), arg)
        if any(operand.type.root is not TypeRoot.BOOLEAN for operand in pair):
            raise wrong_operands(name, pair, f"'<BOOLEAN> {name} <BOOLEAN>'", node.range)
    return junction(name, args, node.range)


def negated(operand: Expr, place: SourceRange | None = None) -> Expr:
    """Return NOT of the operand."""
    return Call("NOT", (operand,), sql.BOOLEAN.with_nullable(operand.type.nullable), range=place)


def _not(binder: Binder, node: syntax.Unary) -> Expr:
    return negated(_condition(binder.bind_typed(node.operand), "NOT{}", node.range), node.range)


def _is(binder: Binder, node: syntax.IsTest) -> Expr:
    test = node.test
    if test.startswith("JSON"):
        return is_json(binder, node)
    operand = binder.bind(node.operand)
    if test in ("TRUE", "FALSE", "UNKNOWN"):
        negation = "NOT " if node.negated else ""
        operand = _condition(binder.bind_typed(node.operand), f"{{}} IS {negation}{test}", node.range)
    words = "NULL" if test == "UNKNOWN" else test
    name = f"IS {'NOT ' if node.negated else ''}{words}"
    return Call(name, (operand,), sql.BOOLEAN.with_nullable(False), range=node.range)


def _between(binder: Binder, node: syntax.Between) -> Expr:
    value = binder.bind(node.operand)
    low, high = binder.bind(node.low), binder.bind(node.high)
    place = node.range
    families = {(each.type.is_character, each.type.is_numeric) for each in (value, low, high)}
    if families == {(True, False), (False, True)}:
        value, low, high = as_numbers([value, low, high])

    def within(a: Expr, b: Expr) -> Expr:
        return junction("AND", [compare(">=", value, a, place), compare("<=", value, b, place)], place)

    try:
        if node.symmetric:
            return junction("OR", [within(low, high), within(high, low)], place)
        return within(low, high)
    except Incomparable:
        types = [f"<{calcite_name(e.type)}>" for e in (value, low, high)]
        name = f"BETWEEN {'SYMMETRIC' if node.symmetric else 'ASYMMETRIC'}"
        raise ValidationError(
            f"Cannot apply '{name}' to arguments of type '{types[0]} {name} {types[1]} AND {types[2]}'. "
            "Supported form(s): '<COMPARABLE_TYPE> BETWEEN <COMPARABLE_TYPE> AND <COMPARABLE_TYPE>'",
            range=place,
        ) from None


def _in(binder: Binder, node: syntax.In) -> Expr:
    place = node.range
    if node.query is not None:
        return within(binder, node)
    value = binder.bind(node.operand)
    items = binder.bind_all(node.items)
    check_assignable([item.type for item in items], place)
    roots = {item.type.root for item in items}
    mixed = TypeRoot.DATE in roots and bool(roots & {TypeRoot.TIMESTAMP, TypeRoot.TIMESTAMP_LTZ})
    if mixed or common_type([item.type for item in items]) is None:
        raise ValidationError("Values in expression list must have compatible types", range=place)
    try:
        tests = dict.fromkeys(_equals_item(value, item, place) for item in items)
    except Incomparable:
        message = "Values passed to IN operator must have compatible types"
        raise ValidationError(message, range=place) from None
    return Call(IN_LIST, tuple(tests), sql.BOOLEAN.with_nullable(nullable(*tests)), range=place)


def _equals_item(value: Expr, item: Expr, place: SourceRange) -> Expr:
    """Return the equality of a value and an item of an IN list.

    The item is first cast to the type of the value, even if the item is out of that type's range. No cast is
    made for equal type roots, or of a CHAR item to VARCHAR (Calcite: SqlToRelConverter.ensureSqlType).
    """
    a, b = value.type, item.type
    if a.root is b.root is TypeRoot.VARIANT:  # `compare` would refuse VARIANT with VARIANT NOT NULL
        return Call("=", (value, item), sql.BOOLEAN.with_nullable(nullable(value, item)), range=place)
    if isinstance(value, Call) and isinstance(item, Call) and value.function == item.function == "ROW":
        pairs = zip(value.args, item.args, strict=False)
        if len(value.args) == len(item.args) > 1:
            return rows_equal([_equals_item(x, y, place) for x, y in pairs], place)
    if a.root is not b.root and (
        (a.is_numeric and (b.is_numeric or b.is_character))
        or (b.is_character and (a.root in (TypeRoot.CHAR, TypeRoot.BOOLEAN) or a.is_datetime))
        or (a.is_character and (b.is_numeric or b.is_datetime or b.root is TypeRoot.BOOLEAN))
    ):
        item = cast(item, a)
    return compare("=", value, item, place)


def _like(binder: Binder, node: syntax.Like) -> Expr:
    name = "SIMILAR TO" if node.similar else "LIKE"
    parts = [node.operand, node.pattern, node.escape]
    args = binder.bind_all([p for p in parts if p is not None])
    if not all(a.type.is_character for a in args):
        named = [args[0].type if a.type.root is TypeRoot.NULL else a.type for a in args]
        shown = ", ".join(f"<{calcite_name(kind)}>" for kind in named)
        raise ValidationError(
            f"Cannot apply '{name}' to arguments of type '{name}({shown})'. "
            f"Supported form(s): '{name}(<STRING>, <STRING>, <STRING>)'",
            range=node.range,
        )
    return Call(name, tuple(args), sql.BOOLEAN.with_nullable(nullable(*args)), range=node.range)


def _concat(binder: Binder, node: syntax.Binary) -> Expr:
    left, right = binder.bind(node.left), binder.bind(node.right)
    refuse_nulls(node.left, node.right)
    place = node.range
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


def _item(binder: Binder, node: syntax.ElementAccess) -> Expr:
    value, key = binder.bind(node.operand), binder.bind(node.index)
    refuse_nulls(node.operand, node.index)
    place = node.range
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
    """Return whether the types of a map's keys and of `k` in `map[k]` have a common type."""
    return common_type([left, right]) is not None


def field(value: Expr, name: str, place: SourceRange | None) -> Expr:
    """Return a field of a ROW.

    Raises:
        ValidationError: The value is no ROW, or the ROW has no field of that name.
    """
    if value.type.root is not TypeRoot.ROW:
        raise ValidationError(f"{calcite_name(value.type)} has no fields", range=place)
    if name not in value.type.names:
        known = ", ".join(value.type.names)
        raise ValidationError(f"Field '{name}' not found", range=place, hint=f"the row's fields are {known}")
    kind = value.type.children[value.type.names.index(name)]
    kind = kind.with_nullable(kind.nullable or value.type.nullable)
    return Call("ITEM_FIELD", (value,), kind, (name,), range=place)


def _dot(binder: Binder, node: syntax.FieldAccess) -> Expr:
    return field(binder.bind(node.operand), node.field.name, node.range)


def _binary(binder: Binder, node: syntax.Binary) -> Expr:
    return _BINARY[node.operator](binder, node)


def _unary(binder: Binder, node: syntax.Unary) -> Expr:
    return _UNARY[node.operator](binder, node)


_BINARY: dict[str, Rule] = {
    **dict.fromkeys(_ARITHMETIC, _arithmetic),
    **dict.fromkeys(("=", "<>", "<", "<=", ">", ">="), _compare),
    **dict.fromkeys(("IS DISTINCT FROM", "IS NOT DISTINCT FROM"), _distinct),
    **dict.fromkeys(("AND", "OR"), _junction),
    "||": _concat,
}
_UNARY: dict[str, Rule] = {"-": _negate, "+": _plus, "NOT": _not}


RULES: dict[type[syntax.Node], Rule] = {
    syntax.Binary: _binary,
    syntax.Unary: _unary,
    syntax.IsTest: _is,
    syntax.Between: _between,
    syntax.In: _in,
    syntax.Like: _like,
    syntax.ElementAccess: _item,
    syntax.FieldAccess: _dot,
}
