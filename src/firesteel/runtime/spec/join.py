"""Specs of joins."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from firesteel.functions.duckdb.calc_spec import CalcSpec
from firesteel.runtime.spec.operators import OperatorSpec
from firesteel.types.sql import SqlType


class JoinKind(Enum):
    """Kind of a join, with the ports whose rows are padded with NULLs where they have no partner."""

    INNER = ()
    LEFT = (0,)
    RIGHT = (1,)
    FULL = (0, 1)

    def pads(self, port: int) -> bool:
        """Whether rows of a port are sent without a partner."""
        return port in self.value


@dataclass(frozen=True)
class JoinInput:
    """One input of a join.

    Attributes:
        types: Types of its fields.
        keys: Positions of the join key fields, in the same order as those of the other input.
        unique_key: Positions of a unique key of its rows, None if there is none.
        ttl: Milliseconds that a row is kept after it came, 0 for no limit.
    """

    types: tuple[SqlType, ...]
    keys: tuple[int, ...]
    unique_key: tuple[int, ...] | None = None
    ttl: int = 0

    @property
    def has_one_row(self) -> bool:
        """Whether a join key has at most one row (Flink: JoinKeyContainsUniqueKey)."""
        return self.unique_key is not None and set(self.unique_key) <= set(self.keys)


@dataclass(frozen=True)
class JoinSpec(OperatorSpec):
    """A join of two changing inputs (Flink: StreamingJoinOperator).

    Attributes:
        kind: Which rows are sent without a partner.
        inputs: The left input (port 0) and the right one (port 1).
        null_safe: For each key whether NULL equals NULL (IS NOT DISTINCT FROM).
        condition: Condition besides the keys, over the fields of the left input, then those of the
            right input. None for no condition.
        state_id: Name of the state.
        folds: For each input the number of rows of a bundle, 0 for no bundles. Changes of a bundle that
            cancel out are dropped before the join (Flink: MiniBatchStreamingJoinOperator).
    """

    kind: JoinKind
    inputs: tuple[JoinInput, JoinInput]
    null_safe: tuple[bool, ...]
    condition: CalcSpec | None = None
    state_id: str = "join"
    folds: tuple[int, int] = (0, 0)

    @property
    def port_order(self) -> tuple[int, ...]:
        """Return the ports in processing order. The input that is not padded comes first.

        So a row that finds its partner in the same micro-batch is not sent with NULLs first (as in Flink's
        mini-batch join).
        """
        return (0, 1) if self.kind is JoinKind.RIGHT else (1, 0)


@dataclass(frozen=True)
class SemiJoinSpec(OperatorSpec):
    """Rows of the left input that have a partner, or that have none (Flink: StreamingSemiAntiJoinOperator).

    Attributes:
        anti: True to send the left rows without a partner (NOT EXISTS), False to send the left rows that have
            a partner (EXISTS).
        inputs: The left input (port 0) and the right one (port 1).
        null_safe: For each key whether NULL equals NULL (IS NOT DISTINCT FROM).
        condition: Condition besides the keys, over the fields of the left input, then those of the
            right input. None for no condition.
        state_id: Name of the state.
    """

    anti: bool
    inputs: tuple[JoinInput, JoinInput]
    null_safe: tuple[bool, ...]
    condition: CalcSpec | None = None
    state_id: str = "semi-join"

    @property
    def port_order(self) -> tuple[int, ...]:
        """Return (1, 0): right rows come first, so a left row meets all right rows of its micro-batch."""
        return 1, 0
