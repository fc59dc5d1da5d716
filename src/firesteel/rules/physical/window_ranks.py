"""Plan a rank partitioned by window_start and window_end as a window rank, which is sent at the window's end.

    ROW_NUMBER() OVER (PARTITION BY window_start, window_end, k ORDER BY v)

Flink: StreamPhysicalWindowRankRule, StreamPhysicalWindowDeduplicateRule. A rank partitioned by only one of
these columns is an ordinary rank over all windows.
"""

from __future__ import annotations

from firesteel.errors import ValidationError
from firesteel.plan.metadata import event_times, processing_times, windows_of_all_rows
from firesteel.plan.nodes.physical import Exchange
from firesteel.plan.nodes.rank.logical import Rank
from firesteel.plan.nodes.window_rank.physical import WindowDeduplicate, WindowRank
from firesteel.plan.properties.window_properties import WindowProperties
from firesteel.plan.tree import Node
from firesteel.plan.windowing import Windowing


def ranked_windows(node: Rank) -> WindowProperties | None:
    """Return the windows by which a rank is partitioned.

    None unless window_start and window_end are among the columns of PARTITION BY.
    """
    windows = windows_of_all_rows(node.input)
    return windows if windows is not None and windows.grouped(node.partition) else None


def window_rank(node: Rank, windows: WindowProperties, below: Node) -> Node:
    """Return the physical node of a window rank, or of a window deduplication.

    Args:
        node: The rank.
        windows: Its windows.
        below: The physical node of its input.

    Raises:
        ValidationError: The windows are those of processing time, or the query compares the rank with a
            column instead of a literal: `WHERE row_num <= n`.
    """
    by_time = _sorts_by_time(node)
    if not windows.is_rowtime:
        what = "Deduplication" if by_time else "TopN"
        raise ValidationError(
            f"Processing time Window {what} is not supported yet.",
            hint="base the windows on event time: a column with a WATERMARK",
        )
    if node.ranks.end_column is not None:
        name = node.input.schema[node.ranks.end_column].name
        raise ValidationError(
            f"Rank strategy rankEnd={name} is not supported on window rank currently.",
            hint="compare the rank with a literal",
        )
    keys = set(node.partition)
    start, end = min(windows.starts & keys), min(windows.ends & keys)
    by = (("win_start", start), ("win_end", end))
    windowing = Windowing(windows.window, by, windows.time_type, windows.is_rowtime)
    partition = tuple(sorted(keys - windows.columns))
    exchange = Exchange(below, partition)
    if by_time:
        (time,) = node.order
        by_row_time = time in event_times(node.input)
        last = node.directions[0].descending
        return WindowDeduplicate(exchange, windowing, partition, time, by_row_time, last)
    return WindowRank(exchange, windowing, partition, node.order, node.directions, node.ranks, node.number)


def _sorts_by_time(node: Rank) -> bool:
    """Return whether a time attribute alone decides which row is kept (RankUtil.canConvertToDeduplicate)."""
    if len(node.order) != 1 or not node.ranks.is_first or node.number is not None:
        return False
    return node.order[0] in event_times(node.input) | processing_times(node.input)
