"""Make sure that each retraction repeats the row that was sent, even if an expression varies.

It runs with `table.optimizer.non-deterministic-update.strategy` = TRY_RESOLVE. Flink:
StreamNonDeterministicUpdatePlanVisitor. Each node demands columns of its inputs: they must have the same
values in a row and in its retraction. If a column of a looked-up table is demanded, the lookup join stores
the rows that it sent. Any other expression with varying values, such as RAND(), is refused in a demanded
column or a condition.

With the strategy IGNORE, EXPLAIN PLAN_ADVICE names what TRY_RESOLVE would refuse, or that a lookup join would
store its results. Flink: NonDeterministicUpdateAnalyzer.
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
    """Return the plan in which lookup joins store their results where retractions must repeat them.

    With another strategy than TRY_RESOLVE, the plan stays as it is. The changelog modes must be known.

    Raises:
        UpdateRiskError: A retraction depends on an expression that may have another value when it is
            evaluated again.
    """
    return _all_resolved(root) if _tries_to_resolve(configuration) else root


def update_risk(root: Node, configuration: Mapping[str, str]) -> UpdateRisk | None:
    """Return the risk of a plan that runs with the strategy IGNORE.

    Args:
        root: The plan. Its changelog modes must be known.
        configuration: The session's options.

    Returns:
        The error that TRY_RESOLVE would raise, or the advice that lookup joins should store their results.
            None if TRY_RESOLVE would change nothing, or is set already.
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
    """Return the scans that are not below a ChangelogNormalize, each with the columns demanded of it.

    A demanded column must have the same values in a row and in its retraction. The nodes are visited from
    left to right, as in Flink, so that Flink and Firesteel report the same of several errors.
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
    """Return the demanded columns of a node that are not in its upsert key.

    A row and its retraction have the same key, so key columns need not be demanded. Of several upsert keys,
    the one that leaves the fewest columns is taken.
    """
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
    """Return the input columns that a sink demands: they must be equal in a row and in its retraction.

        only inserts                              ->   no columns
        it materializes, or has no primary key    ->   all columns, because it removes whole rows
        any other case                            ->   the columns of the primary key

    Args:
        node: The sink.
        demanded: Unused, as nothing reads a sink.
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
        # Flink checks the wrong columns here, and so does Firesteel: `demanded` has positions in the join's
        # output, but they are used as positions in the looked-up table.
        shown = frozenset(i for i in demanded if i < len(node.calc.exprs))
        _check_columns(node, node.calc.exprs, shown)
    return (frozenset(i for i in demanded if i < len(node.input.schema)),)


def _aggregate(node: Any, demanded: Columns) -> tuple[Columns, ...]:
    """Return the input columns that an aggregate demands: they must be equal in a row and in its retraction.

    They are all columns if its input has updates, because the aggregate retracts whole rows. Otherwise, no
    columns.

    Raises:
        UpdateRiskError: The input has no updates, and a column in `demanded` is the result of a user-defined
            function that is not deterministic.
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
    """Return the columns that a join demands of each input (see `_of_inputs`).

    Raises:
        UpdateRiskError: The condition has a call that is not deterministic, and the join may send
            retractions.
    """
    left, right = node.inputs
    if _sends_updates(left) or _sends_updates(right) or node.join_type.name not in ("INNER", "SEMI"):
        _check_condition(node, node.remaining if isinstance(node, IntervalJoin) else node.condition)
    return _of_inputs(node.inputs, demanded)


def _multi_join(node: MultiJoin, demanded: Columns) -> tuple[Columns, ...]:
    """Return the columns that a MultiJoin demands of each input (see `_of_inputs`).

    Raises:
        UpdateRiskError: A condition has a call that is not deterministic, and the join may send retractions.
    """
    pads = any(join_type.name != "INNER" for join_type in node.join_types)
    if pads or any(map(_sends_updates, node.inputs)):
        for condition in node.conditions:
            _check_condition(node, condition)
    return _of_inputs(node.inputs, demanded)


def _of_inputs(inputs: Sequence[Node], demanded: Columns) -> tuple[Columns, ...]:
    """Return the columns of each input of a join that must be equal in a row and in its retraction.

        an input that sends only inserts          ->   none
        any other input without an upsert key     ->   all
        any other input with one                  ->   those of its columns that are in `demanded`

    Args:
        inputs: The inputs.
        demanded: Positions of output columns that must be equal in a row and in its retraction.
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
    """Return the input columns that an Expand demands: those that are in `demanded`.

    The output has the input's columns first. The columns behind them, such as the number of the copy, demand
    nothing of the input.
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
"""Functions that return the columns a node demands of each input, by the class of the node.

A node of any other class passes on what is demanded of it, if it has one input. If it has several inputs, it
demands all their columns.
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
