"""Logical nodes of INTERSECT and EXCEPT. UNION is in plan/nodes/logical.py."""

from __future__ import annotations

from dataclasses import dataclass

from firesteel.plan.nodes.logical import united_fields
from firesteel.plan.tree import Field, LogicalNode, Node


@dataclass(frozen=True)
class Intersect(LogicalNode):
    """LogicalIntersect: rows that are in both inputs.

    Attributes:
        inputs: The left and the right input.
        all: Whether it is INTERSECT ALL. Then a row that comes m times on the left and n times on the right
            comes min(m, n) times. If False, it comes once.
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
        all: EXCEPT ALL: each row of the right input removes one equal row of the left. If False, a row comes
            once.
    """

    inputs: tuple[Node, Node]
    all: bool = False

    @property
    def schema(self) -> tuple[Field, ...]:
        return united_fields(self.inputs)
