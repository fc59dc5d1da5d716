"""Translate the joins of a physical plan to specs."""

from __future__ import annotations

from firesteel.config.option import parse_duration
from firesteel.functions.duckdb.calc_spec import CalcSpec
from firesteel.functions.duckdb.compile.calc import compile_calc
from firesteel.job.lower.aggregate import OperatorOptions, types_of
from firesteel.plan.expressions.operations import conjunction, expand_search
from firesteel.plan.nodes.join.join_type import JoinType
from firesteel.plan.nodes.join.physical import Join
from firesteel.runtime.spec.join import JoinInput, JoinKind, JoinSpec, SemiJoinSpec

_KINDS = {
    JoinType.INNER: JoinKind.INNER,
    JoinType.LEFT: JoinKind.LEFT,
    JoinType.RIGHT: JoinKind.RIGHT,
    JoinType.FULL: JoinKind.FULL,
}


def join(node: Join, options: OperatorOptions) -> JoinSpec | SemiJoinSpec:
    """Return the spec of a join that keeps both inputs."""
    equal = node.equal_columns
    inputs = (
        JoinInput(types_of(node.inputs[0]), equal.left, node.unique_key(0), _ttl(node, 0, options)),
        JoinInput(types_of(node.inputs[1]), equal.right, node.unique_key(1), _ttl(node, 1, options)),
    )
    condition = _condition(node, options)
    if node.join_type in _KINDS:
        kind = _KINDS[node.join_type]
        return JoinSpec(kind, inputs, equal.null_safe, condition, options.state_id("join"))
    anti = node.join_type is JoinType.ANTI
    return SemiJoinSpec(anti, inputs, equal.null_safe, condition, options.state_id("semi-join"))


def _ttl(node: Join, port: int, options: OperatorOptions) -> int:
    """Milliseconds that a row of an input is kept, 0 for ever."""
    written = node.hints.ttl[port]
    return parse_duration(written) if written else options.ttl


def _condition(node: Join, options: OperatorOptions) -> CalcSpec | None:
    """What the condition demands beside equal columns."""
    rest = conjunction(node.equal_columns.rest)
    if rest is None:
        return None
    types = (*types_of(node.inputs[0]), *types_of(node.inputs[1]))
    return compile_calc((), expand_search(rest, lists=True), types, None, options.time_zone, True)
