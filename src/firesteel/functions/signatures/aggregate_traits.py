"""What the planner knows of each aggregate function, one line a function; its types are in
aggregate_functions.py."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Move = Literal["increasing", "decreasing", "by sign"]


@dataclass(frozen=True)
class AggregateTraits:
    """The traits of one function.

    of_nothing: its value of no rows, where Flink plans it as a constant. never_null: not even of no rows.
    merges: its accumulators can be merged, so it may have a local phase. by_order: the order of rows decides
    its result. split: what puts the buckets of a split DISTINCT together, None where it cannot be split.
    own_buckets: it has buckets without DISTINCT too, as it keeps all values of a group. one_argument: it
    takes just one. takes_nulls: IGNORE and RESPECT NULLS may be said. on_null: what a JSON constructor does
    with NULL where nothing is said. of_one_row: of one row it is its argument. between: it lies between the
    least and the greatest argument. same_distinct: DISTINCT changes nothing. moves: how it moves while rows
    are added, "by sign" of the argument. buffers: the columns of its accumulator, None for one of its own
    name; retract_buffers: the same where rows are taken back.
    """

    of_nothing: Literal["0", "NULL"] | None = None
    never_null: bool = False
    merges: bool = True
    by_order: bool = False
    split: str | None = None
    own_buckets: bool = False
    one_argument: bool = False
    takes_nulls: bool = False
    on_null: str | None = None
    of_one_row: bool = False
    between: bool = False
    same_distinct: bool = False
    moves: Move | None = None
    buffers: tuple[str, ...] | None = None
    retract_buffers: tuple[str, ...] | None = None


def _extreme(name: str, moves: Move) -> AggregateTraits:
    return AggregateTraits(
        of_nothing="NULL", split=name, own_buckets=True, one_argument=True, of_one_row=True, between=True,
        same_distinct=True, moves=moves,
    )  # fmt: skip


def _of_order(name: str) -> AggregateTraits:
    return AggregateTraits(
        merges=False, by_order=True, split=name, own_buckets=True, one_argument=True, between=True
    )


_ONE_ARGUMENT = AggregateTraits(one_argument=True)
_SUM = ("sum",)
_SUM_AND_COUNT = ("sum", "count")
_VALUE_AND_COUNT = ("value", "count")
_TRAITS = {
    "COUNT": AggregateTraits("0", never_null=True, split="$SUM0", moves="increasing"),
    "SUM": AggregateTraits(
        "NULL", split="SUM", one_argument=True, of_one_row=True, moves="by sign", buffers=_SUM,
        retract_buffers=_SUM_AND_COUNT,
    ),
    "$SUM0": AggregateTraits(
        "0", never_null=True, split="$SUM0", one_argument=True, of_one_row=True, moves="by sign",
        buffers=_SUM, retract_buffers=_SUM,
    ),
    "AVG": AggregateTraits(
        split="AVG", one_argument=True, between=True, buffers=_SUM_AND_COUNT, retract_buffers=_SUM_AND_COUNT
    ),
    "MIN": _extreme("MIN", "decreasing"),
    "MAX": _extreme("MAX", "increasing"),
    "FIRST_VALUE": _of_order("FIRST_VALUE"),
    "LAST_VALUE": _of_order("LAST_VALUE"),
    "SINGLE_VALUE": AggregateTraits(
        split="SINGLE_VALUE", one_argument=True, buffers=_VALUE_AND_COUNT, retract_buffers=_VALUE_AND_COUNT
    ),
    "LISTAGG": AggregateTraits(by_order=True, split="LISTAGG", buffers=("accDelimiter", "concatAcc")),
    "COLLECT": AggregateTraits(never_null=True, one_argument=True),
    "ARRAY_AGG": AggregateTraits(by_order=True, one_argument=True, takes_nulls=True),
    "JSON_ARRAYAGG": AggregateTraits(
        never_null=True, merges=False, by_order=True, one_argument=True, on_null="ABSENT"
    ),
    "JSON_OBJECTAGG": AggregateTraits(never_null=True, on_null="NULL"),
    **dict.fromkeys(
        ("STDDEV", "STDDEV_POP", "STDDEV_SAMP", "VARIANCE", "VAR_POP", "VAR_SAMP"), _ONE_ARGUMENT
    ),
}  # fmt: skip
_PLAIN = AggregateTraits()


def traits_of(function: str) -> AggregateTraits:
    """The traits of an aggregate function; those of one that is not listed say nothing special."""
    return _TRAITS.get(function, _PLAIN)
