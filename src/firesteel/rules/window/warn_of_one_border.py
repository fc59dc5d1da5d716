"""Warn of joins, ranks and aggregates that compare only one border of windows, or windows that differ.

Such a node keeps the rows or the state of all windows, also of those that are over.

Flink plans such nodes in the same way, without a warning.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence

from firesteel.errors import FiresteelWarning
from firesteel.plan.metadata import window_properties
from firesteel.plan.nodes.join.equal_windows import joined_windows
from firesteel.plan.nodes.join.join_type import equal_columns
from firesteel.plan.nodes.join.logical import Join
from firesteel.plan.nodes.logical import Aggregate, Scan
from firesteel.plan.nodes.rank.logical import Rank
from firesteel.plan.tree import Node, walk
from firesteel.plan.windowing import Window, duration_text
from firesteel.rules.mini_batch.mini_batch_options import parsed

_TTL = "table.exec.state.ttl"


def warn_of_one_border(node: Node, configuration: Mapping[str, str]) -> Node:
    """Warn if a node keeps the state of all windows, and return the node.

    This is a rank or an aggregate by one border of windows, or a join that compares one border, or windows
    that differ. There is no warning if the state has a time to live, or if all sources are bounded.
    """
    if not isinstance(node, (Join, Rank, Aggregate)) or parsed(configuration).get(_TTL):
        return node
    text = _of_join(node) if isinstance(node, Join) else _of_keys(node)
    if text is not None and any(map(_is_endless, walk(node))):
        warnings.warn(f"{text} SET '{_TTL}' drops rows otherwise.", FiresteelWarning, stacklevel=2)
    return node


def _of_join(node: Join) -> str | None:
    left, right = map(window_properties, node.inputs)
    if left is None or right is None or joined_windows(node) is not None or any(node.hints.ttl):
        return None
    equal = equal_columns(node.condition, node.left_width)
    pairs = list(zip(equal.left, equal.right, strict=True))
    starts = any(one in left.starts and other in right.starts for one, other in pairs)
    ends = any(one in left.ends and other in right.ends for one, other in pairs)
    if starts and ends:
        windows = f"{_text(left.window)} and {_text(right.window)}"
        return (
            f"the join compares windows that differ ({windows}), so it keeps all rows of both inputs, as in "
            "Flink."
        )
    if not starts and not ends:
        return None
    given, missing = ("start", "end") if starts else ("end", "start")
    return (
        f"the join compares the {given}s of windows without their {missing}s, so it keeps all rows of both "
        f"inputs, as in Flink. Compare window_{missing}, too, to drop each window when it is over."
    )


def _of_keys(node: Rank | Aggregate) -> str | None:
    windows = window_properties(node.input)
    if windows is None:
        return None
    keys: Sequence[int] = node.partition if isinstance(node, Rank) else node.keys
    starts, ends = bool(windows.starts & set(keys)), bool(windows.ends & set(keys))
    if starts is ends:
        return None
    given, missing = ("window_start", "window_end") if starts else ("window_end", "window_start")
    what = "a Top-N by" if isinstance(node, Rank) else "GROUP BY"
    return (
        f"{what} {given} without {missing} sends updates and keeps the state of all windows, as in Flink. "
        f"Take {missing}, too, to send each window once and drop it when it is over."
    )


def _text(window: Window) -> str:
    """Return the text of windows for a warning: `HOP of 10 s every 5 s`."""
    every = "" if window.step is None else f" every {duration_text(window.step)}"
    return f"{window.function} of {duration_text(window.size)}{every}"


def _is_endless(node: Node) -> bool:
    return isinstance(node, Scan) and node.table.traits is not None and not node.table.traits.bounded
