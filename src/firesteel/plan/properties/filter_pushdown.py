"""Filter push-down: the conditions that a node can leave to its inputs.

Calcite: FilterJoinRule, FilterProjectTransposeRule and similar rules. The rule push_filters (rules/pushdown/)
reads this property.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from firesteel.functions.expression.nodes import Expr
from firesteel.plan.expressions.operations import conjunction, conjuncts, input_refs, renumber
from firesteel.plan.properties.property import OF_LOGICAL, Property
from firesteel.plan.tree import Node


@dataclass(frozen=True)
class Pushed:
    """Parts of a filter's condition: those that move to the inputs of a node, and the one that stays above.

    Attributes:
        conditions: Condition of a new filter above each input, over the columns of this input. None for no
            filter.
        above: Condition that stays above the node. None for no filter.
        over: Returns the node over the filtered inputs.
    """

    conditions: tuple[Expr | None, ...]
    above: Expr | None
    over: Callable[[Sequence[Node]], Node]


filter_pushdown: Property[Pushed | None] = Property("filter push-down", OF_LOGICAL)
"""Parts of a condition that a node leaves to its inputs: `filter_pushdown(node, condition)`.

`condition` is that of a filter right above the node, None if there is no filter: then a node can still leave
parts of its own condition to its inputs. The answer is None if nothing changes.
"""


def lets_no_filter_pass(*classes: type[Node]) -> None:
    """Register node classes whose filters stay above them."""
    filter_pushdown.always(None, *classes)


def lets_filters_pass(*classes: type[Node]) -> None:
    """Register node classes for which a filter above can move, unchanged, above each of the inputs."""
    filter_pushdown.of(*classes)(to_all_inputs)


def to_all_inputs(node: Node, condition: Expr | None) -> Pushed | None:
    """Return the push-down of the whole condition to each input of a node, None without a condition."""
    if condition is None:
        return None
    return Pushed((condition,) * len(node.children), None, lambda inputs: node.with_children(tuple(inputs)))


def terms_over_columns(node: Node, condition: Expr | None, columns: Mapping[int, int]) -> Pushed | None:
    """Return the push-down of the terms that read only columns in `columns`, to a node's only input.

    None if there is no such term.

    Args:
        node: The node.
        condition: Condition of the filter above, None for no filter.
        columns: For each column of the node that a pushed term may read, the column of the input with the
            same value.
    """
    pushed: list[Expr] = []
    kept: list[Expr] = []
    for term in conjuncts(condition):
        (pushed if all(i in columns for i in input_refs(term)) else kept).append(term)
    if not pushed:
        return None
    below = conjunction(renumber(term, dict(columns)) for term in pushed)
    return Pushed((below,), conjunction(kept), lambda inputs: node.with_children(tuple(inputs)))
