"""Fold JSON calls of literals into literals (Flink: ExpressionReducer).

JSON_OBJECT, JSON_ARRAY and JSON() are not folded alone, because their text depends on the call around them.
The constants in them stay, too. If the call around them has only constant arguments, all become one literal.
A call that fails stays, and the job fails.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Any

from firesteel.functions.expression.casting import with_all_digits
from firesteel.functions.expression.json_defaults import java_default
from firesteel.functions.expression.nodes import Call, Expr, InputRef, Literal
from firesteel.types.sql import APPROXIMATE, TypeRoot

CONSTRUCTORS = frozenset({"JSON_OBJECT", "JSON_ARRAY", "JSON"})


def is_kept(expr: Expr) -> bool:
    """Return whether an expression is a constant JSON text that Flink does not fold."""
    return isinstance(expr, Call) and expr.function in CONSTRUCTORS and _is_constant(expr)


def _is_constant(expr: Expr) -> bool:
    return not isinstance(expr, InputRef) and all(map(_is_constant, getattr(expr, "args", ())))


def constant_text(expr: Expr, fold: Callable[[Expr], Expr]) -> Expr:
    """Return a constant JSON_OBJECT or JSON_ARRAY as a literal, for the call around it.

    Any other expression is returned as it is.

    Args:
        expr: The expression.
        fold: Folds the expressions within it.
    """
    text = _constructed(expr, fold) if is_kept(expr) else None
    return expr if text is None else Literal(text, expr.type)


def _constructed(expr: Expr, fold: Callable[[Expr], Expr]) -> str | None:
    from firesteel.types.json_text import quoted  # rarely needed: keeps the start fast

    if not isinstance(expr, Call) or expr.function == "JSON":
        return None
    args = [arg if is_kept(arg) else fold(arg) for arg in expr.args]
    named = expr.function == "JSON_OBJECT"
    texts = [_json_text(value, fold) for value in (args[1::2] if named else args)]
    if any(text is None for text in texts):
        return None
    absent = "ABSENT_ON_NULL" in expr.options
    if not named:
        return f"[{','.join(text for text in texts if text and not (absent and text == 'null'))}]"
    members: dict[str, str] = {}
    for key, text in zip(args[::2], texts, strict=True):
        if not isinstance(key, Literal):
            return None
        if text and not (absent and text == "null"):
            members[str(key.value)] = text
    names = sorted(members, key=lambda name: name.encode("utf-16-be", "surrogatepass"))
    return "{" + ",".join(f"{quoted(name)}:{members[name]}" for name in names) + "}"


def _json_text(value: Expr, fold: Callable[[Expr], Expr]) -> str | None:
    """Return the JSON text of a constant. None for types that are not written here, such as TIMESTAMP."""
    from firesteel.types.json_text import number, quoted

    if not isinstance(value, Literal):
        return _constructed(value, fold)
    value = with_all_digits(value)
    if value.value is None:
        return "null"
    if isinstance(value.value, bool):
        return "true" if value.value else "false"
    if isinstance(value.value, str) and value.type.is_character:
        return quoted(value.value)
    if value.type.root in APPROXIMATE and isinstance(value.value, (int, float, Decimal)):
        return number(float(value.value))
    if isinstance(value.value, (int, Decimal)) and value.type.is_numeric:
        return str(value.value)
    return None


def fold_json(call: Call, literals: Sequence[Literal]) -> Expr:
    """Return the result of a JSON call of literals. A call that fails is returned as it is."""
    from firesteel.functions.json_path.errors import PathFailure  # rarely needed: keeps the start fast

    if call.type.root is TypeRoot.ARRAY:
        return call
    test = call.function.startswith("IS ")
    if any(literal.value is None for literal in literals):
        return Literal(call.function.startswith("IS NOT") if test else None, call.type, call.range)
    try:
        value = _FOLD[call.function](call, [_as_document(literal.value) for literal in literals], literals)
    except PathFailure:
        return call
    if value is _UNKNOWN:
        return call
    if value is None:
        return Literal(None, call.type, call.range)
    if isinstance(value, str):
        value = value[: call.type.length]
    return Literal(value, call.type.with_nullable(False), call.range)


def _as_document(value: Any) -> Any:
    """Return a literal's value in the form in which JSON functions take an argument.

    They read JSON text. So a DECIMAL becomes the text of a JSON number, such as `1.50`. Other values stay.
    """
    return f"{value:f}" if isinstance(value, Decimal) else value


_UNKNOWN = object()
"""Result of a fold that has no literal: the call stays."""


def _value(call: Call, values: Sequence[Any], literals: Sequence[Literal]) -> Any:
    from firesteel.functions.json_path.document import well_formed
    from firesteel.functions.json_path.sql_json import Behaviour, document, json_value

    said: dict[str, Behaviour] = {}
    defaults = iter(literals[2:])
    for word, event in zip(call.options[::2], call.options[1::2], strict=True):
        more = java_default(next(defaults), call.type) if word == "DEFAULT" else {}
        said.setdefault(event, Behaviour(word, **more))
    behaviours = [said.get(event, Behaviour()) for event in ("ON EMPTY", "ON ERROR")]
    found = json_value(document(values[0]), values[1], call.type.root.name, *behaviours)
    if isinstance(found, float):
        return Decimal(found) if found - found == 0 else _UNKNOWN
    return well_formed(found) if isinstance(found, str) else found


def _query(call: Call, values: Sequence[Any], literals: Sequence[Literal]) -> Any:
    from firesteel.functions.json_path.document import well_formed
    from firesteel.functions.json_path.sql_json import Behaviour, document, json_query

    words = [o[o.index("[") + 1 : -1].replace("_", " ") for o in call.options[1:]]
    behaviours = [Behaviour(word) for word in words]
    found = json_query(document(values[0]), values[1], call.options[0], False, *behaviours)
    return well_formed(found) if isinstance(found, str) else found


def _exists(call: Call, values: Sequence[Any], literals: Sequence[Literal]) -> Any:
    from firesteel.functions.json_path.sql_json import document, json_exists

    return json_exists(document(values[0]), values[1], call.options[0] if call.options else "FALSE")


def _test(call: Call, values: Sequence[Any], literals: Sequence[Literal]) -> Any:
    from firesteel.functions.json_path.sql_json import document, is_json

    return is_json(document(values[0]), call.function.split()[-1]) != call.function.startswith("IS NOT")


def _string(call: Call, values: Sequence[Any], literals: Sequence[Literal]) -> Any:
    text = _json_text(literals[0], lambda expr: expr)
    raw = isinstance(call.args[0], Call) and call.args[0].function in CONSTRUCTORS
    return values[0] if raw else _UNKNOWN if text is None else text


def _quoted(call: Call, values: Sequence[Any], literals: Sequence[Literal]) -> Any:
    from firesteel.functions.json_path.sql_json import json_quoted, json_unquoted

    return json_quoted(values[0]) if call.function == "JSON_QUOTE" else json_unquoted(values[0])


_FOLD: dict[str, Callable[[Call, Sequence[Any], Sequence[Literal]], Any]] = {
    "JSON_VALUE": _value,
    "JSON_QUERY": _query,
    "JSON_EXISTS": _exists,
    "JSON_STRING": _string,
    "JSON_QUOTE": _quoted,
    "JSON_UNQUOTE": _quoted,
    **{
        f"IS {negation}JSON {kind}": _test
        for negation in ("", "NOT ")
        for kind in ("VALUE", "SCALAR", "OBJECT", "ARRAY")
    },
}
FOLDED = frozenset(_FOLD)
"""Functions that this module folds."""
