"""Row kinds and changelog modes, shared by the planner and the operators.

Flink: `RowKind`, `ChangelogMode` and the planner's `ModifyKindSet`.
"""

from __future__ import annotations

from dataclasses import astuple, dataclass
from enum import IntEnum


class RowKind(IntEnum):
    """Kind of a change. Each value is the byte that Flink gives the kind."""

    INSERT = 0
    UPDATE_BEFORE = 1
    UPDATE_AFTER = 2
    DELETE = 3

    @property
    def short(self) -> str:
        """Return the short form: +I, -U, +U or -D."""
        return SHORT[self]


SHORT = ("+I", "-U", "+U", "-D")
"""Short form of each row kind, indexed by the kind's byte."""


@dataclass(frozen=True)
class ChangelogMode:
    """Set of the change kinds that a stream may contain."""

    insert: bool = True
    update_before: bool = False
    update_after: bool = False
    delete: bool = False
    key_only_delete: bool = False
    """Whether a DELETE carries only the columns of the key (a partial delete)."""

    @property
    def is_insert_only(self) -> bool:
        return not (self.update_before or self.update_after or self.delete)

    @property
    def has_retraction(self) -> bool:
        """Whether consumers must be able to remove or replace rows."""
        return self.update_before or self.update_after or self.delete

    def __or__(self, other: ChangelogMode) -> ChangelogMode:
        """Return the union of both modes."""
        pairs = zip(astuple(self), astuple(other), strict=True)
        return ChangelogMode(*(one or another for one, another in pairs))

    def __str__(self) -> str:
        """Return the mode as EXPLAIN prints it: `I,UB,UA,D`."""
        kinds = [
            (self.insert, "I"),
            (self.update_before, "UB"),
            (self.update_after, "UA"),
            (self.delete, "PD" if self.key_only_delete else "D"),
        ]
        return ",".join(text for there, text in kinds if there)


INSERT_ONLY = ChangelogMode()
ALL = ChangelogMode(update_before=True, update_after=True, delete=True)
UPSERT = ChangelogMode(update_after=True, delete=True)


KIND = "$kind"
"""Column of a changes table with the row kind, as int8."""


SEQUENCE = "$order"
"""Column of a changes table with the sequence, int64: number of the input row that caused the change."""


SUB_SEQUENCE = "$place"
"""Optional column of a changes table with the sub-sequence, as int64.

It is the number of the change among all changes that one input row caused.
"""


def field(index: int) -> str:
    """Return the name of the column that holds field `index` in a changes table."""
    return f"f{index}"
