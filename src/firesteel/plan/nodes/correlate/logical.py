"""Logical nodes of table functions, and of their join with the rows of an input."""

from __future__ import annotations

from dataclasses import dataclass

from firesteel.functions.expression.nodes import Call
from firesteel.plan.nodes.correlate.collections import uncollected_fields
from firesteel.plan.nodes.join.shared import TwoInputNode
from firesteel.plan.tree import Field, LogicalNode, Node


@dataclass(frozen=True)
class Uncollect(LogicalNode):
    """UNNEST: one output row for each element of the collections in the input (Calcite: Uncollect).

        Uncollect over a row with ARRAY[7, 8]   ->   rows 7 and 8

    Attributes:
        input: A node whose only column is an ARRAY, MAP or MULTISET.
        ordinality: Whether the output has a last column with the number of the element in its collection,
            from 1.
    """

    input: Node
    ordinality: bool = False

    @property
    def schema(self) -> tuple[Field, ...]:
        return uncollected_fields(self.input.schema[0].type, self.ordinality)


@dataclass(frozen=True)
class TableFunctionScan(LogicalNode):
    """Rows that a table function returns for each left row of the Correlate above (LogicalTableFunctionScan).

    Attributes:
        call: Call of the table function. Its arguments are expressions over constants and columns of the
            Correlate's left input. In a call from a query, such a column is a `$COR` call. In a call that a
            rule adds, it may be a plain column reference.
        fields: Output columns: those of the rows that the function returns.
    """

    call: Call
    fields: tuple[Field, ...]

    @property
    def schema(self) -> tuple[Field, ...]:
        return self.fields


@dataclass(frozen=True)
class Correlate(TwoInputNode, LogicalNode):
    """LogicalCorrelate: each left row joined with the rows that the right input has for this left row.

    The join is INNER, or LEFT: a row without partners is padded.

    Attributes:
        variable: Name of the left row in the expressions of the right input, such as `$cor0`.
        required: Positions of the left columns that the right input reads, sorted.
    """

    variable: str = ""
    required: tuple[int, ...] = ()
