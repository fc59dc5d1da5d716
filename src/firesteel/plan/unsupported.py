"""Plans that are shown and cannot run yet: an error, never another change stream."""

from __future__ import annotations

from firesteel.plan.tree import Node


def refuse_execution(root: Node) -> None:
    """Raises NotSupportedError where the plan has an operator that cannot run yet."""
