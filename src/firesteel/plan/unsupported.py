"""Plans that are shown and cannot run yet: an error, never another change stream.

Mini-batches change which intermediate results are emitted, so such a plan is not run as one without them
would be.
"""

from __future__ import annotations

from firesteel.errors import NotSupportedError
from firesteel.plan.physical import (
    ChangelogNormalize,
    GlobalGroupAggregate,
    GroupAggregate,
    IncrementalGroupAggregate,
    LocalGroupAggregate,
)
from firesteel.plan.tree import Node, walk

MINI_BATCH = "table.exec.mini-batch.enabled"


def refuse_execution(root: Node) -> None:
    """Raises NotSupportedError, naming the option, where the plan has an operator that cannot run yet."""
    if any(map(_bundles, walk(root))):
        raise NotSupportedError(
            f"'{MINI_BATCH}' = 'true' is not supported yet, except by EXPLAIN",
            hint=f"SET '{MINI_BATCH}' = 'false' to aggregate record by record",
        )


def _bundles(node: Node) -> bool:
    if isinstance(node, (LocalGroupAggregate, GlobalGroupAggregate, IncrementalGroupAggregate)):
        return True
    return isinstance(node, (GroupAggregate, ChangelogNormalize)) and node.mini_batch
