"""What a setting asks for and this version cannot do: an error, never another change stream.

Mini-batches change which intermediate results are emitted, and so does the splitting of distinct
aggregates (Flink: MiniBatchIntervalInferRule, TwoStageOptimizedAggregateRule, SplitAggregateRule).
"""

from __future__ import annotations

from collections.abc import Mapping

from firesteel.errors import NotSupportedError
from firesteel.plan.logical import Aggregate, Filter, Project, Scan, Sink, Union, Values, WatermarkAssigner
from firesteel.plan.tree import Node, walk

MINI_BATCH = "table.exec.mini-batch.enabled"
SPLIT_DISTINCT = "table.optimizer.distinct-agg.split.enabled"

_WITHOUT_STATE = (Filter, Project, Scan, Sink, Union, Values, WatermarkAssigner)


def refuse_unsupported(root: Node, configuration: Mapping[str, str]) -> None:
    """Raises NotSupportedError, naming the option, where it would change the plan of this query."""
    if _enabled(configuration, MINI_BATCH) and not all(isinstance(n, _WITHOUT_STATE) for n in walk(root)):
        raise NotSupportedError(
            f"'{MINI_BATCH}' = 'true' is not supported yet",
            hint=f"SET '{MINI_BATCH}' = 'false' to aggregate record by record",
        )
    distinct = any(c.distinct for n in walk(root) if isinstance(n, Aggregate) for c in n.calls)
    if _enabled(configuration, SPLIT_DISTINCT) and distinct:
        raise NotSupportedError(
            f"'{SPLIT_DISTINCT}' = 'true' is not supported yet",
            hint=f"SET '{SPLIT_DISTINCT}' = 'false'",
        )


def _enabled(configuration: Mapping[str, str], key: str) -> bool:
    return str(configuration.get(key, "false")).lower() == "true"
