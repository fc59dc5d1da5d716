"""What a sink demands of its columns: no NULL where NOT NULL is said, the lengths of CHAR, VARCHAR, BINARY
and VARBINARY, and the same for what lies inside of ROW, ARRAY and MAP.

Rules, options and texts: Flink ConstraintEnforcerExecutor and the Constraints beside it. A collected query is
a sink like any other.
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
    """Columns, and what happens to a row that breaks what they demand.

    not_null: ERROR or DROP. length: IGNORE, TRIM_PAD or ERROR. nested: IGNORE, ROWS or ROWS_AND_COLLECTIONS.
    """

    names: tuple[str, ...]
    types: tuple[SqlType, ...]
    not_null: str = "ERROR"
    length: str = "IGNORE"
    nested: str = "IGNORE"

    @property
    def texts(self) -> tuple[str, ...]:
        """As a plan names them; empty where nothing is demanded."""
        return tuple(self._texts(self.names, self.types))

    def has_length(self, kind: SqlType) -> bool:
        """Whether values of the type are held to its length."""
        bounded = kind.root in (*CHARACTER, *BYTES_LIKE) and (kind.length or 0) < MAX_LENGTH
        return bounded and self.length != "IGNORE"

    def looks_into(self, kind: SqlType) -> bool:
        """Whether what lies inside of values of the type is looked at."""
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
"""How plans write them; a map's has two equals signs in Flink, too."""


def inner_names(kind: SqlType) -> tuple[str, ...]:
    """The names of what a ROW, ARRAY or MAP is made of."""
    if kind.root is TypeRoot.ARRAY:
        return ("element",)
    return ("key", "value") if kind.root is TypeRoot.MAP else kind.names


def constraints_of(
    names: Sequence[str], types: Sequence[SqlType], options: Mapping[str, str]
) -> Constraints | None:
    """What a sink with these columns demands under the options that are set; None for nothing.

    Raises ValidationError in Flink's words for options that do not go together.
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
