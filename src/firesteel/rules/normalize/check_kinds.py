"""Refuse a node that sends changes that its consumer cannot accept.

Flink: SatisfyModifyKindSetTraitVisitor, the first pass of FlinkChangelogModeInferenceProgram.
"""

from __future__ import annotations

from sys import intern

from firesteel.errors import ValidationError
from firesteel.functions.expression.recursion import from_below
from firesteel.plan.metadata import kinds_sent, kinds_taken
from firesteel.plan.nodes.text import digest, operator_name
from firesteel.plan.properties.changelog_modes import Kinds
from firesteel.plan.tree import Node

SINK = "Table sink "
"""Prefix of `requester` in `check_kinds` if the consumer is a sink."""

_OTHER_SINKS = (
    "a sink for updates is upsert-kafka or jdbc, with a PRIMARY KEY, or a table whose format holds changes: "
    "debezium-json, canal-json, maxwell-json or ogg-json"
)


@from_below
def check_kinds(node: Node, accepted: Kinds | None, requester: str) -> None:
    """Raise ValidationError if a node sends changes that its consumer cannot accept.

    All nodes below are checked, too. A node that only passes changes on (`kinds_taken` is None) is not
    checked itself: its inputs are checked for its consumer.

    Args:
        node: The node.
        accepted: Kinds of changes that the consumer accepts. None counts as the empty set.
        requester: Name of the consumer in the message. Equal names must be one string object (`intern`):
            `from_below` calls the function once for each combination of argument objects.
    """
    taken = kinds_taken(node)
    if taken is not None:
        refused = kinds_sent(node) - (accepted or frozenset())
        if refused:
            raise ValidationError(
                f"{requester} doesn't support consuming {_listed(refused)} changes "
                f"which is produced by node {digest(node)}",
                hint=_OTHER_SINKS if requester.startswith(SINK) else None,
            )
        accepted, requester = taken, intern(f"StreamPhysical{operator_name(node)}")
    for child in node.children:
        check_kinds(child, accepted, requester)


def _listed(kinds: Kinds) -> str:
    return " and ".join(kind for kind in ("insert", "update", "delete") if kind in kinds)
