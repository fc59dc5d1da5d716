"""ORDER BY of a query: the columns that it sorts by (Calcite: OrderExpressionExpander, convertOrder)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from firesteel.bind.aggregate.over_windows import direction
from firesteel.bind.build import references
from firesteel.errors import NotSupportedError, ValidationError
from firesteel.functions.expression.nodes import Expr, InputRef
from firesteel.plan.expressions.over import without_repeats
from firesteel.plan.nodes.logical import Project
from firesteel.plan.nodes.over.logical import Sort
from firesteel.plan.tree import Node
from firesteel.sql import syntax

Item = tuple[str | None, Expr]
"""Column of a SELECT list: its name as written, None if it has none, and its expression."""


@dataclass
class Order:
    """ORDER BY of a SELECT.

    Attributes:
        items: Items of ORDER BY.
        hidden: Columns that only ORDER BY reads. They follow the columns of the SELECT list.
        keys: Position of the column of each item, once `resolve` has found them.
    """

    items: Sequence[syntax.OrderItem]
    hidden: list[Item] = field(default_factory=list)
    keys: list[int] = field(default_factory=list)

    def resolve(
        self, selected: Sequence[Item], bind: Callable[[syntax.Node], Item], distinct: bool = False
    ) -> None:
        """Find the column of each item: by its number, by its name, or by an equal expression.

        Args:
            selected: Columns of the SELECT list.
            bind: Returns name and expression of an item that is no name or number of a selected column.
            distinct: Whether the query is SELECT DISTINCT, whose ORDER BY may only read selected columns.

        Raises:
            ValidationError: A number is out of range, or ORDER BY of SELECT DISTINCT reads another column.
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
        """Return the position of the selected column that a number or a name stands for, or None."""
        if isinstance(node, syntax.NumberLiteral):
            if not node.text.isdigit() or not 1 <= int(node.text) <= len(selected):
                raise ValidationError("Ordinal out of range", range=node.range)
            return int(node.text) - 1
        if isinstance(node, syntax.Column) and len(node.path) == 1:
            return next((i for i, (name, _) in enumerate(selected) if name == node.path[0]), None)
        return None

    def sorted(self, node: Node, width: int) -> Node:
        """Return the sorted rows of the query, without the columns that only ORDER BY reads.

        Args:
            node: The query: the columns of the SELECT list, then the columns that only ORDER BY reads.
            width: Number of columns of the SELECT list.
        """
        directions = [direction(item) for item in self.items]
        found = Sort(node, *without_repeats(list(zip(self.keys, directions, strict=True))))
        if width == len(node.schema):
            return found
        columns = references(node)[:width]
        return Project(found, columns, tuple(f.name for f in node.schema[:width]))


def order_rows(node: Node, items: Sequence[syntax.OrderItem], bind: Callable[[syntax.Node], Expr]) -> Node:
    """Return the rows of a query that is no SELECT, such as a UNION, sorted by some of its columns.

    Args:
        node: The query.
        items: Items of ORDER BY.
        bind: Binds an expression over the columns of the query.

    Raises:
        ValidationError: An item is no column of the query, such as `a + 1`, or its number is out of range.
            Only a SELECT can compute another column to sort by.
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
    """Return the plan of a query with LIMIT or FETCH. A Sort node in it has both numbers of rows.

    Args:
        node: The query, sorted if it has an ORDER BY.
        is_ordered: Whether the query has an ORDER BY.
        offset: Number of rows to skip.
        fetch: Number of rows to return after the skipped ones.
    """
    if is_ordered and isinstance(node, Sort):
        return replace(node, offset=offset, fetch=fetch)
    if is_ordered and isinstance(node, Project) and isinstance(node.input, Sort):
        return replace(node, input=replace(node.input, offset=offset, fetch=fetch))
    return Sort(node, (), (), offset, fetch)


def row_number(node: syntax.Node) -> int:
    """Return the number of rows in LIMIT, OFFSET or FETCH.

    Raises:
        NotSupportedError: The number is not written as a whole number.
    """
    if not isinstance(node, syntax.NumberLiteral) or not node.text.isdigit():
        raise NotSupportedError("LIMIT, OFFSET and FETCH take a number", range=node.range)
    return int(node.text)


def _shown(node: syntax.Node) -> str:
    return ".".join(node.path) if isinstance(node, syntax.Column) else "of ORDER BY"
