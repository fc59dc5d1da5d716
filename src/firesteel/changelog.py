"""Row kinds and changelog modes, shared by the planner and the operators.

Flink: `RowKind`, `ChangelogMode` and the planner's `ModifyKindSet`.
"""

from __future__ import annotations

from dataclasses import astuple, dataclass
from enum import IntEnum


class RowKind(IntEnum):
    """What a change does; the values are the bytes that Flink gives them."""

    INSERT = 0
    UPDATE_BEFORE = 1
    UPDATE_AFTER = 2
    DELETE = 3

    @property
    def short(self) -> str:
        """+I, -U, +U or -D."""
        return SHORT[self]


SHORT = ("+I", "-U", "+U", "-D")
"""The short form of each row kind, by its byte."""


@dataclass(frozen=True)
class ChangelogMode:
    """The kinds of change that a stream may hold."""

    insert: bool = True
    update_before: bool = False
    update_after: bool = False
    delete: bool = False
    key_only_delete: bool = False

    @property
    def is_insert_only(self) -> bool:
        return not (self.update_before or self.update_after or self.delete)

    @property
    def has_retraction(self) -> bool:
        """Whether a consumer must be able to take rows away."""
        return self.update_before or self.update_after or self.delete

    def __or__(self, other: ChangelogMode) -> ChangelogMode:
        """The kinds that one or the other holds."""
        pairs = zip(astuple(self), astuple(other), strict=True)
        return ChangelogMode(*(one or another for one, another in pairs))

    def __str__(self) -> str:
        """As EXPLAIN prints it: `I,UB,UA,D`."""
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


ORDER = "$order"


PLACE = "$place"


def field(index: int) -> str:
    """The name of field `index` in a changes table."""
    return f"f{index}"
