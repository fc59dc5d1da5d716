"""Split DISTINCT calls: aggregate by bucket of their argument first, then over the buckets.

    Aggregate(k, COUNT(DISTINCT v))
        ->  Aggregate(k, $SUM0(c))  Aggregate(k, bucket(v), COUNT(DISTINCT v) AS c)

Flink: SplitAggregateRule and ExpandUtil, with the options `table.optimizer.distinct-agg.split.*`. Each set of
arguments has a bucket column. With several sets, every row is copied for each set (Expand), and a call reads
the copies of its own set.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cmp_to_key

from firesteel.functions.duckdb.compile.hashes import check_hashed
from firesteel.functions.expression.nodes import AggregateCall, Call, Expr, InputRef, Literal
from firesteel.functions.expression.recursion import from_below
from firesteel.functions.signatures.aggregate_traits import traits_of
from firesteel.plan.expressions.operations import cast_to, comparison, identity, logical_call
from firesteel.plan.metadata import windows_of_all_rows
from firesteel.plan.nodes.accumulators import COUNT
from firesteel.plan.nodes.logical import Aggregate, Expand, Filter, Project
from firesteel.plan.properties.window_properties import WindowProperties
from firesteel.plan.tree import Node
from firesteel.rules.aggregate.reduce_aggregates import divide, sum_type
from firesteel.rules.mini_batch.mini_batch_options import parsed
from firesteel.rules.normalize.merge_projects import merge_projects
from firesteel.rules.pushdown.push_filters import push_filters
from firesteel.types.sql import BIGINT, INT

ENABLED = "table.optimizer.distinct-agg.split.enabled"
BUCKETS = "table.optimizer.distinct-agg.split.bucket-num"

Positions = frozenset[int]


@dataclass(frozen=True)
class _PartialCall:
    """Call of the partial aggregate, and the columns by which its rows are grouped."""

    call: AggregateCall
    groups: Positions


@from_below
def split_distinct(node: Node, configuration: Mapping[str, str]) -> Node:
    """Return the tree with its DISTINCT calls split.

    A split aggregate has other column names. If a Filter is right above it, a projection above the Filter
    restores the old names.
    """
    aggregate = node.input if isinstance(node, Filter) else node
    children = tuple(split_distinct(child, configuration) for child in aggregate.children)
    rebuilt = aggregate.with_children(children)
    if not isinstance(rebuilt, Aggregate) or not _applies(rebuilt, configuration):
        return rebuilt if aggregate is node else node.with_children((rebuilt,))
    split = _split(rebuilt, parsed(configuration).get(BUCKETS))
    if not isinstance(node, Filter):
        return split
    filtered = push_filters(Filter(split, node.condition))
    columns = identity(f.type for f in filtered.schema)
    return merge_projects(Project(filtered, columns, tuple(f.name for f in node.schema)))


def _applies(node: Aggregate, configuration: Mapping[str, str]) -> bool:
    if node.partial_final is not None or not any(call.distinct for call in node.calls):
        return False
    windows = windows_of_all_rows(node.input)
    if windows is not None and windows.grouped(node.keys) and not _splits(windows):
        return False
    return bool(parsed(configuration).get(ENABLED)) and all(map(_is_splittable, node.calls))


def _splits(windows: WindowProperties) -> bool:
    """Return whether DISTINCT calls of aggregates grouped by these windows may be split.

    True for windows of row time other than SESSION.
    """
    return windows.is_rowtime and windows.window.function != "SESSION"


def _is_splittable(call: AggregateCall) -> bool:
    return traits_of(call.function).split is not None and len(call.args) <= 1


def _split(node: Aggregate, buckets: int) -> Node:
    below, bucket_of = _with_buckets(node, buckets)
    groups = [_groups(call, node.keys, bucket_of) for call in node.calls]
    full = sorted(frozenset().union(*groups))
    partial = [
        _PartialCall(c, g) for call, g in zip(node.calls, groups, strict=True) for c in _partial(call, node)
    ]
    calls = [p.call for p in partial]
    if _needs_expand(node.calls, groups):
        below, calls = _expanded(below, partial, full)
    lower = _named(Aggregate(below, tuple(full), tuple(calls), "PARTIAL", state_ttl=node.state_ttl))
    keys = tuple(full.index(k) for k in node.keys)
    final = tuple(_final(lower, bool(keys)))
    upper = _named(Aggregate(lower, keys, final, "FINAL", state_ttl=node.state_ttl))
    return _as_before(upper, node)


def _takes_buckets(call: AggregateCall) -> bool:
    return call.distinct or traits_of(call.function).own_buckets


def _with_buckets(node: Aggregate, buckets: int) -> tuple[Node, dict[int, int]]:
    """Return the input with a bucket column for each split argument, and the position of each bucket column.

    The bucket of a value is its hash code modulo `buckets`. The positions are by the argument's position.
    """
    split = {i for call in node.calls if _takes_buckets(call) for i in call.args} - set(node.keys)
    if not split:
        return node.input, {}
    columns = node.input.schema
    exprs = list(identity(f.type for f in columns))
    number = Literal(buckets, INT.with_nullable(False))
    for i in sorted(split):
        check_hashed(columns[i].type)
        kind = INT.with_nullable(columns[i].type.nullable)
        exprs.append(Call("MOD", (Call("HASH_CODE", (exprs[i],), kind), number), kind))
    names = _unique([*(f.name for f in columns), *(None for _ in split)])
    places = {i: len(columns) + place for place, i in enumerate(sorted(split))}
    return merge_projects(Project(node.input, tuple(exprs), names)), places


def _groups(call: AggregateCall, keys: Sequence[int], bucket_of: dict[int, int]) -> Positions:
    buckets = [bucket_of.get(i, i) for i in call.args] if _takes_buckets(call) else []
    return frozenset([*keys, *buckets])


def _needs_expand(calls: Sequence[AggregateCall], groups: Sequence[Positions]) -> bool:
    """Return whether calls need buckets of different arguments, so that each row must be copied."""
    seen: set[Positions] = set()
    kinds = 0
    for call, columns in zip(calls, groups, strict=True):
        kinds += _takes_buckets(call) and columns not in seen
        seen.add(columns)
    return kinds > 1


def _partial(call: AggregateCall, node: Aggregate) -> list[AggregateCall]:
    if call.function != "AVG":
        nullable = call.type.nullable and (call.filter is not None or _is_nullable(call, node))
        return [replace(call, type=call.type.with_nullable(nullable))]
    kind = sum_type(node.input.schema[call.args[0]].type).with_nullable(False)
    return [replace(call, function="$SUM0", type=kind), replace(call, function="COUNT", type=COUNT)]


def _is_nullable(call: AggregateCall, node: Aggregate) -> bool:
    return any(node.input.schema[i].type.nullable for i in call.args)


def _expanded(
    below: Node, partial: Sequence[_PartialCall], full: Sequence[int]
) -> tuple[Node, list[AggregateCall]]:
    """Return the input with a copy of each row for every set of grouping columns, and calls over the copies.

    `full`: all columns of these sets, sorted.
    """
    sets = sorted({p.groups for p in partial}, key=cmp_to_key(_order))
    columns = below.schema
    expand = Expand(below, tuple(_copy(below, full, s) for s in sets))
    names = [f.name for f in expand.schema]
    types = [f.type for f in expand.schema]
    exprs: list[Expr] = list(identity(types[:-1]))
    marks: list[str | None] = list(names[:-1])
    filters: dict[tuple[Positions, int | None], int] = {}
    calls = []
    for groups, call in ((p.groups, p.call) for p in partial):
        if (groups, call.filter) not in filters:
            number = _copy_number(full, groups)
            is_copy = comparison(
                "=", InputRef(len(columns), types[-1]), Literal(number, INT.with_nullable(False))
            )
            own = [] if call.filter is None else [exprs[call.filter]]
            filters[groups, call.filter] = len(exprs)
            exprs.append(logical_call("AND", [is_copy, *own]))
            marks.append(f"$g_{number}")
        kind = call.type if traits_of(call.function).never_null else call.type.with_nullable(True)
        calls.append(replace(call, filter=filters[groups, call.filter], type=kind))
    return Project(expand, tuple(exprs), _unique(marks)), calls


def _order(one: Positions, other: Positions) -> int:
    """Return a negative number if the first set is sorted before the second, a positive one if after it.

    A set that contains the other comes first. Otherwise, the sets are compared as ascending lists, column by
    column: {0, 3} comes before {1, 2}.
    """
    if one > other:
        return -1
    if one < other:
        return 1
    left, right = sorted(one), sorted(other)
    return (left > right) - (left < right)


def _copy(below: Node, full: Sequence[int], groups: Positions) -> tuple[Expr, ...]:
    cells: list[Expr] = [
        InputRef(i, f.type) if i in groups or i not in full else Literal(None, f.type.with_nullable(True))
        for i, f in enumerate(below.schema)
    ]
    return (*cells, Literal(_copy_number(full, groups), BIGINT.with_nullable(False)))


def _copy_number(full: Sequence[int], groups: Positions) -> int:
    """Return the number of the row copy that Expand makes for the grouping columns `groups`.

    `full` has the grouping columns of all copies. A copy has NULL in the columns of `full` that are not in
    its `groups`. For each of them, a bit of the number is set. The last column of `full` has the lowest bit:

        full [0, 3, 4], groups {0, 3}   ->   NULL in column 4, number 0b001
    """
    return sum(1 << place for place, i in enumerate(reversed(full)) if i not in groups)


def _final(lower: Aggregate, keyed: bool) -> list[AggregateCall]:
    calls = []
    for place, call in enumerate(lower.calls, start=len(lower.keys)):
        function = traits_of(call.function).split or call.function
        nullable = call.type.nullable or (not keyed and function != "$SUM0")
        calls.append(AggregateCall(function, (place,), call.type.with_nullable(nullable), ""))
    return calls


def _as_before(upper: Aggregate, node: Aggregate) -> Node:
    """Return a node with the results of the split aggregate in the columns and types of the original one.

    Args:
        upper: The aggregate over the buckets.
        node: The original aggregate.
    """
    columns = identity(f.type for f in upper.schema)
    results = iter(columns[len(node.keys) :])
    exprs: list[Expr] = list(columns[: len(node.keys)])
    exprs += [
        _average(c, next(results), next(results)) if c.function == "AVG" else next(results)
        for c in node.calls
    ]
    named = _unique([upper.schema[e.index].name if isinstance(e, InputRef) else None for e in exprs])
    typed = tuple(cast_to(e, f.type) for e, f in zip(exprs, node.schema, strict=True))
    return upper if typed == columns else Project(upper, typed, named)


def _average(call: AggregateCall, total: Expr, count: Expr) -> Expr:
    none = comparison("=", count, Literal(0, BIGINT.with_nullable(False)))
    quotient = divide(total, count)
    kind = quotient.type.with_nullable(True)
    return Call("IF", (none, Literal(None, call.type.with_nullable(True)), quotient), kind)


def _named(node: Aggregate) -> Aggregate:
    """Return the aggregate with calls named `$f<position>`: `$f2`, or `$f2_0`, `$f2_1` if a key is `$f2`."""
    taken = {node.input.schema[k].name for k in node.keys}
    calls = []
    for position, call in enumerate(node.calls, start=len(node.keys)):
        name, attempt = f"$f{position}", 0
        while name in taken:
            name, attempt = f"$f{position}_{attempt}", attempt + 1
        taken.add(name)
        calls.append(replace(call, name=name))
    return replace(node, calls=tuple(calls))


def _unique(names: Sequence[str | None]) -> tuple[str, ...]:
    """Return names as Calcite's RelBuilder.project makes them.

    None becomes `$f<position>`. A duplicate name gets a number.
    """
    found: list[str] = []
    for position, given in enumerate(names):
        attempt = position if given is None else 0
        name = f"$f{position}" if given is None else given
        while name in found:
            name = f"{given or '$f'}{attempt}"
            attempt += 1
        found.append(name)
    return tuple(found)
