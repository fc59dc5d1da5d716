"""Properties of aggregate functions for the planner. Their types are in aggregate_functions.py."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Move = Literal["increasing", "decreasing", "by sign"]


@dataclass(frozen=True)
class AggregateTraits:
    """Properties of one aggregate function that planner rules use."""

    merges: bool
    """Whether accumulators can be merged, which allows a local phase."""
    of_nothing: Literal["0", "NULL"] | None = None
    """Constant that the planner may write instead of a call over no rows: '0' or NULL.

    None: the planner must keep the call, as Flink does."""
    never_null: bool = False
    """Whether the result is never NULL, even over no rows."""
    by_order: bool = False
    """Whether the result depends on the order of rows."""
    split: str | None = None
    """Function that combines the results of the buckets of a split DISTINCT. None: no split is possible."""
    own_buckets: bool = False
    """Whether Flink splits the function into buckets even without DISTINCT.

    Such functions store all values of a group.
    """
    one_argument: bool = False
    """Whether the function takes exactly one argument."""
    takes_nulls: bool = False
    """Whether IGNORE NULLS and RESPECT NULLS are allowed."""
    on_null: str | None = None
    """Default treatment of NULL by a JSON constructor: NULL or ABSENT."""
    of_one_row: bool = False
    """Whether the result for a single row is the argument."""
    between: bool = False
    """Whether the result is between the least and the greatest value of the argument in the group's rows."""
    same_distinct: bool = False
    """Whether DISTINCT does not change the result."""
    moves: Move | None = None
    """Direction in which the result moves when rows are added; None if it may move in both.

    "by sign": it increases if no argument is negative, and decreases if none is positive.
    """
    buffers: tuple[str, ...] | None = None
    """Column names of the accumulator. None: a single column named after the function."""
    retract_buffers: tuple[str, ...] | None = None
    """Column names of the accumulator if the input has retractions; `buffers` is then not used.

    None: a single column named after the function.
    """


_MERGES = AggregateTraits(merges=True)
_ONE_ARGUMENT = AggregateTraits(merges=True, one_argument=True)


def _extreme(name: str, moves: Move) -> AggregateTraits:
    return AggregateTraits(
        merges=True, of_nothing="NULL", split=name, own_buckets=True, one_argument=True, of_one_row=True,
        between=True, same_distinct=True, moves=moves,
    )  # fmt: skip


def _of_order(name: str) -> AggregateTraits:
    return AggregateTraits(
        merges=False, by_order=True, split=name, own_buckets=True, one_argument=True, between=True
    )


_SUM = ("sum",)
_SUM_AND_COUNT = ("sum", "count")
_VALUE_AND_COUNT = ("value", "count")
TRAITS = {
    "COUNT": AggregateTraits(
        merges=True, of_nothing="0", never_null=True, split="$SUM0", moves="increasing"
    ),
    "SUM": AggregateTraits(
        merges=True, of_nothing="NULL", split="SUM", one_argument=True, of_one_row=True, moves="by sign",
        buffers=_SUM, retract_buffers=_SUM_AND_COUNT,
    ),
    "$SUM0": AggregateTraits(
        merges=True, of_nothing="0", never_null=True, split="$SUM0", one_argument=True, of_one_row=True,
        moves="by sign", buffers=_SUM, retract_buffers=_SUM,
    ),
    "AVG": AggregateTraits(
        merges=True, split="AVG", one_argument=True, between=True, buffers=_SUM_AND_COUNT,
        retract_buffers=_SUM_AND_COUNT,
    ),
    "MIN": _extreme("MIN", "decreasing"),
    "MAX": _extreme("MAX", "increasing"),
    "FIRST_VALUE": _of_order("FIRST_VALUE"),
    "LAST_VALUE": _of_order("LAST_VALUE"),
    "LAG": _MERGES,
    "SINGLE_VALUE": AggregateTraits(
        merges=True, split="SINGLE_VALUE", one_argument=True, buffers=_VALUE_AND_COUNT,
        retract_buffers=_VALUE_AND_COUNT,
    ),
    "LISTAGG": AggregateTraits(
        merges=True, by_order=True, split="LISTAGG", buffers=("accDelimiter", "concatAcc")
    ),
    "COLLECT": AggregateTraits(merges=True, never_null=True, one_argument=True),
    "ARRAY_AGG": AggregateTraits(merges=True, by_order=True, one_argument=True, takes_nulls=True),
    "PERCENTILE": _MERGES,
    "JSON_ARRAYAGG": AggregateTraits(
        merges=False, never_null=True, by_order=True, one_argument=True, on_null="ABSENT"
    ),
    "JSON_OBJECTAGG": AggregateTraits(merges=True, never_null=True, on_null="NULL"),
    **{
        f"BITMAP_{name}{suffix}_AGG": _MERGES
        for name in ("BUILD", "AND", "OR", "XOR")
        for suffix in ("", "_CARDINALITY")
    },
    **dict.fromkeys(
        ("STDDEV", "STDDEV_POP", "STDDEV_SAMP", "VARIANCE", "VAR_POP", "VAR_SAMP"), _ONE_ARGUMENT
    ),
    "$WELFORD_M2$1": _MERGES,
}  # fmt: skip
"""Properties of the built-in aggregate functions, by name."""
_OF_USER = AggregateTraits(merges=False)
"""Properties of all user-defined functions. types/user_function.py has those that differ between them."""


def traits_of(function: str) -> AggregateTraits:
    """Return the properties of a built-in aggregate function; for other names those of user-defined ones."""
    return TRAITS.get(function, _OF_USER)
