"""ORDER BY of a query: which columns it sorts by (Calcite: OrderExpressionExpander, convertOrder)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from firesteel.bind.aggregate.over_windows import direction
from firesteel.bind.build import references
from firesteel.errors import NotSupportedError, ValidationError
from firesteel.functions.expression.nodes import Expr, InputRef
from firesteel.plan.nodes.logical import Project
from firesteel.plan.nodes.over.logical import Sort
from firesteel.plan.tree import Node
from firesteel.sql import syntax

Item = tuple[str | None, Expr]
"""A column of the SELECT list: its name as written, if any, and what it is."""


@dataclass
class Order:
    """ORDER BY of a SELECT.

    items: ORDER BY. hidden: columns that only it reads, which stand after those of the SELECT list.
    """

    items: Sequence[syntax.OrderItem]
    hidden: list[Item] = field(default_factory=list)
    keys: list[int] = field(default_factory=list)

    def resolve(
        self, selected: Sequence[Item], bind: Callable[[syntax.Node], Item], distinct: bool = False
    ) -> None:
        """Find the columns: by number, by name, by what they are.

        bind: the name and the expression of what no selected column is called. distinct: no other columns
        can be there. Raises ValidationError.
        """
        for item in self.items:
            key = self._selected(item.value, selected)
            if key is None:
                name, expr = bind(item.value)
                found = [e for _, e in (*selected, *self.hidden)]
                if distinct and expr not in found:
                    raise ValidationError(
                        f"Expression '{_shown(item.value)}' is not in the select clause",
                        range=item.value.range,
                    )
                if expr not in found:
                    self.hidden.append((name, expr))
                    found.append(expr)
                key = found.index(expr)
            self.keys.append(key)

    def _selected(self, node: syntax.Node, selected: Sequence[Item]) -> int | None:
        """The column that a number or a name stands for."""
        if isinstance(node, syntax.NumberLiteral):
            if not node.text.isdigit() or not 1 <= int(node.text) <= len(selected):
                raise ValidationError("Ordinal out of range", range=node.range)
            return int(node.text) - 1
        if isinstance(node, syntax.Column) and len(node.path) == 1:
            return next((i for i, (name, _) in enumerate(selected) if name == node.path[0]), None)
        return None

    def sorted(self, node: Node, width: int) -> Node:
        """The query's rows, sorted; without the hidden columns."""
        found = Sort(node, tuple(self.keys), tuple(direction(item) for item in self.items))
        if width == len(node.schema):
            return found
        columns = references(node)[:width]
        return Project(found, columns, tuple(f.name for f in node.schema[:width]))


def order_rows(node: Node, items: Sequence[syntax.OrderItem], bind: Callable[[syntax.Node], Expr]) -> Node:
    """The rows of a query that is no SELECT, sorted by some of its columns. bind: over these.

    Raises ValidationError for an expression: such a query has no other columns.
    """
    order = Order(items)
    selected: list[Item] = [(f.name, InputRef(i, f.type)) for i, f in enumerate(node.schema)]
    order.resolve(selected, lambda item: (None, bind(item)))
    if order.hidden:
        raise ValidationError(
            "ORDER BY of a query without SELECT takes its columns only", range=items[0].range
        )
    names = tuple(f.name for f in node.schema)
    return order.sorted(Project(node, references(node), names), len(names))


def limited(node: Node, is_ordered: bool, offset: int, fetch: int) -> Node:
    """Return the first rows of a query.

    Args:
        node: The query, sorted if it has an ORDER BY.
        is_ordered: Whether it has one.
        offset: Number of rows that are left out first.
        fetch: Number of rows that follow.
    """
    if is_ordered and isinstance(node, Sort):
        return replace(node, offset=offset, fetch=fetch)
    if is_ordered and isinstance(node, Project) and isinstance(node.input, Sort):
        return replace(node, input=replace(node.input, offset=offset, fetch=fetch))
    return Sort(node, (), (), offset, fetch)


def row_number(node: syntax.Node) -> int:
    """Return the number of rows that LIMIT, OFFSET or FETCH says.

    Raises:
        NotSupportedError: It is no whole number as written.
    """
    if not isinstance(node, syntax.NumberLiteral) or not node.text.isdigit():
        raise NotSupportedError("LIMIT, OFFSET and FETCH take a number", range=node.range)
    return int(node.text)


def _shown(node: syntax.Node) -> str:
    return ".".join(node.path) if isinstance(node, syntax.Column) else "of ORDER BY"
