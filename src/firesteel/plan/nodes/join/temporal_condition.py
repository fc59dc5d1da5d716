"""The part of a join condition that makes the join a temporal join (Flink: TemporalJoinUtil).

    __TEMPORAL_JOIN_CONDITION(l.ts, r.rt, __TEMPORAL_JOIN_CONDITION_PRIMARY_KEY(r.k),
        __TEMPORAL_JOIN_LEFT_KEY(l.k), __TEMPORAL_JOIN_RIGHT_KEY(r.k))

Because of the call, its columns stay in the plan, and no term of the condition moves below the join. Until
the primary key of the versions is known, the call is `__INITIAL_TEMPORAL_JOIN_CONDITION`, without that key.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from firesteel.functions.expression.nodes import Call, Expr
from firesteel.plan.expressions.operations import conjuncts
from firesteel.plan.tree import Node
from firesteel.types.sql import BOOLEAN

INITIAL = "__INITIAL_TEMPORAL_JOIN_CONDITION"
FINAL = "__TEMPORAL_JOIN_CONDITION"
PRIMARY_KEY = "__TEMPORAL_JOIN_CONDITION_PRIMARY_KEY"
LEFT_KEY = "__TEMPORAL_JOIN_LEFT_KEY"
RIGHT_KEY = "__TEMPORAL_JOIN_RIGHT_KEY"


@dataclass(frozen=True)
class TemporalCondition:
    """Times and keys of a temporal condition. Columns are numbered over the left input, then the right one.

    Attributes:
        left_time: Column with the point in time.
        right_time: Column with the time of a version. None for processing time.
        left_key: Columns of the left input that the join equates with columns of the right input.
        right_key: Column of the right input for each of them.
        primary_key: Columns that identify a versioned row. None until they are known.
    """

    left_time: Expr
    right_time: Expr | None
    left_key: tuple[Expr, ...]
    right_key: tuple[Expr, ...]
    primary_key: tuple[Expr, ...] | None = None

    @classmethod
    def of(cls, call: Call) -> TemporalCondition:
        """Return the condition that a call encodes."""
        has_key = call.function == FINAL
        keys = len(call.args) - (3 if has_key else 2)
        columns = [tuple(arg.args) for arg in call.args[keys:] if isinstance(arg, Call)]
        right_time = call.args[1] if keys == 2 else None
        primary_key = columns[0] if has_key else None
        return cls(call.args[0], right_time, columns[-2], columns[-1], primary_key)

    def call(self) -> Call:
        """Return the call that encodes this condition."""
        times = [self.left_time] if self.right_time is None else [self.left_time, self.right_time]
        keys = [] if self.primary_key is None else [_list(PRIMARY_KEY, self.primary_key)]
        keys += [_list(LEFT_KEY, self.left_key), _list(RIGHT_KEY, self.right_key)]
        function = INITIAL if self.primary_key is None else FINAL
        return Call(function, (*times, *keys), BOOLEAN.with_nullable(False))


def _list(function: str, columns: Sequence[Expr]) -> Call:
    return Call(function, tuple(columns), BOOLEAN.with_nullable(False))


def temporal_call(condition: Expr) -> Call | None:
    """Return the temporal call in a join condition, None if there is none."""
    for term in conjuncts(condition):
        if isinstance(term, Call) and term.function in (INITIAL, FINAL):
            return term
    return None


def is_temporal(node: Node) -> bool:
    """Return whether a node is a temporal join."""
    condition = getattr(node, "condition", None)
    return condition is not None and temporal_call(condition) is not None
