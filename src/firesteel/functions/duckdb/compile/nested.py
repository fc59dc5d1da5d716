"""Compilation of arrays, maps and rows: constructors, access to parts, and casts of each part."""

from __future__ import annotations

from collections.abc import Sequence

from firesteel.errors import NotSupportedError
from firesteel.functions.duckdb.compile.maps import cast_map, elements, make_map, map_value, may_fail
from firesteel.functions.duckdb.compile.text import Compiler, Emit, quoted
from firesteel.functions.duckdb.compile.variant import variant_item
from firesteel.functions.expression.nodes import Call, Literal
from firesteel.types.duckdb import quote, to_duckdb
from firesteel.types.sql import SqlType, TypeRoot


def nested(compiler: Compiler, text: str, source: SqlType, target: SqlType, attempt: bool) -> str:
    """Return the SQL of a cast to ARRAY, MAP or ROW. With `attempt`, the whole is NULL if a part fails."""
    if source.root is not target.root:
        raise NotSupportedError(f"CAST from {source} to {target} is not supported yet")
    if target.root is TypeRoot.ARRAY:
        return elements(compiler, text, source.children[0], target.children[0], attempt)
    if target.root is TypeRoot.ROW:
        return _fields(compiler, text, source, target, attempt)
    return cast_map(compiler, text, source, target, attempt)


def _fields(compiler: Compiler, text: str, source: SqlType, target: SqlType, attempt: bool) -> str:
    parts, checked = [], []
    for old, new, a, b in zip(source.names, target.names, source.children, target.children, strict=True):
        part = compiler.cast(f"struct_extract({text}, {quoted(old)})", a, b, attempt)
        parts.append(f"{quote(new)} := {part}")
        if attempt and may_fail(a) and not a.same_as(b):
            checked.append((part, f"struct_extract({text}, {quoted(old)})"))
    packed = f"CAST(struct_pack({', '.join(parts)}) AS {to_duckdb(target)})"
    failed = [f"({part} IS NULL AND {old} IS NOT NULL)" for part, old in checked]
    whole = f"{text} IS NOT NULL" + "".join(f" AND NOT {test}" for test in failed)
    return f"(CASE WHEN {whole} THEN {packed} END)"


def _array(compiler: Compiler, call: Call) -> str:
    return f"CAST([{', '.join(map(compiler, call.args))}] AS {to_duckdb(call.type)})"


def _row(compiler: Compiler, call: Call) -> str:
    return _packed(call.type, list(map(compiler, call.args)))


def _item(compiler: Compiler, call: Call) -> str:
    value, key = call.args
    if value.type.root is TypeRoot.VARIANT:
        return variant_item(compiler, call)
    if value.type.root is TypeRoot.MAP:
        return map_value(compiler, value, key)
    text, index = compiler(value), compiler(key)
    return f"(CASE WHEN {index} >= 1 THEN list_extract({text}, {index}) END)"


def _field(compiler: Compiler, call: Call) -> str:
    return f"struct_extract({compiler(call.args[0])}, {quoted(call.options[0])})"


def _object_of(compiler: Compiler, call: Call) -> str:
    return _packed(call.type, [compiler(value) for value in call.args[2::2]])


def _object_update(compiler: Compiler, call: Call) -> str:
    text = compiler(call.args[0])
    names = (arg.value for arg in call.args[1::2] if isinstance(arg, Literal))
    new = {name: compiler(value) for name, value in zip(names, call.args[2::2], strict=True)}
    values = [new.get(name) or f"struct_extract({text}, {quoted(name)})" for name in call.type.names]
    return f"(CASE WHEN {text} IS NOT NULL THEN {_packed(call.type, values)} END)"


def _packed(kind: SqlType, values: Sequence[str]) -> str:
    parts = (f"{quote(name)} := {value}" for name, value in zip(kind.names, values, strict=True))
    return f"CAST(struct_pack({', '.join(parts)}) AS {to_duckdb(kind)})"


EMIT: dict[str, Emit] = {
    "ARRAY": _array,
    "MAP": make_map,
    "ROW": _row,
    "ITEM": _item,
    "ITEM_FIELD": _field,
    "OBJECT_OF": _object_of,
    "OBJECT_UPDATE": _object_update,
}
