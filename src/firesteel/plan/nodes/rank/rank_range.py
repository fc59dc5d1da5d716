"""Ranks that a Top-N keeps."""

from __future__ import annotations

from dataclasses import dataclass

from firesteel.plan.tree import Field
from firesteel.types.sql import BIGINT

NUMBER_TYPE = BIGINT.with_nullable(False)


@dataclass(frozen=True)
class RankRange:
    """Ranks from `start` to `end`, both included (Flink: ConstantRankRange, VariableRankRange).

    Attributes:
        start: First rank.
        end: Last rank, None if a column has it.
        end_column: Position of the input column with the last rank, None if `end` is known.
    """

    start: int = 1
    end: int | None = None
    end_column: int | None = None

    @property
    def is_first(self) -> bool:
        """Whether only the first row of each partition is kept."""
        return self.start == 1 and self.end == 1


def ranked_fields(fields: tuple[Field, ...], number: str | None) -> tuple[Field, ...]:
    """Return the columns of a rank: those of its input, then the number if it has a name."""
    return fields if number is None else (*fields, Field(number, NUMBER_TYPE))
