"""Search for the expression that failed on a row, so that the job's error points to it in the SQL."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from firesteel.catalog.catalog import Catalog
from firesteel.changelog import field
from firesteel.errors import FiresteelError, JobError
from firesteel.functions.duckdb.calc_spec import CalcSpec
from firesteel.functions.duckdb.compile.calc import compile_calc
from firesteel.functions.duckdb.statement import Statement
from firesteel.functions.expression.nodes import Call, Expr
from firesteel.plan.expressions.operations import expand_search
from firesteel.plan.expressions.text import infix_text
from firesteel.plan.nodes import physical
from firesteel.plan.nodes.join.shared import JoinNode
from firesteel.plan.nodes.lookup_join.physical import LookupJoin
from firesteel.plan.nodes.temporal.physical import TemporalJoin
from firesteel.plan.tree import Field, Node
from firesteel.runtime.dataflow.failed_row import FailedCalc
from firesteel.runtime.operators.calc.calc import with_parts
from firesteel.runtime.spec.attached_window import WindowJoinSpec
from firesteel.runtime.spec.interval_join import IntervalJoinSpec
from firesteel.runtime.spec.join import JoinSpec, SemiJoinSpec
from firesteel.runtime.spec.lookup_join import LookupJoinSpec
from firesteel.runtime.spec.operators import OperatorSpec
from firesteel.runtime.spec.temporal_join import TemporalJoinSpec
from firesteel.session.graph.job_graph import Origins
from firesteel.types.sql import SqlType

_HINTS = {
    "CAST": "TRY_CAST gives NULL in place of an error",
    "/": "NULLIF(divisor, 0) gives NULL in place of an error",
    "/INT": "NULLIF(divisor, 0) gives NULL in place of an error",
    "MOD": "NULLIF(divisor, 0) gives NULL in place of an error",
    "%": "NULLIF(divisor, 0) gives NULL in place of an error",
}
_LONG = 200
"""Maximum length of an expression that an error quotes. A longer one is not quoted."""


def name_expression(error: FiresteelError, origins: Origins, zone: str, text: str | None) -> None:
    """Add to an error the position of the expression that failed, or the expression itself, and a hint.

    Args:
        error: The error. It stays as it is unless a Calc or the condition of a join has failed.
        origins: Operators of the job with their nodes.
        zone: Time zone of the session.
        text: Text of the statement, for the position. None if the expression may stand in another text, such
            as that of a view. The error then quotes the expression instead.
    """
    if not isinstance(error, JobError) or not isinstance(failed := error.calc, FailedCalc):
        return
    error.calc = None
    found = (_expressions(spec, node, failed.spec) for spec, node in origins)
    tops, columns = next((each for each in found if each[0]), ((), ()))
    cause = _Row(failed.row, [column.type for column in columns], zone).cause(tops)
    if cause is None:
        return
    if error.hint is None:
        error.hint = _HINTS.get(cause.function)
    if text is not None and cause.range is not None:
        error.range, error.sql = cause.range, text
        return
    quoted = infix_text(cause, [column.name for column in columns])
    if len(quoted) <= _LONG:
        error.message = f"{error.message}, in {quoted}"


def _expressions(spec: OperatorSpec, node: Node, failed: CalcSpec) -> tuple[Sequence[Expr], Sequence[Field]]:
    """Return the expressions that a failed Calc computes, if the Calc belongs to a given operator.

    Args:
        spec: The operator, as tasks run it.
        node: The node of the physical plan from which the operator was made.
        failed: The Calc that failed: a Calc operator, or the condition of a join.

    Returns:
        The expressions, and the columns that they read. Both are empty if `failed` is neither this operator
        nor the condition of this join.
    """
    match spec, node:
        case CalcSpec(), physical.Calc() if spec == failed:
            return [*([] if node.condition is None else [node.condition]), *node.exprs], node.input.schema
        case LookupJoinSpec(), LookupJoin() if failed in (spec.before, spec.condition):
            alone = node.remaining_of_input
            if failed == spec.before:  # `before` reads columns of the input only
                return alone, node.input.schema
            rest = [term for term in node.remaining if term not in alone]
            return rest, (*node.input.schema, *node.table.schema)
        case (
            JoinSpec() | SemiJoinSpec() | IntervalJoinSpec() | TemporalJoinSpec() | WindowJoinSpec(),
            JoinNode(),
        ) if spec.condition == failed:
            terms = node.rest if isinstance(node, TemporalJoin) else node.equal_columns.rest
            return terms, [column for side in node.inputs for column in side.schema]
        case _:
            return (), ()


def own_text(catalog: Catalog, text: str) -> str | None:
    """Return the text of a statement; None if an expression of its plan may come from another text.

    Expressions of views and of computed columns stand in other statements.
    """
    is_computed = any(each.computed is not None for table in catalog.tables() for each in table.columns)
    return None if is_computed or catalog.has_views() else text


class _Row:
    """The row that failed, on which expressions are computed again.

    Args:
        row: Table of the row.
        types: Types of its columns.
        zone: Time zone of the session.
    """

    def __init__(self, row: pa.Table, types: Sequence[SqlType], zone: str) -> None:
        self._row, self._types, self._zone = row, types, zone

    def cause(self, tops: Sequence[Expr]) -> Call | None:
        """Return the innermost call that fails, of the first expression that fails. None if none fails."""
        cause = next((each for each in tops if isinstance(each, Call) and self._message(each)), None)
        while cause is not None:
            message, args = self._message(cause), self._computed(cause)
            inner = next(
                (arg for arg in args if isinstance(arg, Call) and self._message(arg) == message), None
            )
            if inner is None:
                return cause
            cause = inner
        return None

    def _computed(self, call: Call) -> Sequence[Expr]:
        """Return the arguments that a call evaluates: all, but in a CASE none after the first true condition.

        A CASE also stops at a condition that fails.
        """
        if call.function != "CASE":
            return call.args
        found: list[Expr] = []
        for condition, result in zip(call.args[:-1:2], call.args[1::2], strict=True):
            found.append(condition)
            if self._message(condition) is not None:
                return found
            if self._value(condition):
                return [*found, result]
        return [*found, call.args[-1]]

    def _message(self, expr: Expr) -> str | None:
        """Return the message with which an expression fails on the row, None if it does not fail."""
        try:
            self._value(expr)
        except FiresteelError as error:  # The expression fails on the row, or cannot be compiled alone.
            return error.message
        return None

    def _value(self, expr: Expr) -> object:
        spec = compile_calc([expand_search(expr, lists=True)], None, self._types, None, self._zone)
        found = Statement(spec).process(with_parts(spec, self._row))
        return found.column(field(0))[0].as_py()
