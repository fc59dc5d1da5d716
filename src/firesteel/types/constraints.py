"""Constraints of a sink's columns: NOT NULL and the length of CHAR, VARCHAR, BINARY and VARBINARY.

Constraints also apply to fields inside ROW, ARRAY and MAP. A query whose rows go to the client, not into a
table, counts as a sink. Rules, options and texts are those of Flink's ConstraintEnforcerExecutor and the
Constraint classes beside it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from firesteel.config.registry import Configuration
from firesteel.errors import ValidationError
from firesteel.types.sql import BYTES_LIKE, CHARACTER, MAX_LENGTH, SqlType, TypeRoot

NOT_NULL = "table.exec.sink.not-null-enforcer"
LENGTH = "table.exec.sink.type-length-enforcer"
NESTED = "table.exec.sink.nested-constraint-enforcer"

FIXED = (TypeRoot.CHAR, TypeRoot.BINARY)
"""Types whose values are padded to their length."""


@dataclass(frozen=True)
class Constraints:
    """Columns of a sink, and the handling of rows that violate their constraints."""

    names: tuple[str, ...]
    """Column names."""
    types: tuple[SqlType, ...]
    """Column types."""
    not_null: str = "ERROR"
    """ERROR or DROP: what happens to a row with NULL in a NOT NULL column."""
    length: str = "IGNORE"
    """IGNORE, TRIM_PAD or ERROR: what happens to a value of the wrong length."""
    nested: str = "IGNORE"
    """Which values inside other values must satisfy their constraints.

    IGNORE: none. ROWS: the fields of ROWs. ROWS_AND_COLLECTIONS: also the elements of ARRAYs and the keys and
    values of MAPs.
    """

    @property
    def texts(self) -> tuple[str, ...]:
        """Return the constraints as a plan shows them; empty if there are none."""
        return tuple(self._texts(self.names, self.types))

    def has_length(self, kind: SqlType) -> bool:
        """Return whether the type limits the length of its values and the options do not ignore it."""
        bounded = kind.root in (*CHARACTER, *BYTES_LIKE) and (kind.length or 0) < MAX_LENGTH
        return bounded and self.length != "IGNORE"

    def looks_into(self, kind: SqlType) -> bool:
        """Return whether the fields, elements or entries of a ROW, ARRAY or MAP must satisfy constraints."""
        if kind.root is TypeRoot.ROW:
            return self.nested != "IGNORE"
        return kind.root in (TypeRoot.ARRAY, TypeRoot.MAP) and self.nested == "ROWS_AND_COLLECTIONS"

    def _texts(self, names: Sequence[str], types: Sequence[SqlType]) -> list[str]:
        columns = list(zip(names, types, strict=True))
        found = []
        if required := [name for name, kind in columns if not kind.nullable]:
            found.append(f"NotNullEnforcer(fields=[{', '.join(required)}])")
        fitted = [[n for n, k in columns if k.root in family and self.has_length(k)] for family in _FAMILIES]
        found += [f"LengthEnforcer(fields=[{', '.join(names)}])" for names in fitted if names]
        for root, (enforcer, equals) in _NESTED.items():
            inside = [
                f"{{{name}{equals}[{', '.join(self._texts(inner_names(kind), kind.children))}]}}"
                for name, kind in columns
                if kind.root is root and self.looks_into(kind)
            ]
            if inside:
                found.append(f"{enforcer}(constraints=[{', '.join(inside)}])")
        return found


_FAMILIES = (CHARACTER, BYTES_LIKE)
_NESTED = {
    TypeRoot.ROW: ("NestedRowEnforcer", "="),
    TypeRoot.ARRAY: ("NestedArrayEnforcer", "="),
    TypeRoot.MAP: ("NestedMapEnforcer", "=="),
}
"""Flink's name of the nested constraint, and the text between a column's name and its inner constraints.

Plans show both. For a MAP, Flink writes two equals signs.
"""


def inner_names(kind: SqlType) -> tuple[str, ...]:
    """Return the field names of a ROW, ("element",) for an ARRAY, ("key", "value") for a MAP."""
    if kind.root is TypeRoot.ARRAY:
        return ("element",)
    return ("key", "value") if kind.root is TypeRoot.MAP else kind.names


def constraints_of(
    names: Sequence[str], types: Sequence[SqlType], options: Mapping[str, str]
) -> Constraints | None:
    """Return the constraints of a sink, or None if there is nothing to check.

    Args:
        names: Column names.
        types: Column types.
        options: Options of the session.

    Raises:
        ValidationError: The options exclude each other. The message is Flink's.
    """
    configuration = options if isinstance(options, Configuration) else Configuration(options)
    length, nested = configuration.get(LENGTH), configuration.get(NESTED)
    if length == "TRIM_PAD" and nested == "ROWS_AND_COLLECTIONS":
        raise ValidationError(
            "Trimming and/or padding is not supported if constraint checking is enabled on types nested in "
            "collections.",
            hint=f"set '{NESTED}' = 'ROWS', or '{LENGTH}' = 'ERROR'",
        )
    found = Constraints(tuple(names), tuple(types), configuration.get(NOT_NULL), length, nested)
    return found if found.texts else None
