"""Find exchanges that move no row to another task, for the batch host.

An exchange is needless if its rows come from an operator behind an earlier exchange by the same columns, and
no operator between the two exchanges changes the values of these columns:

    SELECT ... ROW_NUMBER() OVER (PARTITION BY a.id ...) FROM a JOIN b ON a.id = b.id

Here the join is by a.id, and so is the rank. Plans show the exchange, as Flink's do. The stream host keeps
it: a checkpoint keeps an operator's state with the operator's stage, which would change without the exchange.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from firesteel.functions.expression.nodes import InputRef
from firesteel.plan.nodes import physical
from firesteel.plan.nodes.join.join_type import JoinType
from firesteel.plan.nodes.join.physical import Join
from firesteel.plan.nodes.rank.physical import Rank
from firesteel.plan.reuse import fingerprint
from firesteel.plan.tree import Node, walk

Columns = frozenset[int]

_READERS = (Rank, physical.GroupAggregate)
"""Operators whose exchange may be needless: they need all rows of a key in one task, but no watermarks."""
_SAME_ROWS = (physical.DropUpdateBefore, physical.ChangelogNormalize, Rank)
"""Operators that do not change a row's columns. A Rank may append one."""
_FROM_LEFT = (JoinType.INNER, JoinType.LEFT, JoinType.SEMI, JoinType.ANTI)
_FROM_RIGHT = (JoinType.INNER, JoinType.RIGHT)
"""Types of joins that never pad the columns of the right input with NULL (`_FROM_LEFT`: of the left one)."""


def needless_exchanges(roots: Iterable[Node], needed: set[str]) -> set[str]:
    """Return the fingerprints of needless exchanges.

    Args:
        roots: Physical plans.
        needed: Fingerprints of exchanges that must stay, because operators with several inputs read them.
    """
    readers = (node for root in roots for node in walk(root) if isinstance(node, _READERS))
    exchanges = (node.input for node in readers if isinstance(node.input, physical.Exchange))
    return {fingerprint(each) for each in exchanges if _is_needless(each)} - needed


def _is_needless(exchange: physical.Exchange) -> bool:
    keys = frozenset(exchange.keys)
    return bool(keys) and not exchange.one_task and keys in set(_together(exchange.input))


def _together(node: Node) -> Iterator[Columns]:
    """Yield sets of column positions of a node's output.

    Output rows with equal values in all columns of a set are in the same task.
    """
    if isinstance(node, physical.Exchange):
        if node.keys and not node.one_task:
            yield frozenset(node.keys)
    elif isinstance(node, Join):
        yield from _of_join(node)
    elif isinstance(node, physical.GroupAggregate):
        yield from _moved(node.input, {key: at for at, key in enumerate(node.keys)})
    elif isinstance(node, physical.Calc):
        passed = {expr.index: at for at, expr in enumerate(node.exprs) if isinstance(expr, InputRef)}
        yield from _moved(node.input, passed)
    elif isinstance(node, _SAME_ROWS):
        yield from _together(node.input)


def _of_join(join: Join) -> Iterator[Columns]:
    left, right = join.inputs
    if join.join_type in _FROM_LEFT:
        yield from _together(left)
    if join.join_type in _FROM_RIGHT:
        places = {at: join.left_width + at for at in range(len(right.schema))}
        yield from _moved(right, places)


def _moved(node: Node, places: dict[int, int]) -> Iterator[Columns]:
    """Yield the sets of `_together(node)`, as column positions in the output of the node above it.

    A set with a column that the node above does not pass on is left out.

    Args:
        node: The lower node.
        places: Position in the upper node's output of each column that it passes on, by the position in
            `node`.
    """
    for columns in _together(node):
        if columns <= places.keys():
            yield frozenset(places[column] for column in columns)
