"""Physical nodes of ranks. They decide everything: by which strategy, with or without the number."""

from __future__ import annotations

from dataclasses import dataclass

from firesteel.plan.expressions.over import Direction
from firesteel.plan.nodes.rank.rank_range import RankRange, ranked_fields
from firesteel.plan.tree import Field, Node, PhysicalNode

APPEND, UPDATE, RETRACT, UNDEFINED = "AppendFastStrategy", "UpdateFastStrategy", "RetractStrategy", ""


@dataclass(frozen=True)
class Rank(PhysicalNode):
    """The first rows of each partition (Flink: StreamPhysicalRank).

    Attributes:
        input: Where the rows come from, behind an exchange by the partition.
        partition: Positions of the columns of PARTITION BY.
        order: Positions of the columns of ORDER BY.
        directions: How each of them is sorted.
        ranks: Which ranks are kept.
        number: Name of the column with the rank, None if it has none.
        strategy: What the input promises (Flink: RankProcessStrategy).
        row_key: Unique key of the rows, for `UpdateFastStrategy` and where one is known.
        time: Time attribute that decides alone which row of a key is kept: `rowtime`, `proctime`, or `none`.
        insert_only: Whether the row of a key is final when it is sent (outputInsertOnlyInDeduplicate).
        mini_batch: Whether a deduplication works off rows in bundles.
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
    insert_only: bool = False
    mini_batch: bool = False

    @property
    def schema(self) -> tuple[Field, ...]:
        return ranked_fields(self.input.schema, self.number)

    @property
    def is_deduplicate(self) -> bool:
        """Whether it keeps the first or the last row by time (RankUtil.canConvertToDeduplicate)."""
        return self.time != "none" and self.strategy == APPEND


@dataclass(frozen=True)
class SortLimit(PhysicalNode):
    """ORDER BY with a limit: a rank without partitions (Flink: StreamPhysicalSortLimit).

    Attributes:
        input: Where the rows come from, in one task.
        order, directions: What the rows are sorted by.
        offset: Number of rows that are left out first.
        fetch: Number of rows that follow.
        strategy, row_key: As of a rank.
    """

    input: Node
    order: tuple[int, ...]
    directions: tuple[Direction, ...]
    offset: int
    fetch: int
    strategy: str = UNDEFINED
    row_key: tuple[int, ...] = ()

    @property
    def schema(self) -> tuple[Field, ...]:
        return self.input.schema


@dataclass(frozen=True)
class Limit(PhysicalNode):
    """The first rows that come (Flink: StreamPhysicalLimit).

    Attributes:
        input: Where the rows come from, in one task.
        offset: Number of rows that are left out first.
        fetch: Number of rows that follow.
    """

    input: Node
    offset: int
    fetch: int

    @property
    def schema(self) -> tuple[Field, ...]:
        return self.input.schema
