"""How the values of columns move when rows are updated, and between which numbers they lie.

Flink: FlinkRelMdModifiedMonotonicity, FlinkRelMdColumnInterval without table statistics. MAX over a column
that only grows needs no retraction: the row before is never the greater one. A sum grows where its summands
are not negative.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

from firesteel.plan.properties.property import OF_PHYSICAL, Fact

CONSTANT = "constant"
INCREASING = "increasing"
DECREASING = "decreasing"
NOT_MONOTONIC = "not monotonic"

Monotonicity = tuple[str, ...] | None
"""One word for every column; None where rows may be deleted, and where nothing is known."""

Range = tuple[Decimal | None, Decimal | None]
"""The least and the greatest value; None where there is no bound."""

UNBOUNDED: Range = (None, None)

monotonicity: Fact[Monotonicity] = Fact("monotonicity", OF_PHYSICAL)
"""How each column of the node's output moves."""

value_range: Fact[Range] = Fact("value range", OF_PHYSICAL)
"""`value_range(node, column)`: the range of a column of the node's output."""


def is_append(columns: Monotonicity) -> bool:
    """Whether no row ever changes."""
    return columns is not None and all(c == CONSTANT for c in columns)


def all_columns(word: str, count: int) -> tuple[str, ...]:
    return (word,) * count


def hull(ranges: Sequence[Range]) -> Range:
    """The range of values that are in any of these."""
    lows = [low for low, _ in ranges if low is not None]
    highs = [high for _, high in ranges if high is not None]
    return (
        min(lows) if len(lows) == len(ranges) else None,
        max(highs) if len(highs) == len(ranges) else None,
    )
