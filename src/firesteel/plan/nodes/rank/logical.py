"""Logical nodes of ranks."""

from __future__ import annotations

from dataclasses import dataclass

from firesteel.plan.expressions.over import Direction
from firesteel.plan.nodes.rank.rank_range import RankRange, ranked_fields
from firesteel.plan.tree import Field, LogicalNode, Node


@dataclass(frozen=True)
class Rank(LogicalNode):
    """First rows of each partition (FlinkLogicalRank by ROW_NUMBER).

    Attributes:
        input: The rows.
        partition: Positions of the columns of PARTITION BY.
        order: Positions of the columns of ORDER BY.
        directions: Sort direction of each column of ORDER BY.
        ranks: First and last rank of the rows to keep.
        number: Name of the output column with the rank, None if there is no such column.
    """

    input: Node
    partition: tuple[int, ...]
    order: tuple[int, ...]
    directions: tuple[Direction, ...]
    ranks: RankRange
    number: str | None = None

    @property
    def schema(self) -> tuple[Field, ...]:
        return ranked_fields(self.input.schema, self.number)
