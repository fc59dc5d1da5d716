"""Resolve updates whose retraction would differ from the row that was sent.

It runs with `table.optimizer.non-deterministic-update.strategy` = TRY_RESOLVE. Flink:
StreamNonDeterministicUpdatePlanVisitor. Each node requires of its inputs which columns must have the same
values in an update and in its retraction. A lookup join stores its results. Any other expression with another
value at each evaluation is refused.

With the strategy IGNORE, EXPLAIN PLAN_ADVICE names what would be refused or resolved. Flink:
NonDeterministicUpdateAnalyzer.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

from firesteel.functions.expression.nodes import AggregateCall, Expr
from firesteel.functions.expression.recursion import from_below
from firesteel.plan.expressions.determinism import non_deterministic_call
from firesteel.plan.expressions.operations import conjunction, input_refs
from firesteel.plan.expressions.text import ast_text
from firesteel.plan.metadata import upsert_keys
from firesteel.plan.nodes import physical
from firesteel.plan.nodes.correlate.physical import Correlate
from firesteel.plan.nodes.interval_join.physical import IntervalJoin
from firesteel.plan.nodes.join import physical as physical_join
from firesteel.plan.nodes.lookup_join.physical import LookupJoin
from firesteel.plan.nodes.multi_join.physical import MultiJoin
from firesteel.plan.nodes.over import physical as physical_over
from firesteel.plan.nodes.rank import physical as physical_rank
from firesteel.plan.nodes.temporal.physical import TemporalJoin
from firesteel.plan.nodes.window import physical as physical_windows
from firesteel.plan.nodes.window_join.physical import WindowJoin
from firesteel.plan.risk import UpdateRisk
from firesteel.plan.tree import Node, PhysicalNode, walk
from firesteel.rules.changelog.metadata_columns import refuse_metadata_columns
from firesteel.rules.changelog.update_risk import OPTION, UpdateRiskError
from firesteel.rules.changelog.upsert_materialize import primary_key_positions

Columns: TypeAlias = frozenset[int]
Demand: TypeAlias = Callable[[Any, Columns], tuple[Columns, ...]]
AnyJoin: TypeAlias = physical_join.Join | IntervalJoin | TemporalJoin | WindowJoin

NOTHING: Columns = frozenset()
_STORE_LOOKUPS = (
    "You might want to enable upsert materialization for look up join operator by configuring "
    f"('{OPTION}' to 'TRY_RESOLVE') to resolve the correctness issue caused by 'Non-Deterministic Updates' "
    "(NDU) in a changelog pipeline."
)


def resolve_updates(root: Node, configuration: Mapping[str, str]) -> Node:
    """Return the plan with its updates resolved. The changelog modes must be known.

    Raises:
        UpdateRiskError: A retraction depends on a column or a condition that is evaluated again.
    """
    return _all_resolved(root) if _tries_to_resolve(configuration) else root


def update_risk(root: Node, configuration: Mapping[str, str]) -> UpdateRisk | None:
    """Return what TRY_RESOLVE would refuse or resolve in a plan.

    Args:
        root: The plan. Its changelog modes must be known.
        configuration: The session's options.

    Returns:
        The risk. None if there is none, or if the strategy is TRY_RESOLVE already.
    """
    if _tries_to_resolve(configuration):
        return None
    try:
        resolved = _all_resolved(root)
    except UpdateRiskError as error:
        return UpdateRisk(error.message, error.node, error.title)
    return None if _stored_lookups(resolved) == _stored_lookups(root) else UpdateRisk(_STORE_LOOKUPS)


def _tries_to_resolve(configuration: Mapping[str, str]) -> bool:
    return str(configuration.get(OPTION, "IGNORE")).upper() == "TRY_RESOLVE"


def _stored_lookups(root: Node) -> int:
    return sum(isinstance(node, LookupJoin) and node.upsert_materialize for node in walk(root))


def _all_resolved(root: Node) -> Node:
    for scan, demanded in _scans(root):
        refuse_metadata_columns(scan, demanded)
    return _resolved(root, NOTHING)


@from_below
def _resolved(node: Node, demanded: Columns) -> Node:
    """Return the plan with `upsert_materialize` set in the lookup joins that must store the rows they sent.

    Such a join stores, for each left row, the row that it has sent. So it can retract that row even if the
    looked-up table has changed since. A lookup join must store its rows if its input sends updates and a
    retraction must repeat a column of the looked-up table.

    Args:
        node: The plan's root.
        demanded: Positions of the root's columns that a retraction must repeat as they were sent.
    """
    demands = _demands(node, demanded)
    if isinstance(node, LookupJoin) and any(i >= len(node.input.schema) for i in demanded) and _updates(node):
        node = replace(node, upsert_materialize=True)
    pairs = zip(node.children, demands, strict=True)
    return node.with_children(tuple(_resolved(child, _beside_key(child, need)) for child, need in pairs))


def _scans(root: Node) -> list[tuple[physical.TableSourceScan, Columns]]:
    """Return the scans whose changes are not normalized, each with the columns that must not change.

    Nodes are visited from the left, as in Flink, so that of several errors the same one is raised.
    """
    found = []
    pending: list[tuple[Node, Columns]] = [(root, NOTHING)]
    while pending:
        node, demanded = pending.pop()
        if isinstance(node, physical.TableSourceScan):
            found.append((node, demanded))
        elif not isinstance(node, physical.ChangelogNormalize):
            pairs = list(zip(node.children, _demands(node, demanded), strict=True))
            pending += ((child, _beside_key(child, need)) for child, need in reversed(pairs))
    return found


def _beside_key(node: Node, demanded: Columns) -> Columns:
    """Return the demanded columns of a node without those of its upsert key, which never change."""
    left = [demanded - key for key in upsert_keys(node)]
    return min(left, key=lambda columns: (len(columns), sorted(columns)), default=demanded)


def _updates(node: Node) -> bool:
    """Return whether an input of a node sends anything but inserts."""
    modes = (child.mode for child in node.children if isinstance(child, PhysicalNode))
    return any(mode is not None and not mode.is_insert_only for mode in modes)


# --- what each node demands of its inputs ----------------------------------------------------------
def _demands(node: Node, demanded: Columns) -> tuple[Columns, ...]:
    for kind in type(node).__mro__:
        if kind in _DEMANDS:
            return _DEMANDS[kind](node, demanded)
    if len(node.children) == 1 or isinstance(node, physical.Union):
        return tuple(demanded for _ in node.children)
    return tuple(_all_columns(child) if _sends_updates(child) else NOTHING for child in node.children)


def _all_columns(node: Node) -> Columns:
    return frozenset(range(len(node.schema)))


def _sink(node: physical.Sink, demanded: Columns) -> tuple[Columns, ...]:
    """Return the input columns that must not change for a sink: none if it only gets inserts.

    A sink that materializes or has no primary key needs all, as it removes whole rows; else its primary key.
    """
    if not _updates(node):
        return (NOTHING,)
    if node.upsert_materialize or not node.table.primary_key:
        return (_all_columns(node.input),)
    return (primary_key_positions(node),)


def _calc(node: physical.Calc, demanded: Columns) -> tuple[Columns, ...]:
    if not _updates(node) or not demanded:
        return (NOTHING,)
    _check_condition(node, node.condition)
    _check_columns(node, node.exprs, demanded)
    return (frozenset(i for place in demanded for i in input_refs(node.exprs[place])),)


def _correlate(node: Correlate, demanded: Columns) -> tuple[Columns, ...]:
    if not _updates(node) or not demanded:
        return (NOTHING,)
    _check_condition(node, node.condition)
    width = len(node.input.schema)
    call = non_deterministic_call(node.call)
    beyond = {i: call for i in demanded if i >= width}
    if call is not None and beyond:
        raise _unsatisfied(node, [(node.schema[i].name, call) for i in sorted(beyond)])
    return (frozenset(i for i in demanded if i < width),)


def _lookup_join(node: LookupJoin, demanded: Columns) -> tuple[Columns, ...]:
    if not _updates(node) or not demanded:
        return (NOTHING,)
    alone = node.remaining_of_input
    _check_condition(node, conjunction(alone))
    _check_condition(node, conjunction([term for term in node.remaining if term not in alone]))
    if node.calc is not None:
        _check_condition(node, node.calc.condition)
        # As in Flink, positions in the join's output are taken for positions in the table.
        shown = frozenset(i for i in demanded if i < len(node.calc.exprs))
        _check_columns(node, node.calc.exprs, shown)
    return (frozenset(i for i in demanded if i < len(node.input.schema)),)


def _aggregate(node: Any, demanded: Columns) -> tuple[Columns, ...]:
    """Return the input columns that must not change for an aggregate.

    If its input has updates, these are all columns, because the aggregate retracts whole rows. Otherwise
    there are none. In this case, UpdateRiskError is raised if the result of a user-defined aggregate function
    is among the `demanded` columns and the function is not deterministic.
    """
    if _updates(node):
        return (_all_columns(node.input),)
    calls: Sequence[AggregateCall] = node.calls
    first = len(node.schema) - len(calls) if isinstance(node, physical_over.OverAggregate) else len(node.keys)
    found = [
        (call.name, call.user.function.name)
        for place, call in enumerate(calls, first)
        if place in demanded and call.user is not None and not call.user.deterministic
    ]
    if found:
        raise _unsatisfied(node, found)
    return (NOTHING,)


def _over(node: physical_over.OverAggregate, demanded: Columns) -> tuple[Columns, ...]:
    if not _updates(node):
        return _aggregate(node, demanded)
    width = len(node.input.schema)
    found = {i for i in demanded if i < width} | {*node.window.partition, *node.window.order}
    for place, call in enumerate(node.calls, width):
        if place in demanded:
            found |= {i for i in call.args if i < width} | (
                {call.filter} if call.filter is not None else set()
            )
    return (frozenset(found),)


def _rank(node: physical_rank.Rank, demanded: Columns) -> tuple[Columns, ...]:
    if not _updates(node):
        return (NOTHING,)
    if node.strategy == physical_rank.UPDATE:
        return (demanded - {*node.partition, *node.order, len(node.input.schema)},)
    return (_all_columns(node.input),)


def _join(node: AnyJoin, demanded: Columns) -> tuple[Columns, ...]:
    """Return the columns of each input that must not change for a join (see `_of_inputs`).

    Raises UpdateRiskError for a condition that is evaluated again with another result.
    """
    left, right = node.inputs
    if _sends_updates(left) or _sends_updates(right) or node.join_type.name not in ("INNER", "SEMI"):
        _check_condition(node, node.remaining if isinstance(node, IntervalJoin) else node.condition)
    return _of_inputs(node.inputs, demanded)


def _multi_join(node: MultiJoin, demanded: Columns) -> tuple[Columns, ...]:
    """Return the columns of each input that must not change for a MultiJoin, which outputs all columns."""
    pads = any(join_type.name != "INNER" for join_type in node.join_types)
    if pads or any(map(_sends_updates, node.inputs)):
        for condition in node.conditions:
            _check_condition(node, condition)
    return _of_inputs(node.inputs, demanded)


def _of_inputs(inputs: Sequence[Node], demanded: Columns) -> tuple[Columns, ...]:
    """Return the columns of each input of a join that must not change if those in `demanded` must not.

    An input without an upsert key must keep all columns. An input that sends only inserts need keep none.
    """
    found, first = [], 0
    for side in inputs:
        columns = _all_columns(side)
        shown = frozenset(i - first for i in demanded) & columns
        needed = shown if upsert_keys(side) else columns
        found.append(needed if _sends_updates(side) else NOTHING)
        first += len(columns)
    return tuple(found)


def _sends_updates(node: Node) -> bool:
    mode = getattr(node, "mode", None)
    return mode is not None and not mode.is_insert_only


def _expand(node: physical.Expand, demanded: Columns) -> tuple[Columns, ...]:
    """Return the input columns that must not change for an Expand: those of the output that `demanded` names.

    Expand sends copies of each row, and adds the number of the copy as a column behind the input's columns.
    Columns behind the input's require nothing of the input.
    """
    return (frozenset(i for i in demanded if i < len(node.input.schema)),)


def _window_function(node: physical_windows.WindowTableFunction, demanded: Columns) -> tuple[Columns, ...]:
    return (frozenset(i for i in demanded if i < len(node.input.schema)) if _updates(node) else NOTHING,)


def _normalize(node: physical.ChangelogNormalize, demanded: Columns) -> tuple[Columns, ...]:
    _check_condition(node, node.condition)
    return (demanded,)


_DEMANDS: dict[type, Demand] = {
    physical.Sink: _sink,
    physical.Calc: _calc,
    physical.ChangelogNormalize: _normalize,
    physical.Expand: _expand,
    physical.GroupAggregate: _aggregate,
    physical.LocalGroupAggregate: _aggregate,
    physical.IncrementalGroupAggregate: _aggregate,
    physical.GlobalGroupAggregate: _aggregate,
    Correlate: _correlate,
    LookupJoin: _lookup_join,
    physical_join.Join: _join,
    IntervalJoin: _join,
    TemporalJoin: _join,
    WindowJoin: _join,
    MultiJoin: _multi_join,
    physical_over.OverAggregate: _over,
    physical_rank.Rank: _rank,
    physical_windows.GroupWindowAggregate: _aggregate,
    physical_windows.WindowAggregate: _aggregate,
    physical_windows.LocalWindowAggregate: _aggregate,
    physical_windows.GlobalWindowAggregate: _aggregate,
    physical_windows.WindowTableFunction: _window_function,
}
"""Function that returns the requirements of each class of nodes.

A node that is not listed passes its requirements on. If it has several inputs, it requires whole rows.
"""


# --- errors ----------------------------------------------------------------------------------------
def _check_condition(node: Node, condition: Expr | None) -> None:
    call = None if condition is None else non_deterministic_call(condition)
    if condition is not None and call is not None:
        raise UpdateRiskError(
            f"There exists non deterministic function: '{call}' in condition: '{ast_text(condition)}' which "
            "may cause wrong result in update pipeline.",
            node,
        )


def _check_columns(node: Node, exprs: Sequence[Expr], demanded: Columns) -> None:
    calls = ((node.schema[i].name, non_deterministic_call(exprs[i])) for i in sorted(demanded))
    found = [(name, call) for name, call in calls if call is not None]
    if found:
        raise _unsatisfied(node, found)


def _unsatisfied(node: Node, columns: Sequence[tuple[str, str]]) -> UpdateRiskError:
    named = "".join(f"{name}(generated by non-deterministic function: {call} ) " for name, call in columns)
    return UpdateRiskError(
        f"The column(s): {named}can not satisfy the determinism requirement for correctly processing update "
        "message('UB'/'UA'/'D' in changelogMode, not 'I' only), this usually happens when input node has no "
        "upsertKey(upsertKeys=[{}]) or current node outputs non-deterministic update messages. Please "
        "consider removing these non-deterministic columns or making them deterministic by using "
        "deterministic functions.",
        node,
    )
