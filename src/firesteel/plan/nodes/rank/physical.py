"""Physical nodes of ranks, with the strategy that their inputs allow."""

from __future__ import annotations

from dataclasses import dataclass

from firesteel.plan.expressions.over import Direction
from firesteel.plan.nodes.rank.rank_range import RankRange, ranked_fields
from firesteel.plan.tree import Field, Node, PhysicalNode, SameColumns

APPEND, UPDATE, RETRACT, UNDEFINED = "AppendFastStrategy", "UpdateFastStrategy", "RetractStrategy", ""


@dataclass(frozen=True)
class Rank(PhysicalNode):
    """First rows of each partition (Flink: StreamPhysicalRank).

    Attributes:
        input: The rows, after an exchange by the partition.
        partition: Positions of the columns of PARTITION BY.
        order: Positions of the columns of ORDER BY.
        directions: Sort direction of each column of ORDER BY.
        ranks: First and last rank of the rows to keep.
        number: Name of the output column with the rank, None if there is no such column.
        strategy: One of Flink's RankProcessStrategy, such as `AppendFastStrategy` for an insert-only input.
            "" until rules/rank/choose_rank_strategy.py sets it.
        row_key: Shortest upsert key of the input that contains `partition`. () if there is none, or if the
            input is insert-only. `UpdateFastStrategy` needs it.
        time: `rowtime` or `proctime` if ORDER BY is only a time attribute of this kind, and one row of each
            partition is kept, without its rank. Else `none`.
        sorts_by_row_time: Whether a column of ORDER BY is a row time. Plans show it.
        insert_only: Whether a deduplication never changes a row that it has sent, because it keeps the first
            row and runs without mini-batches (outputInsertOnlyInDeduplicate). Only valid if `is_deduplicate`.
        mini_batch: Whether a deduplication processes rows in bundles.
    """

    input: Node
    partition: tuple[int, ...]
    order: tuple[int, ...]
    directions: tuple[Direction, ...]
    ranks: RankRange
    number: str | None = None
    strategy: str = UNDEFINED
    row_key: tuple[int, ...] = ()
    time: str = "none"
    sorts_by_row_time: bool = False
    insert_only: bool = False
    mini_batch: bool = False

    @property
    def schema(self) -> tuple[Field, ...]:
        return ranked_fields(self.input.schema, self.number)

    @property
    def is_deduplicate(self) -> bool:
        """Whether the rank keeps the first or the last row by time (RankUtil.canConvertToDeduplicate)."""
        return self.time != "none" and self.strategy == APPEND


@dataclass(frozen=True)
class SortLimit(SameColumns, PhysicalNode):
    """ORDER BY with a limit: a rank without partitions (Flink: StreamPhysicalSortLimit).

    Attributes:
        input: The rows, in one task.
        order: Positions of the columns of ORDER BY.
        directions: Sort direction of each column of ORDER BY.
        offset: Number of rows to skip.
        fetch: Number of rows to keep after them.
        strategy: How the operator keeps rows, by Flink's name (RankProcessStrategy): `AppendFastStrategy`
            for an insert-only input, `UpdateFastStrategy` or `RetractStrategy` for an input with updates.
            "" until rules/rank/choose_rank_strategy.py sets it.
        row_key: Shortest upsert key of the input, by which `UpdateFastStrategy` finds the row that an update
            replaces. () if the input has no upsert key, or if it is insert-only.
    """

    order: tuple[int, ...]
    directions: tuple[Direction, ...]
    offset: int
    fetch: int
    strategy: str = UNDEFINED
    row_key: tuple[int, ...] = ()


@dataclass(frozen=True)
class Limit(SameColumns, PhysicalNode):
    """First rows in the order of their arrival (Flink: StreamPhysicalLimit).

    Attributes:
        input: The rows, in one task.
        offset: Number of rows to skip.
        fetch: Number of rows to keep after them.
    """

    offset: int
    fetch: int
