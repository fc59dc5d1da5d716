"""Plans that are shown and cannot run yet: an error, never another change stream."""

from __future__ import annotations

from firesteel.errors import NotSupportedError
from firesteel.plan.physical_windows import WINDOWS, GroupWindowAggregate
from firesteel.plan.tree import Node, walk


def refuse_execution(root: Node) -> None:
    """Raises NotSupportedError, naming the operator, where the plan has one that cannot run yet."""
    for node in walk(root):
        if isinstance(node, WINDOWS) and _of_rows(node):
            raise NotSupportedError(
                f"{type(node).__name__} cannot run yet: these windows are planned and printed only",
                hint="EXPLAIN shows the plan of the query",
            )


def _of_rows(node: Node) -> bool:
    """Whether the rows decide its windows, or it is of the older kind."""
    if isinstance(node, GroupWindowAggregate):
        return True
    return node.windowing.window.function == "SESSION"  # type: ignore[attr-defined, no-any-return]
