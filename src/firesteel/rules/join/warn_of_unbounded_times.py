"""Warn of joins that compare times but still keep all rows of an unbounded input.

Flink plans such joins in the same way, without a warning.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping

from firesteel.errors import FiresteelWarning
from firesteel.plan.nodes.join.physical import Join
from firesteel.plan.nodes.physical import TableSourceScan
from firesteel.plan.tree import Node, walk
from firesteel.rules.join.compared_times import compared_times
from firesteel.rules.mini_batch.mini_batch_options import parsed

_TTL = "table.exec.state.ttl"


def warn_of_unbounded_times(node: Node, configuration: Mapping[str, str]) -> Node:
    """Warn of a join that compares times of its inputs but drops no rows by time, and return the node.

    There is no warning if all inputs are bounded, or if a TTL is set by a hint or `table.exec.state.ttl`.

    Args:
        node: Any physical node. Only a regular join is checked.
        configuration: Options of the session.
    """
    if not isinstance(node, Join) or any(node.hints.ttl) or parsed(configuration).get(_TTL):
        return node
    left, right = node.inputs
    found = [each for _, each in compared_times(node.condition, left, right) if each is not None]
    if not found or not any(map(_is_endless, walk(node))):
        return node
    names = f"'{left.schema[found[0].left].name}' and '{right.schema[found[0].right].name}'"
    if node.join_type.has_right_columns:
        text = (
            f"the join compares the times {names}, but keeps all rows of both inputs, as in Flink: it takes "
            "exactly one lower and one upper bound with constant intervals, such as a BETWEEN b - INTERVAL "
            f"'5' MINUTE AND b, to drop rows by time. SET '{_TTL}' drops rows otherwise."
        )
    else:
        text = (
            f"IN or EXISTS compares the times {names}, but keeps all rows of both inputs, as in Flink: only "
            f"a JOIN drops rows by time. SET '{_TTL}' drops rows otherwise."
        )
    warnings.warn(text, FiresteelWarning, stacklevel=2)
    return node


def _is_endless(node: Node) -> bool:
    return (
        isinstance(node, TableSourceScan) and node.table.traits is not None and not node.table.traits.bounded
    )
