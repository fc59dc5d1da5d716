"""Plans that are shown and cannot run yet: an error, never another change stream.

Mini-batches and split distinct aggregates change which intermediate results are emitted, so such a plan
is not run as one without them would be.
"""

from __future__ import annotations

from firesteel.errors import NotSupportedError
from firesteel.plan.physical import (
    ChangelogNormalize,
    Expand,
    GlobalGroupAggregate,
    GroupAggregate,
    IncrementalGroupAggregate,
    LocalGroupAggregate,
)
from firesteel.plan.tree import Node, walk

MINI_BATCH = "table.exec.mini-batch.enabled"
SPLIT_DISTINCT = "table.optimizer.distinct-agg.split.enabled"


def refuse_execution(root: Node) -> None:
    """Raises NotSupportedError, naming the option, where the plan has an operator that cannot run yet."""
    if any(map(_bundles, walk(root))):
        raise NotSupportedError(
            f"'{MINI_BATCH}' = 'true' is not supported yet, except by EXPLAIN",
            hint=f"SET '{MINI_BATCH}' = 'false' to aggregate record by record",
        )
    if any(map(_is_split, walk(root))):
        raise NotSupportedError(
            f"'{SPLIT_DISTINCT}' = 'true' is not supported yet, except by EXPLAIN",
            hint=f"SET '{SPLIT_DISTINCT}' = 'false'",
        )


def _bundles(node: Node) -> bool:
    if isinstance(node, (LocalGroupAggregate, GlobalGroupAggregate, IncrementalGroupAggregate)):
        return True
    return isinstance(node, (GroupAggregate, ChangelogNormalize)) and node.mini_batch


def _is_split(node: Node) -> bool:
    return isinstance(node, Expand) or (isinstance(node, GroupAggregate) and node.partial_final is not None)
