"""Position of a temporal join's versioned table in the query, for errors."""

from __future__ import annotations

from firesteel.errors import SourceRange
from firesteel.plan.nodes.join.logical import Join
from firesteel.plan.nodes.temporal.logical import Snapshot
from firesteel.plan.tree import walk


def place_of_versions(node: Join) -> SourceRange | None:
    """Return the position of FOR SYSTEM_TIME AS OF and its table.

    Args:
        node: A temporal join. The first Snapshot of its right input is that of its table.

    Returns:
        The position in the text of the query. None if the plan was not made from a text.
    """
    return next((part.range for part in walk(node.inputs[1]) if isinstance(part, Snapshot)), None)
