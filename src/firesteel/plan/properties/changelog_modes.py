"""Which changes a node sends, and which it takes and wants of its inputs.

Flink: FlinkChangelogModeInferenceProgram; SatisfyModifyKindSetTraitVisitor for the kinds,
SatisfyUpdateKindTraitVisitor for how updates come.
"""

from __future__ import annotations

from enum import Enum

from firesteel.catalog.schema import Table
from firesteel.changelog import ALL, INSERT_ONLY, UPSERT, ChangelogMode
from firesteel.errors import InternalError, ValidationError
from firesteel.plan.properties.property import OF_PHYSICAL, Fact
from firesteel.plan.tree import Node

Kinds = frozenset[str]
"""Some of insert, update and delete."""

NO_KINDS: Kinds = frozenset()
INSERTS: Kinds = frozenset({"insert"})
EVERYTHING: Kinds = frozenset({"insert", "update", "delete"})


class UpdateKind(Enum):
    """How updates come: there are none, the new row alone, or the row before and the new one."""

    NONE = 0
    ONLY_AFTER = 1
    BEFORE_AND_AFTER = 2


kinds_sent: Fact[Kinds] = Fact("kinds of changes sent", OF_PHYSICAL)
"""What the node can send, from what its inputs can."""

kinds_taken: Fact[Kinds | None] = Fact("kinds of changes taken", OF_PHYSICAL)
"""What the node takes of its inputs; None where it sends on what it gets, and so takes what its consumer
does."""

updates_wanted: Fact[tuple[UpdateKind, ...] | None] = Fact("kinds of updates wanted", OF_PHYSICAL)
"""`updates_wanted(node, wish)`: how updates must come from each input so that the node sends them as wished;
None where it cannot."""


def sends_updates(node: Node) -> bool:
    return "update" in kinds_sent(node)


def updates_or_none(node: Node, kind: UpdateKind) -> UpdateKind:
    """The wish to an input that may send no updates at all."""
    return kind if sends_updates(node) else UpdateKind.NONE


def source_mode(table: Table) -> ChangelogMode:
    """The changes that a table brings as a source."""
    if table.traits is None:
        raise InternalError(f"table '{table.name}' has no traits")
    return table.traits.changelog_mode


def kinds_of(mode: ChangelogMode) -> Kinds:
    named = {"insert": mode.insert, "update": mode.update_after, "delete": mode.delete}
    return frozenset(kind for kind, there in named.items() if there)


def mode_of(kinds: Kinds, update_before: bool) -> ChangelogMode:
    """The mode of a stream of these kinds, its updates with or without the row before."""
    updates = "update" in kinds
    return ChangelogMode("insert" in kinds, updates and update_before, updates, "delete" in kinds)


def sink_mode(table: Table, requested: Kinds) -> ChangelogMode:
    """What a sink takes of a query that emits these kinds (Flink: DynamicTableSink.getChangelogMode)."""
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
    return mode_of(requested, update_before=mode == "requested")


def sends_what_it_gets(*classes: type[Node]) -> None:
    """The answers of nodes that hand on each change of their only input, as it is or computed from."""
    kinds_sent.of_input(*classes)
    kinds_taken.always(None, *classes)
    updates_wanted.of(*classes)(lambda node, wish: (wish,))


def keeps_account_of_rows(*classes: type[Node]) -> None:
    """What nodes take that keep state of whole rows, whatever they send: everything, old rows too."""
    both = UpdateKind.BEFORE_AND_AFTER
    kinds_taken.always(EVERYTHING, *classes)
    updates_wanted.of(*classes)(lambda node, wish: (updates_or_none(node.input, both),))
