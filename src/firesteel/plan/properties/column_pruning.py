"""Column pruning: the columns that a node needs of its inputs, if not all of its own columns are read.

Calcite: RelFieldTrimmer, PushProjector. The rule push_projects (rules/pushdown/) reads this property from the
root down.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum, auto

from firesteel.plan.properties.property import OF_LOGICAL, NodeProperty, Property
from firesteel.plan.tree import Node

Positions = dict[int, int]
"""Position of each column after pruning, by its position before. Columns that are gone are missing."""


class Surplus(Enum):
    """Way to drop surplus columns of an input: columns that the node above does not need."""

    CUT = auto()
    """Surplus columns of an input are dropped by a projection right above the input."""
    KEPT = auto()
    """No projection is added. The input keeps a surplus column that it reads itself, and drops the others.

    The node above the input, or a node further up, drops the column.
    """
    CUT_BELOW_FILTER = auto()
    """CUT if the input's `projection_place` is ProjectionPlace.BELOW_FILTERS, else KEPT."""


@dataclass(frozen=True)
class Need:
    """Columns that a node needs of one input.

    Attributes:
        node: The input.
        columns: Positions of the columns, in the order in which they are wanted.
        surplus: Where all other columns of the input are dropped.
        picked: Number of columns of the next projection above the input, if it only picks columns. 0 if it
            computes something, or if a filter between reads further columns.
    """

    node: Node
    columns: tuple[int, ...]
    surplus: Surplus = Surplus.CUT
    picked: int = 0


Rebuild = Callable[[Sequence[Node], Sequence[Positions]], tuple[Node, Positions]]


@dataclass(frozen=True)
class Pruned:
    """Columns that a node needs of its inputs, and the node over the narrower inputs.

    Attributes:
        needs: Columns needed, for each input that is left.
        over: Called with the pruned inputs, and the new positions of each input's columns. Returns the node
            over these inputs, and the new positions of the node's columns.
    """

    needs: tuple[Need, ...]
    over: Rebuild


column_pruning: Property[Pruned] = Property("column pruning", OF_LOGICAL)
"""Columns needed of the inputs: `column_pruning(node, wanted, picked)`.

`wanted` has the positions of the columns that are read above, as a tuple without duplicates. `picked` is the
number of columns of the projection above if it only picks columns, 0 otherwise.
"""


class ProjectionPlace(Enum):
    """Place to which projections above a node move (rules/pushdown/push_projects.py)."""

    ABOVE = auto()
    """A projection stays above the node, and above a filter over the node: the two become one Calc."""
    BELOW_FILTERS = auto()
    """A projection is added below a filter, right above the node.

    It drops columns that the node must output although nothing above reads them.
    """
    IN_INPUTS = auto()
    """A projection moves below the node: a copy stands above each input of the node."""


projection_place: NodeProperty[ProjectionPlace] = NodeProperty("place of projections", OF_LOGICAL)
"""Place to which projections above a node move."""


def keeps_all_columns(*classes: type[Node]) -> None:
    """Register node classes that need all columns of their inputs and keep their own."""
    column_pruning.of(*classes)(_all_kept)


def _all_kept(node: Node, wanted: tuple[int, ...], picked: int) -> Pruned:
    return unpruned(node)


def unpruned(node: Node) -> Pruned:
    """Return the `Pruned` of a node that needs all columns of its inputs and keeps its own."""
    return Pruned(tuple(map(all_columns, node.children)), lambda inputs, _: with_inputs(node, inputs))


def with_inputs(node: Node, inputs: Sequence[Node]) -> tuple[Node, Positions]:
    """Return a node over new inputs with the same columns, and the map from each of its columns to itself."""
    return node.with_children(tuple(inputs)), unmoved(len(node.schema))


def all_columns(node: Node) -> Need:
    """Return a `Need` of all columns of an input."""
    return Need(node, tuple(range(len(node.schema))))


def unmoved(width: int) -> Positions:
    """Return the positions of columns that stay where they are."""
    return {i: i for i in range(width)}


def positions_of(columns: Sequence[int]) -> Positions:
    """Return the positions of columns after a projection that picks them in this order."""
    return {old: new for new, old in enumerate(columns)}
