"""Binding of OBJECT_OF and OBJECT_UPDATE. Flink: ObjectOf*TypeStrategy, ObjectUpdate*TypeStrategy."""

from __future__ import annotations

import re
from collections.abc import Sequence

from firesteel.errors import NotSupportedError, SourceRange, ValidationError
from firesteel.functions.expression.nodes import Call, Expr, Literal
from firesteel.sql import syntax
from firesteel.types.sql import TypeRoot, structured

_IDENTIFIER = re.compile(r"[^\W\d][\w$]*(\.[^\W\d][\w$]*)*")


def object_of(args: Sequence[Expr], node: syntax.Call) -> Expr:
    """Return OBJECT_OF('class', 'name', value, ...): a value of a structured type, always nullable."""
    place = node.range
    _odd("OBJECT_OF", args, place)
    kind = args[0].type
    what = "The first argument must be a non-nullable character string"
    if not kind.is_character:
        raise ValidationError(f"{what} representing the class name, but was {kind}.", range=place)
    if not isinstance(args[0], Literal) or not isinstance(args[0].value, str):
        raise ValidationError(f"{what} literal representing the class name.", range=place)
    class_name = args[0].value
    if not _IDENTIFIER.fullmatch(class_name):
        raise ValidationError(
            f"Invalid class name '{class_name}'. The class name must comply with JVM identifier rules.",
            range=place,
        )
    names = _field_names(args, "non-nullable", place)
    if any(value.type.root is TypeRoot.NULL for value in args[2::2]):
        raise ValidationError("A field of an object needs a type: NULL has none", range=place)
    if not names:
        raise NotSupportedError("OBJECT_OF without fields is not supported", range=place)
    result = structured(class_name, names, tuple(value.type for value in args[2::2]))
    return Call("OBJECT_OF", tuple(args), result, range=place)


def object_update(args: Sequence[Expr], node: syntax.Call) -> Expr:
    """Return OBJECT_UPDATE(object, 'name', value, ...): the object with new values in the named fields.

    In the type of the result, each named field has the type of its new value. Flink puts the fields of this
    type into the order of a java.util.HashMap, but leaves the values in their old order. If the two orders
    differ, values would appear under the names of other fields, so the call is refused.

    Raises:
        ValidationError: Flink refuses the arguments.
        NotSupportedError: The two orders differ.
    """
    place = node.range
    _odd("OBJECT_UPDATE", args, place)
    kind = args[0].type
    if kind.class_name is None:
        raise ValidationError(f"The first argument must be a structured type, but was {kind}.", range=place)
    names = _field_names(args, "non-null", place)
    for position, name in enumerate(names):
        if name not in kind.names:
            raise ValidationError(
                f"The field name '{name}' at position {2 * position + 2} is not part of the structured type "
                f"attributes. Available attributes: [{', '.join(kind.names)}].",
                range=place,
            )
    if in_java_order(kind.names) != list(kind.names):
        raise NotSupportedError(
            "OBJECT_UPDATE of an object whose fields Flink puts in another order is not supported: there, "
            "values come under the names of others",
            range=place,
        )
    new = {name: value.type for name, value in zip(names, args[2::2], strict=True)}
    types = tuple(new.get(name, old) for name, old in zip(kind.names, kind.children, strict=True))
    return Call("OBJECT_UPDATE", tuple(args), structured(kind.class_name, kind.names, types), range=place)


def _odd(name: str, args: Sequence[Expr], place: SourceRange) -> None:
    if len(args) % 2 == 0:
        raise ValidationError(
            f"Invalid number of arguments to function '{name}'",
            range=place,
            hint="the first argument is followed by pairs of a field's name and its value",
        )


def _field_names(args: Sequence[Expr], nullness: str, place: SourceRange) -> tuple[str, ...]:
    names: list[str] = []
    for position, arg in enumerate(args[1::2]):
        at = f"The field key at position {2 * position + 2} must be a {nullness} character string"
        if not arg.type.is_character:
            raise ValidationError(f"{at}, but was {arg.type}.", range=place)
        if not isinstance(arg, Literal) or not isinstance(arg.value, str):
            raise ValidationError(f"{at} literal.", range=place)
        if arg.value in names:
            raise ValidationError(
                f"The field name '{arg.value}' at position {2 * position + 2} is repeated.", range=place
            )
        names.append(arg.value)
    return tuple(names)


def in_java_order(names: Sequence[str]) -> list[str]:
    """Return names in the order of a java.util.HashMap."""
    buckets = 16
    while len(names) > buckets * 3 // 4:
        buckets *= 2
    return sorted(names, key=lambda name: _spread(name) % buckets)


def _spread(name: str) -> int:
    code = 0
    data = name.encode("utf-16-le")
    for at in range(0, len(data), 2):
        code = code * 31 + int.from_bytes(data[at : at + 2], "little") & 0xFFFFFFFF
    return code ^ code >> 16
