"""JSON encoding of SQL types, for messages and checkpoints."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any

from firesteel.types.sql import SqlType, TypeRoot


def encode(kind: SqlType) -> str:
    """Return the JSON text of a type."""
    return json.dumps(_plain(kind), ensure_ascii=False, separators=(",", ":"))


@lru_cache(maxsize=256)
def decode(text: str) -> SqlType:
    """Return the type that `encode` wrote."""
    return _type(json.loads(text))


def _plain(kind: SqlType) -> list[Any]:
    children = [_plain(child) for child in kind.children]
    return [
        kind.root.name,
        kind.nullable,
        kind.length,
        kind.precision,
        kind.scale,
        children,
        list(kind.names),
        *filter(None, [kind.class_name]),
    ]


def _type(plain: list[Any]) -> SqlType:
    root, nullable, length, precision, scale, children, names, *class_name = plain
    return SqlType(
        TypeRoot[root],
        nullable,
        length,
        precision,
        scale,
        tuple(map(_type, children)),
        tuple(names),
        *class_name,
    )
