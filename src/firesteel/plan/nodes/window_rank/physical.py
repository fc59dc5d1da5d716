"""Physical nodes that keep some rows of each window, and send them at the window's end."""

from __future__ import annotations

from dataclasses import dataclass

from firesteel.plan.expressions.over import Direction
from firesteel.plan.nodes.rank.rank_range import RankRange, ranked_fields
from firesteel.plan.tree import Field, Node, PhysicalNode, SameColumns
from firesteel.plan.windowing import Windowing


@dataclass(frozen=True)
class WindowRank(PhysicalNode):
    """First rows of each window and partition (Flink: StreamPhysicalWindowRank).

    Attributes:
        input: The rows, after an exchange by the partition.
        windowing: The windows, and the positions of window_start and window_end.
        partition: Positions of the columns of PARTITION BY, without window columns.
        order: Positions of the columns of ORDER BY.
        directions: Sort direction of each column of ORDER BY.
        ranks: First and last rank of the rows to keep.
        number: Name of the output column with the rank, None if there is no such column.
    """

    input: Node
    windowing: Windowing
    partition: tuple[int, ...]
    order: tuple[int, ...]
    directions: tuple[Direction, ...]
    ranks: RankRange
    number: str | None = None

    @property
    def schema(self) -> tuple[Field, ...]:
        return ranked_fields(self.input.schema, self.number)


@dataclass(frozen=True)
class WindowDeduplicate(SameColumns, PhysicalNode):
    """First or last row of each window and key by time (Flink: StreamPhysicalWindowDeduplicate).

    Attributes:
        input: The rows, after an exchange by the keys.
        windowing: The windows, and the positions of window_start and window_end.
        keys: Positions of the columns of PARTITION BY, without window columns.
        time: Position of the time attribute of ORDER BY.
        by_row_time: Whether `time` is event time. By processing time, rows have the order of their arrival.
        keep_last: Whether the last row is kept. If False, the first.
    """

    windowing: Windowing
    keys: tuple[int, ...]
    time: int
    by_row_time: bool
    keep_last: bool
