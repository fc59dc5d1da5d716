"""Binding of SQL/JSON calls: clauses, argument checks and result types.

Flink: SqlJsonValueFunctionWrapper and its siblings, and the checks of its code generators. A call's options
are the symbols that Flink's plans show: `('DEFAULT', 'ON EMPTY')`, `('WITHOUT_ARRAY',
'SqlJsonQueryEmptyOrErrorBehavior[NULL]', ...)`, `('NULL_ON_NULL',)`; the values of DEFAULT are arguments.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from firesteel.bind.binder import Binder
from firesteel.errors import SourceRange, ValidationError
from firesteel.functions.expression.nodes import Call, Expr
from firesteel.functions.signatures.aggregate_functions import check_json
from firesteel.functions.signatures.type_names import calcite_name
from firesteel.plan.expressions.operations import input_refs
from firesteel.sql import syntax
from firesteel.types import sql
from firesteel.types.sql import SqlType, TypeRoot

Form = Callable[[Binder, syntax.Call], Expr]

_RETURNED = (TypeRoot.VARCHAR, TypeRoot.BOOLEAN, TypeRoot.INTEGER, TypeRoot.DOUBLE)
_FORMS = {
    "JSON_VALUE": "JSON_VALUE(json_doc, path [RETURNING type] [{NULL | ERROR | DEFAULT value} ON EMPTY] "
    "[{NULL | ERROR | DEFAULT value} ON ERROR])",
    "JSON_QUERY": "JSON_QUERY(json_doc, path [RETURNING type] [{WITHOUT | WITH [CONDITIONAL | "
    "UNCONDITIONAL]} [ARRAY] WRAPPER] [{NULL | ERROR | EMPTY ARRAY | EMPTY OBJECT} ON EMPTY] [... ON ERROR])",
    "JSON_EXISTS": "JSON_EXISTS(json_doc, path [{TRUE | FALSE| UNKNOWN | ERROR} ON ERROR])",
}
_MOST_OPERANDS = 10
"""Greatest number of operands of JSON_VALUE: its arguments, and the words and values of its clauses."""


def _text_and_path(binder: Binder, node: syntax.Call, name: str) -> list[Expr]:
    text, path = (binder.bind_typed(each) for each in node.args)
    if path.type.is_character and (text.type.is_character or text.type.root is TypeRoot.DECIMAL):
        return [text, path]
    shown = ", ".join(f"<{calcite_name(each.type)}>" for each in (text, path))
    raise ValidationError(
        f"Cannot apply '{name}' to arguments of type '{name}({shown})'. Supported form(s): {_FORMS[name]}",
        range=node.range,
        hint="the JSON text and the path are strings",
    )


def _value(binder: Binder, node: syntax.Call) -> Expr:
    place = node.range
    args = _text_and_path(binder, node, "JSON_VALUE")
    kind = sql.STRING
    if node.json.returning is not None:
        kind = node.json.returning.sql_type
        if kind.root not in _RETURNED:
            raise _cannot_return(kind, place)
    options = node.json.clauses
    operands = 2 + len(options) + options.count("DEFAULT") + 2 * (node.json.returning is not None)
    if operands > _MOST_OPERANDS:
        raise ValidationError("Invalid number of arguments to function 'JSON_VALUE'", range=place)
    for each in node.json.defaults:
        default = binder.bind_typed(each)
        if input_refs(default):
            raise ValidationError("The DEFAULT of JSON_VALUE must be a literal", range=each.range)
        args.append(default)
    return Call("JSON_VALUE", tuple(args), kind.with_nullable(True), options, range=place)


def _cannot_return(kind: SqlType, place: SourceRange) -> ValidationError:
    return ValidationError(
        f"Unsupported type '{kind.with_nullable(True)}' for RETURNING in JSON_VALUE().",
        range=place,
        hint="JSON_VALUE returns STRING, BOOLEAN, INTEGER or DOUBLE, JSON_QUERY STRING or ARRAY<STRING>",
    )


_WRAPPERS = {"CONDITIONAL": "WITH_CONDITIONAL_ARRAY", "UNCONDITIONAL": "WITH_UNCONDITIONAL_ARRAY"}


def _query(binder: Binder, node: syntax.Call) -> Expr:
    place = node.range
    args = _text_and_path(binder, node, "JSON_QUERY")
    behaviour = {"empty": node.json.on_empty or "NULL", "error": node.json.on_error or "NULL"}
    kind = sql.STRING
    if node.json.returning is not None:
        kind = node.json.returning.sql_type
        _check_query_type(kind, behaviour, place)
    wrapper = _WRAPPERS.get(node.json.wrapper or "", "WITHOUT_ARRAY")
    shown = (behaviour[event].replace(" ", "_") for event in ("empty", "error"))
    words = [wrapper, *(f"SqlJsonQueryEmptyOrErrorBehavior[{word}]" for word in shown)]
    return Call("JSON_QUERY", tuple(args), kind.with_nullable(True), tuple(words), range=place)


def _check_query_type(kind: SqlType, behaviour: dict[str, str], place: SourceRange) -> None:
    if kind.root is TypeRoot.VARCHAR:
        return
    if kind.root is not TypeRoot.ARRAY:
        raise _cannot_return(kind, place)
    element = kind.children[0]
    if element.root is not TypeRoot.VARCHAR:
        name = calcite_name(element.with_nullable(True))
        raise ValidationError(
            f"Unsupported array element type '{name}' for RETURNING ARRAY in JSON_QUERY().", range=place
        )
    for event in ("error", "empty"):
        if behaviour[event] == "EMPTY OBJECT":
            raise ValidationError(
                f"Illegal on {event} behavior 'EMPTY OBJECT' for return type: {calcite_name(element)} ARRAY",
                range=place,
            )


def _exists(binder: Binder, node: syntax.Call) -> Expr:
    place = node.range
    text, path = (binder.bind_typed(each) for each in node.args)
    if not path.type.is_character:
        shown = ", ".join(f"<{calcite_name(each.type)}>" for each in (text, path))
        raise ValidationError(
            f"Cannot apply 'JSON_EXISTS' to arguments of type 'JSON_EXISTS({shown})'. Supported form(s): "
            f"{_FORMS['JSON_EXISTS']}",
            range=place,
        )
    if not text.type.is_character or path.type.root is not TypeRoot.CHAR:
        raise ValidationError(
            f"Unsupported call: JSON_EXISTS({text.type}, {path.type})",
            range=place,
            hint="JSON_EXISTS takes a string and a literal path",
        )
    word = node.json.on_error
    return Call("JSON_EXISTS", (text, path), sql.BOOLEAN, (word,) if word else (), range=place)


def is_json(binder: Binder, node: syntax.IsTest) -> Expr:
    """Return `x IS [NOT] JSON [VALUE | SCALAR | OBJECT | ARRAY]`."""
    test = f"IS {'NOT ' if node.negated else ''}{node.test}"
    operand = binder.bind_typed(node.operand)
    if not operand.type.is_character:
        raise ValidationError(
            f"Cannot apply '{test}' to arguments of type '<{calcite_name(operand.type)}> {test}'. "
            f"Supported form(s): '<CHARACTER> {test}'",
            range=node.range,
        )
    return Call(test, (operand,), sql.BOOLEAN.with_nullable(False), range=node.range)


def _object(binder: Binder, node: syntax.Call) -> Expr:
    args: list[Expr] = []
    for key, value in zip(node.args[::2], node.args[1::2], strict=True):
        name = binder.bind(key)
        if not name.type.is_character and name.type.root is not TypeRoot.NULL:
            raise ValidationError("Expected a character type", range=key.range)
        if name.type.nullable:
            place = key.range
            shown = binder.context.sql[place.start : place.end] if binder.context.sql else "key"
            raise ValidationError(f"Argument to function '{shown}' must not be NULL", range=place)
        args += [name, _member(binder, value)]
    return _constructor("JSON_OBJECT", args, node, "NULL")


def _array(binder: Binder, node: syntax.Call) -> Expr:
    return _constructor("JSON_ARRAY", [_member(binder, each) for each in node.args], node, "ABSENT")


def _constructor(name: str, args: Sequence[Expr], node: syntax.Call, on_null: str) -> Expr:
    word = node.json.on_null or on_null
    kind = sql.STRING.with_nullable(False)
    return Call(name, tuple(args), kind, (f"{word}_ON_NULL",), range=node.range)


def _member(binder: Binder, node: syntax.Node) -> Expr:
    value = binder.bind(node)
    if value.type.root is TypeRoot.NULL:
        raise ValidationError("Type is not supported: ANY", range=node.range, hint="CAST(NULL AS STRING)")
    try:
        check_json(value.type)
    except ValidationError as error:
        raise ValidationError(error.message, range=node.range) from None
    return value


FORMS: dict[str, Form] = {
    "JSON_VALUE": _value,
    "JSON_QUERY": _query,
    "JSON_EXISTS": _exists,
    "JSON_OBJECT": _object,
    "JSON_ARRAY": _array,
}
"""Name of each JSON function -> function that binds its call."""
