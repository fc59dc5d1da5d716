"""Common type of several types, and allowed casts.

The rules are those of three classes:

- Calcite's `leastRestrictive` with Flink's type system gives the type of CASE, IF, UNION, VALUES, ARRAY, MAP
  and arithmetic. Of FLOAT and DOUBLE, it takes the one that comes first.
- Flink's `LogicalTypeMerging` gives the type of COALESCE, IFNULL, GREATEST and LEAST. Of FLOAT and DOUBLE, it
  takes DOUBLE.
- Flink's `LogicalTypeCasts` says which casts are allowed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from firesteel.types import sql
from firesteel.types.decimals import MAX_PRECISION, digits
from firesteel.types.sql import (
    APPROXIMATE,
    BYTES_LIKE,
    CHARACTER,
    INTEGERS,
    INTERVALS,
    NUMERIC,
    TIMESTAMPS,
    SqlType,
    TypeRoot,
    decimal,
)

_COLLECTIONS = (TypeRoot.ARRAY, TypeRoot.MAP, TypeRoot.MULTISET, TypeRoot.ROW)


def common_type(types: Sequence[SqlType], widest: bool = False) -> SqlType | None:
    """Return the type that values of all these types can be converted to; None if there is no such type.

    Args:
        types: Types to combine. An untyped NULL is ignored if there are others.
        widest: Whether to follow LogicalTypeMerging, as for COALESCE: FLOAT and DOUBLE give DOUBLE. If not,
            follow Calcite's leastRestrictive: FLOAT and DOUBLE give the one that comes first.
    """
    nullable = any(t.nullable for t in types)
    known = [t for t in types if t.root is not TypeRoot.NULL]
    if not known:
        return types[0] if types else None

    found: SqlType | None = known[0]
    for kind in known[1:]:
        found = None if found is None else _merged(found, kind, widest)
    return None if found is None else found.with_nullable(nullable)


def _merged(a: SqlType, b: SqlType, widest: bool) -> SqlType | None:
    if a.same_as(b):
        return a
    if a.root in NUMERIC and b.root in NUMERIC:
        return _numeric(a, b, widest)
    if a.root in CHARACTER and b.root in CHARACTER:
        return _sized(a, b, TypeRoot.CHAR, TypeRoot.VARCHAR)
    if a.root in BYTES_LIKE and b.root in BYTES_LIKE:
        return _sized(a, b, TypeRoot.BINARY, TypeRoot.VARBINARY)
    if a.root in INTERVALS and a.root is b.root:
        return a
    if a.is_datetime and b.is_datetime:
        return _temporal(a, b, widest)
    if a.root in _COLLECTIONS and a.root is b.root and len(a.children) == len(b.children):
        return _collection(a, b, widest)
    return None


def _numeric(a: SqlType, b: SqlType, widest: bool) -> SqlType:
    if a.root in APPROXIMATE and b.root in APPROXIMATE:
        return sql.DOUBLE if widest else a
    if a.root in APPROXIMATE or b.root in APPROXIMATE:
        approximate, exact = (a, b) if a.root in APPROXIMATE else (b, a)
        # LogicalTypeMerging depends on the order: (DECIMAL, FLOAT) gives FLOAT, (FLOAT, DECIMAL) DOUBLE.
        if widest and exact is a:
            return approximate
        return sql.DOUBLE if exact.root is TypeRoot.DECIMAL else approximate
    if a.root in INTEGERS and b.root in INTEGERS:
        return max(a, b, key=lambda t: INTEGERS.index(t.root))
    (p1, s1), (p2, s2) = digits(a), digits(b)
    scale = max(s1, s2)
    whole = max(p1 - s1, p2 - s2)
    return decimal(min(MAX_PRECISION, whole + scale), min(scale, MAX_PRECISION - min(whole, MAX_PRECISION)))


def _sized(a: SqlType, b: SqlType, fixed: TypeRoot, varying: TypeRoot) -> SqlType:
    length = max(a.length or 0, b.length or 0)
    root = fixed if a.root is fixed and b.root is fixed and a.length == b.length else varying
    return SqlType(root, length=length)


def _temporal(a: SqlType, b: SqlType, widest: bool) -> SqlType | None:
    if a.root in TIMESTAMPS and b.root in TIMESTAMPS:
        root = TypeRoot.TIMESTAMP if a.root is b.root is TypeRoot.TIMESTAMP else TypeRoot.TIMESTAMP_LTZ
        return SqlType(root, precision=max(a.precision or 0, b.precision or 0))
    if a.root is b.root:
        return a if (a.precision or 0) >= (b.precision or 0) else b
    if TypeRoot.TIME in (a.root, b.root):
        return None
    return (b if a.root is TypeRoot.DATE else a) if widest else a


def _collection(a: SqlType, b: SqlType, widest: bool) -> SqlType | None:
    if a.class_name != b.class_name or (a.class_name is not None and a.names != b.names):
        return None
    pairs = zip(a.children, b.children, strict=True)
    children = [common_type(pair, widest) for pair in pairs]
    if any(child is None for child in children):
        return None
    return replace(a, nullable=True, children=tuple(c for c in children if c is not None))


# For each root of a source type: the roots of the types to which its values can be cast explicitly. Casts to
# the same root need no entry: can_cast allows them without this table. Flink: LogicalTypeCasts.
_BASIC = (*CHARACTER, *NUMERIC, TypeRoot.BOOLEAN)
_TO = {
    TypeRoot.BOOLEAN: _BASIC,
    **dict.fromkeys(CHARACTER, (*_BASIC, *BYTES_LIKE, TypeRoot.DATE, TypeRoot.TIME, *TIMESTAMPS)),
    **dict.fromkeys(INTEGERS, (*_BASIC, TypeRoot.TIMESTAMP_LTZ, *INTERVALS)),
    TypeRoot.DECIMAL: (*_BASIC,),
    **dict.fromkeys(APPROXIMATE, _BASIC),
    **dict.fromkeys(BYTES_LIKE, (*CHARACTER, *BYTES_LIKE)),
    TypeRoot.DATE: (*CHARACTER, *TIMESTAMPS),
    TypeRoot.TIME: (*CHARACTER, *TIMESTAMPS),
    **dict.fromkeys(TIMESTAMPS, (*CHARACTER, TypeRoot.DATE, TypeRoot.TIME, *TIMESTAMPS)),
    **dict.fromkeys(INTERVALS, (*CHARACTER, *INTEGERS)),
    TypeRoot.ARRAY: CHARACTER,
    TypeRoot.MAP: CHARACTER,
    TypeRoot.MULTISET: CHARACTER,
    TypeRoot.ROW: CHARACTER,
    TypeRoot.VARIANT: (),
    TypeRoot.BITMAP: CHARACTER,
    TypeRoot.RAW: CHARACTER,
}


def can_cast(source: SqlType, target: SqlType) -> bool:
    """Return whether SQL allows an explicit CAST from one type to the other."""
    if source.root is TypeRoot.NULL or source.same_as(target):
        return True
    if source.root in _COLLECTIONS and source.root is target.root:
        pairs = zip(source.children, target.children, strict=False)
        return len(source.children) == len(target.children) and all(can_cast(s, t) for s, t in pairs)
    if source.root is TypeRoot.BITMAP and target.root is TypeRoot.VARBINARY:
        return target.length == sql.MAX_LENGTH and source.nullable
    return source.root is target.root or target.root in _TO.get(source.root, ())
