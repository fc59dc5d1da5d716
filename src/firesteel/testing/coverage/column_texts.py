"""Texts of columns in the report of coverage: expressions where the planner has made up a name."""

from __future__ import annotations

import re
from collections.abc import Sequence

from firesteel.functions.expression.nodes import AggregateCall
from firesteel.plan.expressions.text import infix_text
from firesteel.plan.nodes import physical
from firesteel.plan.tree import Node

_MADE_UP = re.compile(r"\$f\d+|EXPR\$\d+")
"""Pattern of the names that Calcite gives to unnamed expressions, such as EXPR$0."""
_MOST = 80
"""Maximum length of an expression that is shown in place of a name, in characters."""


def column_texts(node: Node) -> tuple[str, ...]:
    """Return a text for each column of a node: its name, or its expression in place of a made-up name.

    A made-up name stays if the expression is not known or longer than 80 characters.
    """
    names = tuple(column.name for column in node.schema)
    if not any(map(_MADE_UP.fullmatch, names)):
        return names
    found = _expressions(node)
    if len(found) != len(names):
        return names
    return tuple(
        text if _MADE_UP.fullmatch(name) and len(text) <= _MOST else name
        for name, text in zip(names, found, strict=True)
    )


def _expressions(node: Node) -> tuple[str, ...]:
    """Return for each column the text of its expression, or the text of the input column that it passes on.

    The result may have another length than the node's columns. Then the expressions are not known.
    """
    below = [column_texts(child) for child in node.children]
    if isinstance(node, physical.Calc):
        return tuple(infix_text(expr, below[0]) for expr in node.exprs)
    if isinstance(node, physical.GroupAggregate):
        return _aggregated(node.keys, node.calls, below[0], below[0])
    if isinstance(node, physical.GlobalGroupAggregate):
        arguments = _input_of_local(node.input)
        return _aggregated(node.keys, node.calls[: node.results], below[0], arguments)
    if isinstance(node, physical.LocalGroupAggregate):
        accumulators = tuple(column.name for column in node.schema[len(node.keys) :])
        return (*(below[0][key] for key in node.keys), *accumulators)
    if isinstance(node, physical.Union):
        return below[0]
    return tuple(text for texts in below for text in texts)


def _aggregated(
    keys: Sequence[int], calls: Sequence[AggregateCall], columns: Sequence[str], arguments: Sequence[str]
) -> tuple[str, ...]:
    """Return the texts of an aggregate's output columns: its keys, then texts such as `SUM(a)` of its calls.

    Args:
        keys: Positions of the keys in `columns`.
        calls: The aggregate calls.
        columns: Texts of the columns of the node's input.
        arguments: Texts of the columns to which the arguments of the calls refer. Of a global aggregate,
            these are the input columns of its local aggregate. If it is (), the text of a call is its name.
    """
    texts = [_call_text(call, arguments) if arguments else call.name for call in calls]
    return (*(columns[key] for key in keys), *texts)


def _call_text(call: AggregateCall, columns: Sequence[str]) -> str:
    arguments = ", ".join(columns[arg] for arg in call.args) or "*"
    text = f"{call.function}({'DISTINCT ' if call.distinct else ''}{arguments})"
    return text if call.filter is None else f"{text} FILTER (WHERE {columns[call.filter]})"


def _input_of_local(node: Node) -> tuple[str, ...]:
    """Return the texts of the input columns of the first local aggregate at or below `node`.

    Return () if an IncrementalGroupAggregate or a node without exactly one input comes first.
    """
    while len(node.children) == 1 and not isinstance(node, physical.LocalGroupAggregate):
        if isinstance(node, physical.IncrementalGroupAggregate):
            return ()
        (node,) = node.children
    return column_texts(node.input) if isinstance(node, physical.LocalGroupAggregate) else ()
