"""Translate the lookup joins of a physical plan to specs."""

from __future__ import annotations

from firesteel.functions.duckdb.calc_spec import CalcSpec
from firesteel.functions.duckdb.compile.calc import compile_calc
from firesteel.functions.expression.nodes import InputRef
from firesteel.job.lower.aggregate import OperatorOptions, mode_of, types_of
from firesteel.job.lower.join import condition_of
from firesteel.job.lower.scan import scan_of
from firesteel.plan.expressions.operations import conjunction, conjuncts, expand_search, identity
from firesteel.plan.nodes import physical
from firesteel.plan.nodes.join.join_type import JoinType
from firesteel.plan.nodes.lookup_join.physical import LookupJoin
from firesteel.plan.tree import walk
from firesteel.runtime.spec.lookup_join import LookupJoinSpec, LookupTable, ResolvedLookupJoinSpec, Retry


def lookup_join(node: LookupJoin, options: OperatorOptions) -> LookupJoinSpec | ResolvedLookupJoinSpec:
    """Return the spec of a lookup join, a ResolvedLookupJoinSpec if it has to store the rows it has found."""
    join = _join(node, options)
    if not node.upsert_materialize:
        return join
    keys, replaces = _row_key(node)
    state = options.state_id("lookup-join")
    return ResolvedLookupJoinSpec(join, types_of(node.input), keys, replaces, options.ttl, state)


def distribution(node: LookupJoin) -> tuple[int, ...]:
    """Return the columns by which rows go to the tasks of a ResolvedLookupJoin; () if there is one task.

    Such a join stores the rows that it has found for an input row, for the retraction of the input row.
    """
    keys, replaces = _row_key(node)
    if replaces:
        return keys
    read = {expr.index for expr in node.asked.values() if isinstance(expr, InputRef)}
    return tuple(sorted(read & set(keys)))


def _row_key(node: LookupJoin) -> tuple[tuple[int, ...], bool]:
    """Return the columns that identify an input row, and whether a +U replaces the row without a -U.

    If the input is an upsert stream, the columns are its upsert key, and the second result is True.
    Otherwise, the second result is False. A -U or -D then takes back a row that is equal in all columns but a
    processing time, so these are the columns.
    """
    mode = mode_of(node.input)
    if mode.update_after and not mode.update_before:
        return min(node.input_keys), True
    return node.row_key, False


def _join(node: LookupJoin, options: OperatorOptions) -> LookupJoinSpec:
    exchanged = any(isinstance(below, physical.Exchange) for below in walk(node.input))
    own, scanned, zone = types_of(node.input), types_of(node.scan), options.time_zone
    keys = dict(sorted(node.asked.items()))
    alone = node.remaining_of_input
    rest = tuple(term for term in node.remaining if term not in alone)
    return LookupJoinSpec(
        LookupTable(scan_of(node.scan, zone), tuple(keys)),
        compile_calc(list(keys.values()), None, own, [scanned[key] for key in keys], zone, exchanged),
        node.join_type is JoinType.LEFT,
        types_of(node.table),
        _calc(node, options, exchanged),
        condition_of(alone, own, options, exchanged),
        condition_of(rest, (*own, *types_of(node.table)), options, exchanged),
        None if node.hint is None or not node.hint.attempts else Retry(node.hint.attempts, node.hint.delay),
    )


def _calc(node: LookupJoin, options: OperatorOptions, exchanged: bool) -> CalcSpec | None:
    """Return the projection and filter over the looked-up table's columns, None if there is neither.

    `exchanged` tells whether the rows came through an exchange. Some comparisons of arrays depend on it.
    """
    calc = node.calc
    if calc is None and not node.pushed:
        return None
    shown = identity(types_of(node.scan)) if calc is None else calc.exprs
    exprs = [expand_search(expr, lists=True) for expr in shown]
    kept = () if calc is None else conjuncts(calc.condition)
    whole = conjunction([*node.pushed, *kept])
    condition = None if whole is None else expand_search(whole, lists=True)
    return compile_calc(exprs, condition, types_of(node.scan), None, options.time_zone, exchanged)
