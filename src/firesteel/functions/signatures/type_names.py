"""Calcite's names of types, for error messages about arguments."""

from __future__ import annotations

from firesteel.types.sql import BYTES_LIKE, CHARACTER, INTERVALS, NUMERIC, SqlType, TypeRoot

_NAMES = {TypeRoot.INTEGER: "INTEGER", TypeRoot.TIMESTAMP_LTZ: "TIMESTAMP_WITH_LOCAL_TIME_ZONE"}


def calcite_name(kind: SqlType) -> str:
    """Return Calcite's name of a type: `INTEGER`, `VARCHAR(2147483647)`, `INTEGER ARRAY`."""
    root = kind.root
    name = _NAMES.get(root, root.value)
    if root in (*CHARACTER, *BYTES_LIKE):
        return f"{name}({kind.length})"
    if root is TypeRoot.DECIMAL:
        return f"DECIMAL({kind.precision}, {kind.scale})"
    if root in (TypeRoot.TIME, TypeRoot.TIMESTAMP, TypeRoot.TIMESTAMP_LTZ):
        return f"{name}({kind.precision})"
    if root in INTERVALS:
        return "INTERVAL MONTH" if root is TypeRoot.INTERVAL_YEAR_MONTH else "INTERVAL SECOND"
    children = [calcite_name(child) for child in kind.children]
    if root is TypeRoot.MAP:
        return f"({children[0]}, {children[1]}) MAP"
    if kind.class_name is not None:
        return str(kind.with_nullable(True))
    if root is TypeRoot.ROW:
        fields = ", ".join(f"{child} {n}".upper() for n, child in zip(kind.names, children, strict=True))
        return f"RECORDTYPE:PEEK_NO_EXPAND({fields})"
    return f"{children[0]} {name}" if children else name


def family_name(kind: SqlType) -> str:
    """Return the name of a type in errors about unknown functions: `CHARACTER`, `NUMERIC`."""
    if kind.root in CHARACTER:
        return "CHARACTER"
    if kind.root in NUMERIC:
        return "NUMERIC"
    if kind.root in BYTES_LIKE:
        return "BINARY"
    name = calcite_name(kind)
    return name if kind.children else name.split("(")[0]
