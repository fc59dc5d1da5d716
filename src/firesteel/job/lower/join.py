"""Translate the joins of a physical plan to specs."""

from __future__ import annotations

from collections.abc import Sequence

from firesteel.config.option import parse_duration
from firesteel.functions.duckdb.calc_spec import CalcSpec
from firesteel.functions.duckdb.compile.calc import compile_calc
from firesteel.functions.expression.nodes import Expr
from firesteel.job.lower.aggregate import OperatorOptions, mode_of, types_of
from firesteel.plan.expressions.operations import conjunction, expand_search
from firesteel.plan.nodes.join.join_type import JoinType
from firesteel.plan.nodes.join.physical import Join
from firesteel.runtime.spec.join import JoinInput, JoinKind, JoinSpec, SemiJoinSpec
from firesteel.types.sql import SqlType

KINDS = {
    JoinType.INNER: JoinKind.INNER,
    JoinType.LEFT: JoinKind.LEFT,
    JoinType.RIGHT: JoinKind.RIGHT,
    JoinType.FULL: JoinKind.FULL,
}


def join(node: Join, options: OperatorOptions) -> JoinSpec | SemiJoinSpec:
    """Return the spec of a join that stores both inputs."""
    equal = node.equal_columns
    inputs = (
        JoinInput(types_of(node.inputs[0]), equal.left, node.unique_key(0), _ttl(node, 0, options)),
        JoinInput(types_of(node.inputs[1]), equal.right, node.unique_key(1), _ttl(node, 1, options)),
    )
    types = (*types_of(node.inputs[0]), *types_of(node.inputs[1]))
    condition = condition_of(equal.rest, types, options)
    if node.join_type in KINDS:
        kind = KINDS[node.join_type]
        state_id = options.state_id("join")
        return JoinSpec(kind, inputs, equal.null_safe, condition, state_id, _folds(node, options))
    anti = node.join_type is JoinType.ANTI
    return SemiJoinSpec(anti, inputs, equal.null_safe, condition, options.state_id("semi-join"))


def _folds(node: Join, options: OperatorOptions) -> tuple[int, int]:
    """Return the bundle size of each input, in rows. Within a bundle, a change and its retraction cancel out.

    The size is 0 without mini-batches. It is also 0 for an input that sends +U without -U: the changes
    `+U a2 -D a2` would cancel out, and the row that a2 has replaced would stay.
    """
    modes = (mode_of(side) for side in node.inputs)
    bundle = options.bundle if node.mini_batch else 0
    left, right = (0 if mode.update_after and not mode.update_before else bundle for mode in modes)
    return left, right


def _ttl(node: Join, port: int, options: OperatorOptions) -> int:
    """Return the milliseconds for which a row of an input is stored, 0 for no limit."""
    written = node.hints.ttl[port]
    return parse_duration(written) if written else options.ttl


def condition_of(
    terms: Sequence[Expr], types: Sequence[SqlType], options: OperatorOptions, exchanged: bool = True
) -> CalcSpec | None:
    """Return a condition as a Calc without a projection, None if it has no terms.

    Args:
        terms: Terms of the condition, all of which must be true.
        types: Types of the columns: for a join those of the left input, then of the right one.
        options: Options of the translation.
        exchanged: Whether the rows came through an exchange, on which some comparisons of arrays depend.
    """
    whole = conjunction(terms)
    if whole is None:
        return None
    return compile_calc((), expand_search(whole, lists=True), types, None, options.time_zone, exchanged)
