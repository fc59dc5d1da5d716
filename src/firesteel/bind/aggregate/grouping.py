"""GROUP BY as a list of grouping sets, and the aggregate over them.

Calcite: SqlValidatorUtil.convertGroupSet, RelBuilder.rewriteAggregateWithDuplicateGroupSets.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import chain, combinations, product

from firesteel.bind.build import aggregate
from firesteel.errors import NotSupportedError, ValidationError
from firesteel.functions.expression.nodes import AggregateCall, Call, Expr, InputRef, Literal
from firesteel.plan.nodes.logical import Project, Union
from firesteel.plan.tree import Node
from firesteel.sql import syntax
from firesteel.sql.query_syntax import GroupingSets, Row
from firesteel.types.sql import BIGINT

Keys = frozenset[int]
"""Grouping set: the indices of its group expressions."""

GROUPING_TYPE = BIGINT.with_nullable(False)
_MOST_KEYS = 63
_MOST_CUBED = 12
_NEVER_NULL = ("IS NULL", "IS NOT NULL", "IS TRUE", "IS NOT TRUE", "IS FALSE", "IS NOT FALSE")


def grouping_sets(
    items: Sequence[syntax.Node], key_of: Callable[[syntax.Node], int], distinct: bool
) -> tuple[Keys, ...]:
    """Return the grouping sets of a GROUP BY, sorted. A set may occur more than once.

    Args:
        items: Items of GROUP BY.
        key_of: Returns the index of a group expression, by which the sets refer to it.
        distinct: Whether it is GROUP BY DISTINCT.

    Raises:
        ValidationError: Flink refuses an item.
        NotSupportedError: Firesteel does not support an item.
    """
    found = [frozenset().union(*sets) for sets in product(*(_sets(item, key_of) for item in items))]
    if len(frozenset().union(*found)) > _MOST_KEYS and len(found) > 1:
        raise ValidationError("group count must be less than 64.", range=items[0].range)
    return tuple(sorted(dict.fromkeys(found) if distinct else found, key=_order))


def _order(keys: Keys) -> tuple[float, ...]:
    """Return the sort key of a grouping set: its indices in ascending order, then infinity.

    Infinity puts a set before the sets with which it begins: {0, 1}, {0}, {1, 2}, {1}, {} are in order.
    Calcite: ImmutableBitSet.COMPARATOR.
    """
    return (*sorted(keys), float("inf"))


def _sets(item: syntax.Node, key_of: Callable[[syntax.Node], int]) -> list[Keys]:
    """Return the grouping sets of one item of GROUP BY. A ROLLUP or CUBE has no set twice."""
    if not isinstance(item, GroupingSets):
        return [_keys(item, key_of)]
    if item.kind == "GROUPING SETS":
        return [keys for part in item.items for keys in _sets(part, key_of)]
    parts = [_keys(part, key_of) for part in item.items]
    if item.kind == "ROLLUP":
        chosen: Iterable[Sequence[Keys]] = (parts[:count] for count in range(len(parts), -1, -1))
    elif len(parts) > _MOST_CUBED:
        raise NotSupportedError(f"CUBE of more than {_MOST_CUBED} elements", range=item.range)
    else:
        chosen = chain.from_iterable(combinations(parts, n) for n in range(len(parts), -1, -1))
    return list(dict.fromkeys(frozenset().union(*some) for some in chosen))


def _keys(item: syntax.Node, key_of: Callable[[syntax.Node], int]) -> Keys:
    if isinstance(item, Row):
        return frozenset()
    if isinstance(item, syntax.Call) and item.name == "ROW":
        return frozenset().union(*(_keys(part, key_of) for part in item.args))
    return frozenset({key_of(item)})


def aggregate_by_sets(
    below: Node, keys: Sequence[int], sets: Sequence[Keys], calls: Sequence[AggregateCall], ttl: str = ""
) -> Node:
    """Return the aggregate by grouping sets, or a UNION of aggregates if a set is repeated.

    The aggregates of the UNION are numbered 0, 1, 2, ... Aggregate n has each set that is listed more than n
    times, once. There, GROUP_ID() is n:

        sets {a}, {a}, {b}   ->   UNION of 0: GROUPING SETS (a, b)   and 1: GROUPING SETS (a)

    Args:
        below: The input.
        keys: Positions of the group expressions.
        sets: Grouping sets.
        calls: Aggregate calls.
        ttl: How long a key is kept, as written. "" for the default.
    """
    times = max(sets.count(each) for each in sets)
    found = []
    for number in range(times):
        taken = [each for each in dict.fromkeys(sets) if sets.count(each) > number]
        found.append(_aggregate(below, keys, taken, calls, number, ttl))
    return found[0] if times == 1 else Union(tuple(found))


def _aggregate(
    below: Node, keys: Sequence[int], sets: Sequence[Keys], calls: Sequence[AggregateCall], number: int,
    ttl: str,
) -> Node:  # fmt: skip
    groups = [tuple(keys[i] for i in sorted(each)) for each in sets]
    simple = groups == [tuple(keys)]
    made = [call for call in calls if call.function != "GROUP_ID"]
    node = aggregate(below, keys, made, () if simple else groups, ttl)
    if len(made) == len(calls):
        return node
    columns = iter(InputRef(len(keys) + i, call.type) for i, call in enumerate(made))
    exprs: list[Expr] = [InputRef(i, f.type) for i, f in enumerate(node.schema[: len(keys)])]
    exprs += [Literal(number, GROUPING_TYPE) if c.function == "GROUP_ID" else next(columns) for c in calls]
    names = [node.schema[i].name for i in range(len(keys))]
    names += [call.name or f"$f{i}" for i, call in enumerate(calls, start=len(keys))]
    return Project(node, tuple(exprs), tuple(names))


def over_keys(call: Call, args: tuple[Expr, ...]) -> Call:
    """Return a call with new arguments, which read an aggregate's columns.

    A column of the aggregate is nullable if a grouping set omits its group expression. So a new argument may
    be nullable although the argument that it replaces is not. Then the type of the call becomes nullable.
    There are three exceptions. COALESCE and IFNULL become nullable only if all arguments are nullable. CASE
    becomes nullable only if one of its results is nullable. A test such as IS NULL is never nullable.

    Args:
        call: The call over the aggregate's input.
        args: The new arguments, one for each argument of `call`.
    """
    changed = replace(call, args=args)
    if call.type.nullable or call.function in _NEVER_NULL:
        return changed
    if all(new.type.nullable == old.type.nullable for new, old in zip(args, call.args, strict=True)):
        return changed
    results = (*args[1:-1:2], args[-1]) if call.function == "CASE" else args
    holds = all if call.function in ("COALESCE", "IFNULL") else any
    return replace(changed, type=call.type.with_nullable(holds(r.type.nullable for r in results)))
