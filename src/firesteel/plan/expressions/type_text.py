"""Text of types as Calcite prints them in plans.

Examples: `INTEGER`, `VARCHAR(20) CHARACTER SET "UTF-16LE" NOT NULL`.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence

from firesteel.plan.tree import Field
from firesteel.types.sql import INTERVALS, SqlType, TypeRoot

CHARSET = ' CHARACTER SET "UTF-16LE"'

_NAMES = {
    TypeRoot.INTEGER: "INTEGER",
    TypeRoot.TIMESTAMP_LTZ: "TIMESTAMP_WITH_LOCAL_TIME_ZONE",
}
_WITH_LENGTH = (TypeRoot.CHAR, TypeRoot.VARCHAR, TypeRoot.BINARY, TypeRoot.VARBINARY)
_WITH_PRECISION = (TypeRoot.TIME, TypeRoot.TIMESTAMP, TypeRoot.TIMESTAMP_LTZ)


def type_text(kind: SqlType) -> str:
    """Return the full text of a type, with character set and NOT NULL."""
    return _bare(kind, full=True) + ("" if kind.nullable else " NOT NULL")


def plain_type_text(kind: SqlType) -> str:
    """Return the text of a type without character sets and nullability."""
    return _bare(kind, full=False)


def nested_type_text(kind: SqlType) -> str:
    """Return the text of the type of a row's field or of a CAST in the execution plan.

    The text is that of `plain_type_text`, except that a ROW type is `RecordType:peek_no_expand(...)`, not
    `RecordType(...)`.
    """
    return plain_type_text(kind).replace("RecordType(", "RecordType:peek_no_expand(")


def time_type_text(kind: SqlType) -> str:
    """Return the text of a time attribute's type, without its mark: `TIMESTAMP_LTZ(3)`."""
    return str(kind.with_nullable(True))


def record_type_text(
    fields: Sequence[Field], event: Container[int], processing: Container[int], text: Callable[[SqlType], str]
) -> str:
    """Return the text of a row type: `RecordType(BIGINT id, TIMESTAMP(3) *ROWTIME* ts)`.

    Args:
        fields: Columns of the row.
        event: Positions of the event time attributes.
        processing: Positions of the processing time attributes.
        text: Returns the text of a type.
    """
    shown = []
    for i, column in enumerate(fields):
        mark = "*ROWTIME* " if i in event else "*PROCTIME* " if i in processing else ""
        kind = time_type_text(column.type) if mark else text(column.type)
        shown.append(f"{kind} {mark}{column.name}")
    return f"RecordType({', '.join(shown)})"


def interval_qualifier(kind: SqlType) -> str:
    """Return the qualifier of an interval type, such as `DAY` or `HOUR TO MINUTE`.

    If the type has no qualifier from the query (`kind.names` is empty), the result is `MONTH` for a
    year-month interval and `SECOND` for a day-time interval.
    """
    if kind.names:
        return " TO ".join(kind.names)
    return "MONTH" if kind.root is TypeRoot.INTERVAL_YEAR_MONTH else "SECOND"


def _bare(kind: SqlType, full: bool) -> str:
    root = kind.root
    name = _NAMES.get(root, root.value)
    if root in INTERVALS:
        return f"INTERVAL {interval_qualifier(kind)}"
    if root in _WITH_LENGTH:
        return f"{name}({kind.length}){CHARSET if full and kind.is_character else ''}"
    if root is TypeRoot.DECIMAL:
        return f"DECIMAL({kind.precision}, {kind.scale})"
    if root in _WITH_PRECISION:
        return f"{name}({kind.precision})"
    children = [type_text(c) if full else plain_type_text(c) for c in kind.children]
    if root in (TypeRoot.ARRAY, TypeRoot.MULTISET):
        return f"{children[0]} {name}"
    if root is TypeRoot.MAP:
        return f"({children[0]}, {children[1]}) MAP"
    if kind.class_name is not None:
        return str(kind.with_nullable(True))
    if root is TypeRoot.ROW:
        fields = ", ".join(f"{child} {n}" for n, child in zip(kind.names, children, strict=True))
        return f"RecordType:peek_no_expand({fields})" if full else f"RecordType({fields})"
    return name
