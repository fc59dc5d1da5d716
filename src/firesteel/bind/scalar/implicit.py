"""Types that a sink accepts as they are, and types that need an implicit cast (Flink: LogicalTypeCasts)."""

from __future__ import annotations

from firesteel.types.sql import BYTES_LIKE, CHARACTER, INTEGERS, NUMERIC, TIMESTAMPS, SqlType, TypeRoot

_IMPLICIT: dict[TypeRoot, tuple[TypeRoot, ...]] = {
    TypeRoot.VARCHAR: CHARACTER,
    TypeRoot.VARBINARY: BYTES_LIKE,
    TypeRoot.DECIMAL: NUMERIC,
    TypeRoot.SMALLINT: INTEGERS[:2],
    TypeRoot.INTEGER: INTEGERS[:3],
    TypeRoot.BIGINT: INTEGERS,
    TypeRoot.FLOAT: (*INTEGERS, TypeRoot.DECIMAL, TypeRoot.FLOAT),
    TypeRoot.DOUBLE: NUMERIC,
    TypeRoot.DATE: (TypeRoot.DATE, TypeRoot.TIMESTAMP),
    TypeRoot.TIME: (TypeRoot.TIME, TypeRoot.TIMESTAMP),
    TypeRoot.TIMESTAMP: TIMESTAMPS,
    TypeRoot.TIMESTAMP_LTZ: TIMESTAMPS,
}
"""Type roots that can be implicitly cast to each target root. A root that is missing takes only itself."""


def can_cast_implicitly(source: SqlType, target: SqlType) -> bool:
    """Return whether a query's column may be written to a sink's column without an explicit cast."""
    if source.root is TypeRoot.NULL:
        return True
    if source.nullable and not target.nullable:
        return False
    if source.children or target.children:
        return _alike(source, target) and all(
            can_cast_implicitly(s, t) for s, t in zip(source.children, target.children, strict=True)
        )
    return source.root in _IMPLICIT.get(target.root, (target.root,))


def avoids_cast(source: SqlType, target: SqlType) -> bool:
    """Return whether values of a query's column can be stored in a sink's column without a cast.

    They can if the types are the same, or if a string or bytes is stored in a VARCHAR or VARBINARY that is at
    least as long. They cannot if the source may be NULL and the target is NOT NULL. The same rule holds for
    the elements and fields of nested types.

    Args:
        source: Type of the query's column.
        target: Type of the sink's column.
    """
    if source.nullable and not target.nullable:
        return False
    for fixed_and_varying in (CHARACTER, BYTES_LIKE):
        if target.root is fixed_and_varying[1] and source.root in fixed_and_varying:
            return (source.length or 0) <= (target.length or 0)
    if source.children or target.children:
        return _alike(source, target) and all(
            avoids_cast(s, t) for s, t in zip(source.children, target.children, strict=True)
        )
    return source.same_as(target)


def _alike(source: SqlType, target: SqlType) -> bool:
    return source.root is target.root and len(source.children) == len(target.children)
