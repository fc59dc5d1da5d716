"""The physical node of a temporal join (Flink: StreamPhysicalTemporalJoinRule)."""

from __future__ import annotations

from collections.abc import Callable

from firesteel.errors import NotSupportedError
from firesteel.plan.nodes.join.logical import Join
from firesteel.plan.tree import Node


def to_temporal_join(node: Join, to_physical: Callable[[Node], Node]) -> Node:
    """Return the physical form of a temporal join.

    Args:
        node: The join.
        to_physical: Makes the physical form of an input.

    Raises:
        NotSupportedError: Always.
    """
    raise NotSupportedError("FOR SYSTEM_TIME AS OF is not supported yet")
