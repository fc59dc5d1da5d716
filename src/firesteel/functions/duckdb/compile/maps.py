"""Compilation of maps, which are lists of entries (types/arrow.py): constructor, access, casts, comparison.

Flink: ScalarOperatorGens (generateMap, generateMapGet, generateMapComparison), MapToMapCastRule.
"""

from __future__ import annotations

from firesteel.functions.duckdb.compile.text import Compiler, is_constant, quoted
from firesteel.functions.expression.nodes import Call, Expr, InputRef, Literal
from firesteel.types.arrow import KEY, VALUE
from firesteel.types.coerce import common_type
from firesteel.types.duckdb import quote, to_duckdb
from firesteel.types.sql import (
    APPROXIMATE,
    BOOLEAN,
    BYTES_LIKE,
    CHARACTER,
    INTEGERS,
    STRING,
    SqlType,
    TypeRoot,
    array,
)


def make_map(compiler: Compiler, call: Call) -> str:
    """Return the SQL of MAP[k, v, ...]. As in Flink, only some equal keys are merged (see `_marks`)."""
    marks = _marks(call.args[::2])
    arguments = [(quoted(marks), STRING), *((compiler(a), a.type) for a in call.args)]
    return compiler.python("maps.make", arguments, call.type)


def _marks(keys: tuple[Expr, ...]) -> str:
    """Return a letter for each key of a map constructor. Equal keys with the same letter are merged.

    Keys with the letter `-` are never merged. Flink merges keys that are the same term in its generated code:
    the same column, or equal literals of most types. MAP[a, 1, b, 2, a, 3] has the letters ABA.
    """
    known: dict[object, str] = {}
    return "".join(
        "-" if (group := _group(key)) is None else known.setdefault(group, chr(ord("A") + len(known)))
        for key in keys
    )


def _group(key: Expr) -> object:
    if isinstance(key, InputRef):
        return key.index
    if isinstance(key, Literal) and key.value is None:
        return "NULL"
    root = key.type.root
    if not is_constant(key) or root is TypeRoot.DECIMAL or root in BYTES_LIKE or key.type.children:
        return None
    if root in INTEGERS or root in APPROXIMATE or root is TypeRoot.BOOLEAN:
        return "constant"
    while isinstance(key, Call) and key.function == "CAST":
        key = key.args[0]
    return "literal" if isinstance(key, Literal) else None


def map_value(compiler: Compiler, value: Expr, key: Expr) -> str:
    """Return the SQL of the first entry's value with this key; NULL for no entry or a NULL key.

    As in Flink, a lookup of the key 0 (or '', 1970-01-01, 00:00:00) also finds an entry with a NULL key:
    Flink's binary maps store a NULL key as 0. If `value` is a CAST, the lookup does not find this entry,
    since the CAST returns a Java map, which keeps NULL keys.
    """
    kind, name = value.type.children[0], compiler.fresh_name()
    wanted, held = compiler.cast(compiler(key), key.type, kind), f"{name}.{quote(KEY)}"
    is_cast = isinstance(value, Call) and value.function in ("CAST", "TRY_CAST")
    if not is_cast and (zero := _zero(kind)) is not None:
        held = f"coalesce({held}, CAST({zero} AS {to_duckdb(kind)}))"
    found = f"list_filter({compiler(value)}, lambda {name}: {held} = {wanted})"
    return f"struct_extract(list_extract({found}, 1), {quoted(VALUE)})"


def _zero(kind: SqlType) -> str | None:
    root = kind.root
    if root in CHARACTER:
        return "''"
    if root is TypeRoot.BOOLEAN or root in INTEGERS or root in APPROXIMATE:
        return "0"
    if root is TypeRoot.DECIMAL and (kind.precision or 0) <= 18:
        return "0"
    if root is TypeRoot.DATE:
        return "'1970-01-01'"
    return "'00:00:00'" if root is TypeRoot.TIME else None


def keys_of(text: str, name: str) -> str:
    return f"list_transform({text}, lambda {name}: {name}.{quote(KEY)})"


def values_of(text: str, name: str) -> str:
    return f"list_transform({text}, lambda {name}: {name}.{quote(VALUE)})"


def cast_map(compiler: Compiler, text: str, source: SqlType, target: SqlType, attempt: bool) -> str:
    """Return the SQL of a cast to MAP. With `attempt`, the result is NULL if a part cannot be cast.

    If the cast changes no key and no value, it keeps the order of the entries and repeated keys.
    """
    if all(map(_stays, source.children, target.children)):
        return text
    keys = elements(
        compiler, keys_of(text, compiler.fresh_name()), source.children[0], target.children[0], attempt
    )
    values = elements(
        compiler, values_of(text, compiler.fresh_name()), source.children[-1], target.children[-1], attempt
    )
    parts = [(keys, array(target.children[0])), (values, array(target.children[-1]))]
    return compiler.python("maps.cast", parts, target)


def _stays(source: SqlType, target: SqlType) -> bool:
    """Return whether a cast changes nothing. Flink: LogicalTypeCasts.supportsAvoidingCast."""
    if source.nullable and not target.nullable:
        return False
    longer = (source.length or 0) <= (target.length or 0)
    if target.root is TypeRoot.VARCHAR:
        return source.is_character and longer
    if target.root is TypeRoot.VARBINARY:
        return source.root in BYTES_LIKE and longer
    return source.same_as(target)


def compared_maps(
    compiler: Compiler, operator: str, left: tuple[str, SqlType], right: tuple[str, SqlType]
) -> str:
    """Return the SQL of the comparison of two maps by = or <>."""
    common = common_type([left[1], right[1]])
    if common is not None:
        left, right = ((compiler.cast(text, kind, common), common) for text, kind in (left, right))
    same = compiler.python("maps.equal", [left, right], BOOLEAN)
    return same if operator == "=" else f"(NOT {same})"


def elements(compiler: Compiler, text: str, source: SqlType, target: SqlType, attempt: bool) -> str:
    if source.same_as(target):
        return text
    name = compiler.fresh_name()
    element = compiler.cast(name, source, target, attempt)
    if source.nullable and not target.nullable and target.root in INTEGERS and source.root is not target.root:
        # As in Flink, a cast to another type that is a NOT NULL integer type turns NULL elements into 0:
        # ArrayToArrayCastRule does not check the elements for NULL.
        element = f"coalesce({element}, 0)"
    changed = f"list_transform({text}, lambda {name}: {element})"
    changed = f"CAST({changed} AS {to_duckdb(target)}[])"
    if not attempt or not may_fail(source):
        return changed
    return f"(CASE WHEN list_count({changed}) = list_count({text}) THEN {changed} END)"


def may_fail(source: SqlType) -> bool:
    """Return whether a cast of a key or a value may fail.

    Casts of numbers do not: they return NULL or wrap.
    """
    return source.is_character or bool(source.children)
