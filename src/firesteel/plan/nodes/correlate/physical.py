"""Physical node of table functions."""

from __future__ import annotations

from dataclasses import dataclass

from firesteel.functions.expression.nodes import Call, Expr
from firesteel.plan.nodes.join.join_type import JoinType, join_fields
from firesteel.plan.properties.time_attributes import NO_TIMES, TimeAttributes
from firesteel.plan.tree import Field, Node, PhysicalNode


@dataclass(frozen=True)
class Correlate(PhysicalNode):
    """Call a table function for each row, and put its rows beside the row (Flink: StreamPhysicalCorrelate).

    Attributes:
        input: The rows.
        call: The call. Its arguments read the input by correlated references, or by plain ones.
        fields: Columns of the function's rows.
        join_type: INNER, or LEFT: a row for which the function gives none is padded.
        condition: Over the function's columns; None lets all pass.
        times: Its time attributes, for the plan's text (rules/correlate/keep_times.py).
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
