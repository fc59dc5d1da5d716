"""Monotonicity of columns when rows are updated, and the ranges of their values.

Flink: FlinkRelMdModifiedMonotonicity, FlinkRelMdColumnInterval without table statistics. MAX over a column
that only grows needs no retraction, because the old row is never the greater one. A sum grows if its summands
are not negative.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

from firesteel.plan.properties.property import OF_PHYSICAL, NodeProperty

CONSTANT = "constant"
INCREASING = "increasing"
DECREASING = "decreasing"
NOT_MONOTONIC = "not monotonic"

Monotonicity = tuple[str, ...] | None
"""Monotonicity of each column: CONSTANT, INCREASING, DECREASING or NOT_MONOTONIC.

None if rows may be deleted, or if nothing is known.
"""

Range = tuple[Decimal | None, Decimal | None]
"""Least and greatest value. None for a side without a bound."""

UNBOUNDED: Range = (None, None)

monotonicity: NodeProperty[Monotonicity] = NodeProperty("monotonicity", OF_PHYSICAL)
"""Monotonicity of each column of a node's output."""

value_range: NodeProperty[Range] = NodeProperty("value range", OF_PHYSICAL)
"""Value range of a column of a node's output: `value_range(node, column)`."""


def is_append(columns: Monotonicity) -> bool:
    """Return whether all columns are constant, so that no row ever changes."""
    return columns is not None and all(c == CONSTANT for c in columns)


def all_columns(word: str, count: int) -> tuple[str, ...]:
    return (word,) * count


def hull(ranges: Sequence[Range]) -> Range:
    """Return the smallest range that contains all the ranges."""
    lows = [low for low, _ in ranges if low is not None]
    highs = [high for _, high in ranges if high is not None]
    return (
        min(lows) if len(lows) == len(ranges) else None,
        max(highs) if len(highs) == len(ranges) else None,
    )
