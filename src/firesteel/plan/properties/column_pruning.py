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
    """Place where columns of an input that the node above does not need are dropped."""

    CUT = auto()
    """In a projection right above the input."""
    KEPT = auto()
    """In the node itself, or further up. Of these columns, the input keeps those that it reads itself."""
    CUT_BELOW_FILTER = auto()
    """As KEPT, but above an input with ProjectionPlace.BELOW_FILTERS, a projection drops them."""


@dataclass(frozen=True)
class Need:
    """Columns that a node needs of one input.

    Attributes:
        node: The input.
        columns: Positions of the columns, in the order in which they are wanted.
        surplus: Where all other columns are dropped.
        picked: As the parameter of `column_pruning`, for the input.
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
    """Place of a projection that stands above a node."""

    ABOVE = auto()
    """Above the node, and above a filter between them: projection and filter become one Calc."""
    BELOW_FILTERS = auto()
    """Right above the node, below the filter: it drops columns that the node cannot do without."""
    IN_INPUTS = auto()
    """Above each of the node's inputs."""


projection_place: NodeProperty[ProjectionPlace] = NodeProperty("place of projections", OF_LOGICAL)
"""Place of a projection that stands above a node."""


def keeps_all_columns(*classes: type[Node]) -> None:
    """Register node classes that need all columns of their inputs and keep their own."""
    column_pruning.of(*classes)(_all_kept)


def _all_kept(node: Node, wanted: tuple[int, ...], picked: int) -> Pruned:
    return unpruned(node)


def unpruned(node: Node) -> Pruned:
    """Return the pruning of a node that needs all columns of its inputs and keeps its own."""
    return Pruned(tuple(map(all_columns, node.children)), lambda inputs, _: with_inputs(node, inputs))


def with_inputs(node: Node, inputs: Sequence[Node]) -> tuple[Node, Positions]:
    """Return a node over new inputs that have the same columns, and the unmoved positions of its columns."""
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
