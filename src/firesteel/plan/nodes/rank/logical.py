"""Logical nodes of ranks."""

from __future__ import annotations

from dataclasses import dataclass

from firesteel.plan.expressions.over import Direction
from firesteel.plan.nodes.rank.rank_range import RankRange, ranked_fields
from firesteel.plan.tree import Field, LogicalNode, Node


@dataclass(frozen=True)
class Rank(LogicalNode):
    """The first rows of each partition (FlinkLogicalRank by ROW_NUMBER).

    Attributes:
        input: Where the rows come from.
        partition: Positions of the columns of PARTITION BY.
        order: Positions of the columns of ORDER BY.
        directions: How each of them is sorted.
        ranks: Which ranks are kept.
        number: Name of the column with the rank, None if it has none.
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
