"""Plans that are shown and cannot run yet: an error, never another change stream.

Windows end when event time or processing time passes their ends; nothing waits for either yet.
"""

from __future__ import annotations

from firesteel.errors import NotSupportedError
from firesteel.plan.physical_windows import WINDOWS
from firesteel.plan.tree import Node, walk


def refuse_execution(root: Node) -> None:
    """Raises NotSupportedError, naming the operator, where the plan has one that cannot run yet."""
    for node in walk(root):
        if isinstance(node, WINDOWS):
            raise NotSupportedError(
                f"{type(node).__name__} cannot run yet: windows are planned and printed only",
                hint="EXPLAIN shows the plan of the query",
            )
