"""Compilation of JSON functions to DuckDB SQL.

SQL builds texts, and Python evaluates paths (library/sql_json.py).

The text of a value depends on the call that returns it: JSON_OBJECT, JSON_ARRAY and JSON() are inserted
unchanged, everything else as a value (Flink: JsonGenerateUtils). DuckDB has one type for TIMESTAMP and
TIMESTAMP_LTZ, and one for VARIANT and bytes. So the SQL tells the Python functions which one a value has
(`_marks`).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from firesteel.errors import NotSupportedError
from firesteel.functions.duckdb.compile.json_paths import plain_path, with_duckdb
from firesteel.functions.duckdb.compile.text import Compiler, Emit, quoted
from firesteel.functions.expression.json_defaults import java_default
from firesteel.functions.expression.nodes import Call, Expr, Literal
from firesteel.types.sql import (
    BOOLEAN,
    BYTES_LIKE,
    CHARACTER,
    INTEGERS,
    STRING,
    TIMESTAMPS,
    SqlType,
    TypeRoot,
    array,
)

_CONSTRUCTORS = frozenset({"JSON_OBJECT", "JSON_ARRAY", "JSON"})
_PLAIN = (*INTEGERS, TypeRoot.BOOLEAN)
"""Types whose text in DuckDB is their JSON text."""


def _text(compiler: Compiler, value: Expr) -> str:
    """Return the SQL of a value's JSON text, NULL for NULL."""
    text = compiler(value)
    if isinstance(value, Call) and value.function in _CONSTRUCTORS:
        return text
    if value.type.root in _PLAIN:
        return f"CAST({text} AS VARCHAR)"
    if value.type.root in CHARACTER:
        return f"CAST(to_json({text}) AS VARCHAR)"
    arguments = [(text, value.type), (quoted("".join(_marks(value.type))), STRING)]
    return compiler.python("json.string", arguments, STRING)


def _marks(kind: SqlType) -> Iterator[str]:
    """Yield a letter for each part of a type that DuckDB's type does not identify, from left to right.

    z: TIMESTAMP_LTZ, t: TIMESTAMP, v: VARIANT, y: other bytes. ROW<a TIMESTAMP, b BYTES> has t and y.
    """
    if kind.root in TIMESTAMPS:
        yield "z" if kind.root is TypeRoot.TIMESTAMP_LTZ else "t"
    if kind.root is TypeRoot.VARIANT or kind.root in BYTES_LIKE:
        yield "v" if kind.root is TypeRoot.VARIANT else "y"
    for child in kind.children:
        yield from _marks(child)


def _string(compiler: Compiler, call: Call) -> str:
    return _text(compiler, call.args[0])


def _joined(opening: str, members: Sequence[str], closing: str) -> str:
    """Return the SQL of a JSON array or object: the members that are not NULL, in brackets."""
    if not members:
        return quoted(opening + closing)
    return f"('{opening}' || concat_ws(',', {', '.join(members)}) || '{closing}')"


def _array(compiler: Compiler, call: Call) -> str:
    texts = [_text(compiler, value) for value in call.args]
    if call.options == ("NULL_ON_NULL",):
        texts = [f"COALESCE({text}, 'null')" for text in texts]
    return _joined("[", texts, "]")


def _object(compiler: Compiler, call: Call) -> str:
    """Return the SQL of JSON_OBJECT, with members sorted by name.

    If several members have the same name, the last one whose value is not NULL is kept.
    """
    from firesteel.types import json_text  # Few queries need this import.

    keys, values = call.args[::2], [_text(compiler, value) for value in call.args[1::2]]
    if call.options == ("NULL_ON_NULL",):
        values = [f"COALESCE({text}, 'null')" for text in values]
    if not all(isinstance(key, Literal) for key in keys):
        names = f"[{', '.join(map(compiler, keys))}]"
        return compiler.python(
            "json.object", [(names, array(STRING)), (f"[{', '.join(values)}]", array(STRING))], STRING
        )
    named: dict[str, list[str]] = {}
    for key, text in zip(keys, values, strict=True):
        named.setdefault(str(getattr(key, "value", "")), []).insert(0, text)
    members = []
    for name in sorted(named, key=lambda name: name.encode("utf-16-be", "surrogatepass")):
        texts = named[name]
        value = texts[0] if len(texts) == 1 else f"COALESCE({', '.join(texts)})"
        members.append(f"({quoted(f'{json_text.quoted(name)}:')} || {value})")
    return _joined("{", members, "}")


def _path_call(compiler: Compiler, call: Call, name: str, clauses: str) -> str:
    text, path = call.args[:2]
    document = compiler(text)
    if not text.type.is_character:
        document = compiler.cast(document, text.type, STRING)
    arguments = [(document, STRING), (compiler(path), STRING), (quoted(clauses), STRING)]
    return compiler.python(f"sql_json.{name}", arguments, call.type)


def _value(compiler: Compiler, call: Call) -> str:
    """Return the SQL of JSON_VALUE.

    Of several clauses ON EMPTY or ON ERROR, the first one counts. DEFAULT NULL makes the whole call NULL.
    """
    said: dict[str, Any] = {"returning": call.type.root.name}
    defaults = iter(call.args[2:])
    for word, event in zip(call.options[::2], call.options[1::2], strict=True):
        behaviour: dict[str, Any] = {"word": word}
        if word == "DEFAULT":
            default = next(defaults)
            if not isinstance(default, Literal):
                raise NotSupportedError("The DEFAULT of JSON_VALUE must be a literal", range=default.range)
            if default.value is None:
                return f"CAST(NULL AS {compiler.type_name(call.type)})"
            behaviour |= java_default(default, call.type)
        said.setdefault(event.removeprefix("ON ").lower(), behaviour)
    found = _path_call(compiler, call, "value", json.dumps(said))
    path = plain_path(call)
    return found if path is None else with_duckdb(compiler(call.args[0]), path, found)


def _query(compiler: Compiler, call: Call) -> str:
    wrapper, *behaviours = call.options
    empty, error = (b[b.index("[") + 1 : -1].replace("_", " ") for b in behaviours)
    said = {
        "wrapper": wrapper,
        "array": call.type.root is TypeRoot.ARRAY,
        "empty": {"word": empty},
        "error": {"word": error},
    }
    return _path_call(compiler, call, "query", json.dumps(said))


def _exists(compiler: Compiler, call: Call) -> str:
    return _path_call(compiler, call, "exists", call.options[0] if call.options else "FALSE")


def _test(compiler: Compiler, call: Call) -> str:
    """Return the SQL of IS JSON, false for NULL."""
    kind = call.function.split()[-1]
    arguments = [(compiler(call.args[0]), STRING), (quoted(kind), STRING)]
    test = compiler.python("sql_json.tested", arguments, BOOLEAN)
    found = f"COALESCE({test}, FALSE)"
    return f"(NOT {found})" if call.function.startswith("IS NOT") else found


EMIT: dict[str, Emit] = {
    "JSON_STRING": _string,
    "JSON_OBJECT": _object,
    "JSON_ARRAY": _array,
    "JSON_VALUE": _value,
    "JSON_QUERY": _query,
    "JSON_EXISTS": _exists,
    **{
        f"IS {negation}JSON {kind}": _test
        for negation in ("", "NOT ")
        for kind in ("VALUE", "SCALAR", "OBJECT", "ARRAY")
    },
}
