"""Physical node of table functions."""

from __future__ import annotations

from dataclasses import dataclass

from firesteel.functions.expression.nodes import Call, Expr
from firesteel.plan.nodes.join.join_type import JoinType, join_fields
from firesteel.plan.properties.time_attributes import NO_TIMES, TimeAttributes
from firesteel.plan.tree import Field, Node, PhysicalNode


@dataclass(frozen=True)
class Correlate(PhysicalNode):
    """Call a table function for each row, and append its rows to the row (Flink: StreamPhysicalCorrelate).

    Attributes:
        input: The rows.
        call: The call. Its arguments read the input's columns, as `$COR` calls or as column references.
        fields: Columns of the function's rows.
        join_type: INNER, or LEFT: a row without results of the function is padded with NULLs.
        condition: Filter over the function's columns. None lets all pass.
        times: Time attributes among the output columns. Plans print them (rules/correlate/keep_times.py).
    """

    input: Node
    call: Call
    fields: tuple[Field, ...]
    join_type: JoinType
    condition: Expr | None = None
    times: TimeAttributes = NO_TIMES

    @property
    def schema(self) -> tuple[Field, ...]:
        return join_fields(self.input.schema, self.fields, self.join_type)
