"""Where the versioned table of a temporal join stands in the query, for errors about the join."""

from __future__ import annotations

from firesteel.errors import SourceRange
from firesteel.plan.nodes.join.logical import Join
from firesteel.plan.nodes.temporal.logical import Snapshot
from firesteel.plan.tree import walk


def place_of_versions(node: Join) -> SourceRange | None:
    """Return where FOR SYSTEM_TIME AS OF stands, with its table.

    Args:
        node: A temporal join. The first Snapshot of its right input is the one of its table.

    Returns:
        The place in the text of the query. None if the plan was not made from one.
    """
    return next((part.range for part in walk(node.inputs[1]) if isinstance(part, Snapshot)), None)
