"""Logical nodes of INTERSECT and EXCEPT. UNION stands in plan/nodes/logical.py."""

from __future__ import annotations

from dataclasses import dataclass

from firesteel.plan.nodes.logical import united_fields
from firesteel.plan.tree import Field, LogicalNode, Node


@dataclass(frozen=True)
class Intersect(LogicalNode):
    """LogicalIntersect: rows that are in both inputs.

    Attributes:
        inputs: The left and the right input.
        all: Whether a row comes as often as it is in that input that has it less often. If False, it comes
            once.
    """

    inputs: tuple[Node, Node]
    all: bool = False

    @property
    def schema(self) -> tuple[Field, ...]:
        return united_fields(self.inputs)


@dataclass(frozen=True)
class Minus(LogicalNode):
    """LogicalMinus: rows of the left input that are not in the right one (EXCEPT).

    Attributes:
        inputs: The left and the right input.
        all: Whether a row comes as often as the left input has it more often than the right one. If False, it
            comes once.
    """

    inputs: tuple[Node, Node]
    all: bool = False

    @property
    def schema(self) -> tuple[Field, ...]:
        return united_fields(self.inputs)
