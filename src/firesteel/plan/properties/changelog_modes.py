"""Changes that a node sends, and changes that it accepts and requires of its inputs.

Flink: FlinkChangelogModeInferenceProgram; SatisfyModifyKindSetTraitVisitor for the kinds,
SatisfyUpdateKindTraitVisitor for the form of updates.
"""

from __future__ import annotations

from enum import Enum

from firesteel.catalog.schema import Table
from firesteel.changelog import ALL, INSERT_ONLY, UPSERT, ChangelogMode
from firesteel.errors import InternalError, ValidationError
from firesteel.plan.properties.property import OF_PHYSICAL, NodeProperty
from firesteel.plan.tree import Node

Kinds = frozenset[str]
"""Set of kinds of changes: some of the words "insert", "update" and "delete"."""

NO_KINDS: Kinds = frozenset()
INSERTS: Kinds = frozenset({"insert"})
EVERYTHING: Kinds = frozenset({"insert", "update", "delete"})


class UpdateKind(Enum):
    """Form of updates: no updates, the new row alone, or the old row and the new one."""

    NONE = 0
    ONLY_AFTER = 1
    BEFORE_AND_AFTER = 2


kinds_sent: NodeProperty[Kinds] = NodeProperty("kinds of changes sent", OF_PHYSICAL)
"""Kinds of changes that a node can send, derived from those of its inputs."""

kinds_taken: NodeProperty[Kinds | None] = NodeProperty("kinds of changes taken", OF_PHYSICAL)
"""Kinds of changes that a node accepts from its inputs.

None for a node that passes changes on, and so accepts what its consumer accepts.
"""

updates_wanted: NodeProperty[tuple[UpdateKind, ...] | None] = NodeProperty(
    "kinds of updates wanted", OF_PHYSICAL
)
"""Form of updates that a node requires of each input: `updates_wanted(node, wish)`.

`wish` is the form in which the node must send updates. The result is None if the node cannot send that form.
"""


def sends_updates(node: Node) -> bool:
    return "update" in kinds_sent(node)


def updates_or_none(node: Node, kind: UpdateKind) -> UpdateKind:
    """Return a form of updates to require of an input: `kind`, or NONE if the input sends no updates."""
    return kind if sends_updates(node) else UpdateKind.NONE


def source_mode(table: Table) -> ChangelogMode:
    """Return the changelog mode of a table that is read."""
    if table.traits is None:
        raise InternalError(f"table '{table.name}' has no traits")
    return table.traits.changelog_mode


def kinds_of(mode: ChangelogMode) -> Kinds:
    named = {"insert": mode.insert, "update": mode.update_after, "delete": mode.delete}
    return frozenset(kind for kind, there in named.items() if there)


def mode_of(kinds: Kinds, update_before: bool) -> ChangelogMode:
    """Return the changelog mode with these kinds of changes, and updates with or without the old row."""
    updates = "update" in kinds
    return ChangelogMode("insert" in kinds, updates and update_before, updates, "delete" in kinds)


def sink_mode(table: Table, requested: Kinds, update_before: bool = True) -> ChangelogMode:
    """Return the changelog mode in which a sink accepts a query's changes (Flink: getChangelogMode).

    Args:
        table: Table of the sink.
        requested: Kinds of changes that the query sends.
        update_before: Whether the query sends old rows. It matters only for a sink that accepts whatever mode
            the query has, such as print.

    Raises:
        ValidationError: The sink needs a primary key for updates and deletes, and has none.
    """
    mode = table.traits.sink_mode if table.traits else "insert-only"
    if mode == "all":
        return ALL
    if mode == "upsert":
        if not table.primary_key and requested != INSERTS:  # Flink: JdbcDynamicTableSink
            raise ValidationError(
                "please declare primary key for sink table when query contains update/delete record."
            )
        return UPSERT
    if mode == "insert-only":
        return INSERT_ONLY
    return mode_of(requested, update_before and mode == "requested")


def sends_what_it_gets(*classes: type[Node]) -> None:
    """Register node classes that pass on each change of their only input, as it is or computed from it."""
    kinds_sent.of_input(*classes)
    kinds_taken.always(None, *classes)
    updates_wanted.of(*classes)(lambda node, wish: (wish,))


def keeps_account_of_rows(*classes: type[Node]) -> None:
    """Register node classes that must retract each row that is changed or removed, such as aggregates.

    They accept all changes and require old rows.
    """
    both = UpdateKind.BEFORE_AND_AFTER
    kinds_taken.always(EVERYTHING, *classes)
    updates_wanted.of(*classes)(lambda node, wish: (updates_or_none(node.input, both),))
