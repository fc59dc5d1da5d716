"""Logical nodes of table functions, and of their join with the rows of an input."""

from __future__ import annotations

from dataclasses import dataclass

from firesteel.functions.expression.nodes import Call
from firesteel.plan.nodes.correlate.collections import uncollected_fields
from firesteel.plan.nodes.join.shared import TwoInputNode
from firesteel.plan.tree import Field, LogicalNode, Node


@dataclass(frozen=True)
class Uncollect(LogicalNode):
    """Uncollect: the elements of the only column, a row each (UNNEST).

    Attributes:
        input: A node with one column, a collection.
        ordinality: Whether a last column counts the elements of a collection, from 1.
    """

    input: Node
    ordinality: bool = False

    @property
    def schema(self) -> tuple[Field, ...]:
        return uncollected_fields(self.input.schema[0].type, self.ordinality)


@dataclass(frozen=True)
class TableFunctionScan(LogicalNode):
    """LogicalTableFunctionScan: the rows of one call of a table function.

    Attributes:
        call: The call. Its arguments are constants, or columns of the left input of the Correlate above: as
            `$COR` calls, or as column references.
        fields: Columns of its rows.
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
