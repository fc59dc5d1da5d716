"""Find which input columns of a table function no later operator reads.

Plans do not show this, because Flink passes references to values. Here, the values of the input row are
copied for each row that the function returns. An array that is unnested would be copied once for each of its
elements.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from firesteel.functions.expression.nodes import Call, Expr
from firesteel.plan.expressions.operations import input_refs
from firesteel.plan.expressions.operations import walk as walk_expr
from firesteel.plan.expressions.sub_query import over_outer_row
from firesteel.plan.nodes.correlate.physical import Correlate
from firesteel.plan.nodes.physical import Calc
from firesteel.plan.reuse import fingerprint
from firesteel.plan.tree import Node, walk


def unread_columns(roots: Sequence[Node]) -> dict[str, tuple[int, ...]]:
    """Return, by a Correlate's fingerprint, the positions of its input columns that no later node reads."""
    readers: dict[str, list[Node | None]] = {}
    nodes: dict[str, Correlate] = {}
    for reader, node in _pairs(roots):
        if isinstance(node, Correlate):
            nodes[fingerprint(node)] = node
            readers.setdefault(fingerprint(node), []).append(reader)
    found: dict[str, frozenset[int]] = {}
    # Depth is the height of the tree below a node. Highest first: a Correlate comes after all its readers.
    for mark in sorted(nodes, key=lambda mark: -nodes[mark].depth):
        every = frozenset(range(len(nodes[mark].schema)))
        found[mark] = frozenset().union(*(_read(reader, every, found) for reader in readers[mark]))
    return {
        mark: tuple(sorted(set(range(len(nodes[mark].input.schema))) - read)) for mark, read in found.items()
    }


def _pairs(roots: Sequence[Node]) -> list[tuple[Node | None, Node]]:
    """Return a (reader, node) pair for each node and each reader of it; the reader of a root is None."""
    pairs: list[tuple[Node | None, Node]] = [(None, root) for root in roots]
    pairs += [(node, child) for root in roots for node in walk(root) for child in node.children]
    return pairs


def _read(reader: Node | None, every: frozenset[int], found: Mapping[str, frozenset[int]]) -> frozenset[int]:
    """Return the positions of a Correlate's output columns that a reader of the Correlate reads.

    Args:
        reader: The reader; None if the Correlate is a root.
        every: All columns of the Correlate, the result for a reader that may read each of them.
        found: For each Correlate above, by its fingerprint, the columns that its readers read.
    """
    if isinstance(reader, Correlate):
        width = len(reader.input.schema)
        handed_on = {i for i in found[fingerprint(reader)] if i < width}
        return frozenset(handed_on) | _refs([over_outer_row(arg) for arg in reader.call.args])
    if not isinstance(reader, Calc):
        return every
    exprs = [*reader.exprs, *([] if reader.condition is None else [reader.condition])]
    shown = any(isinstance(part, Call) and part.user is not None for e in exprs for part in walk_expr(e))
    return every if shown else _refs(exprs)  # a user function's error shows the row


def _refs(exprs: Sequence[Expr]) -> frozenset[int]:
    return frozenset(i for expr in exprs for i in input_refs(expr))
