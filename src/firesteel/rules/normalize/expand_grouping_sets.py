"""Rewrite grouping sets as one more group key: each row is copied for every set, and the copies are numbered.

    GROUP BY GROUPING SETS ((a), (b))   ->   GROUP BY a, b, $e   over   Expand((a, NULL, 1), (NULL, b, 2))

Flink: DecomposeGroupingSetsRule, ExpandUtil. A copy has NULL in the keys that are not in its set. Its number
has a bit for each of them, so that keys that are NULL themselves stay apart. GROUPING and GROUPING_ID are
computed from the number.

If GROUP BY names a set twice, the binder makes a UNION ALL of two aggregates with the same keys. The second
one has the repeated sets:

    GROUPING SETS ((a), (b), (a))
        ->  UNION ALL of  Aggregate(keys a, b, sets (a), (b))  and  Aggregate(keys a, b, set (a))

For an aggregate with a single set that lacks a key, Flink ignores the set and groups by all keys if a call is
GROUPING or GROUPING_ID. Without such a call, Flink has no plan, and NotSupportedError is raised.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from firesteel.errors import NotSupportedError
from firesteel.functions.expression.nodes import AggregateCall, Call, Expr, InputRef, Literal
from firesteel.functions.signatures.aggregate_functions import GROUPING_FUNCTIONS
from firesteel.plan.expressions.operations import comparison
from firesteel.plan.nodes.logical import Aggregate, Expand, Project
from firesteel.plan.simplify import simplify_value
from firesteel.plan.tree import Node
from firesteel.types.sql import BIGINT

_NUMBER = BIGINT.with_nullable(False)


def expand_grouping_sets(node: Node) -> Node:
    """Rewrite an aggregate with grouping sets. Other nodes stay as they are.

    Raises:
        NotSupportedError: The only set lacks keys, and no call is GROUPING. Flink has no plan for it either.
    """
    if not isinstance(node, Aggregate):
        return node
    if not any(map(_is_grouping, node.calls)):
        if not node.groups:
            return node
        if len(node.groups) == 1:
            raise NotSupportedError("GROUPING SETS are currently not supported.", hint="name each set once")
    keys, calls, below = node.keys, list(node.calls), node.input
    if len(node.groups) > 1:
        moved = {i: len(below.schema) + 1 + n for n, i in enumerate(_arguments_among_keys(node))}
        keys, below = (*keys, len(below.schema)), _expand(node, tuple(moved))
        calls = [_moved(call, moved) for call in calls]
    kept = tuple(call for call in calls if not _is_grouping(call))
    made = Aggregate(below, keys, kept, state_ttl=node.state_ttl.below())
    return _as_before(made, node)


def _is_grouping(call: AggregateCall) -> bool:
    return call.function in GROUPING_FUNCTIONS


def _arguments_among_keys(node: Aggregate) -> list[int]:
    """Return the group keys that aggregate calls read, if some grouping set lacks them.

    A copy of a row for such a set has NULL in the key, so the calls need the column once more, unchanged.
    """
    read = {i for c in node.calls if not _is_grouping(c) for i in (*c.args, *_filter(c))}
    return sorted(i for i in read if i in node.keys and not all(i in group for group in node.groups))


def _filter(call: AggregateCall) -> tuple[int, ...]:
    return () if call.filter is None else (call.filter,)


def _moved(call: AggregateCall, moved: dict[int, int]) -> AggregateCall:
    condition = None if call.filter is None else moved.get(call.filter, call.filter)
    return replace(call, args=tuple(moved.get(i, i) for i in call.args), filter=condition)


def _expand(node: Aggregate, again: Sequence[int]) -> Expand:
    """Return the Expand that copies the rows.

    Args:
        node: The aggregate.
        again: Columns that are added a second time, unchanged in every copy.
    """
    columns = node.input.schema
    projects = []
    for group in node.groups:
        cells: list[Expr] = [
            InputRef(i, f.type)
            if i in group or i not in node.keys
            else Literal(None, f.type.with_nullable(True))
            for i, f in enumerate(columns)
        ]
        cells.append(Literal(_number(node.keys, group), _NUMBER))
        projects.append((*cells, *(InputRef(i, columns[i].type) for i in again)))
    return Expand(node.input, tuple(projects))


def _number(of: Sequence[int], group: Sequence[int]) -> int:
    """Return a number with a bit for each column of `of`, the last column the lowest.

    The bit is set if the grouping set lacks the column.
    """
    return sum(1 << place for place, i in enumerate(reversed(of)) if i not in group)


def _as_before(made: Aggregate, node: Aggregate) -> Node:
    """Return a projection over the new aggregate, with the columns of the original one with grouping sets."""
    results = iter(InputRef(len(made.keys) + i, call.type) for i, call in enumerate(made.calls))
    exprs: list[Expr] = [InputRef(i, f.type) for i, f in enumerate(node.schema[: len(node.keys)])]
    exprs += [_grouping(call, node) if _is_grouping(call) else next(results) for call in node.calls]
    return Project(made, tuple(exprs), tuple(f.name for f in node.schema))


def _grouping(call: AggregateCall, node: Aggregate) -> Expr:
    """Return GROUPING or GROUPING_ID: a bit for each argument, set if the row's grouping set lacks it."""
    if len(node.groups) < 2:
        return Literal(_number(call.args, node.groups[0] if node.groups else node.keys), call.type)
    number = InputRef(len(node.keys), _NUMBER)
    parts: list[Expr] = []
    for group in node.groups:
        test = comparison("=", number, Literal(_number(node.keys, group), _NUMBER))
        parts += [test, Literal(_number(call.args, group), call.type)]
    return simplify_value(Call("CASE", (*parts[:-2], parts[-1]), call.type))
