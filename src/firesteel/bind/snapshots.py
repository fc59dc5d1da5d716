"""Tables FOR SYSTEM_TIME AS OF a point in time, as the right side of a join.

Calcite: SqlValidatorImpl.validateSnapshot, SqlToRelConverter.convertTemporalTable, createJoin.

    l JOIN r FOR SYSTEM_TIME AS OF l.ts ON l.k = r.k
        ->  Correlate(l, Filter($cor0.k = $0)  Snapshot($cor0.ts)  r)
"""

from __future__ import annotations

from dataclasses import replace

from firesteel.bind.aggregate.aggregate import refuse_aggregates
from firesteel.bind.build import is_always_true
from firesteel.bind.checks import check_expression
from firesteel.bind.joins import join
from firesteel.bind.lateral import LeftRow
from firesteel.bind.lookup_hints import lookup_hints
from firesteel.bind.names import BindContext, Relation, Scope
from firesteel.bind.scalar.scalar import ScalarBinder
from firesteel.errors import ValidationError
from firesteel.functions.expression.nodes import Call, Expr, InputRef
from firesteel.functions.signatures.type_names import calcite_name
from firesteel.plan.expressions.operations import input_refs, rewrite
from firesteel.plan.expressions.sub_query import correlated_column
from firesteel.plan.metadata import event_times, processing_times
from firesteel.plan.nodes.correlate.logical import Correlate
from firesteel.plan.nodes.join.join_type import JoinType
from firesteel.plan.nodes.join.logical import Join
from firesteel.plan.nodes.logical import Filter
from firesteel.plan.nodes.temporal.logical import Snapshot
from firesteel.plan.tree import Node, unique_columns
from firesteel.sql import query_syntax, syntax
from firesteel.sql.query_syntax import Aliased, SystemTime
from firesteel.types.sql import TIMESTAMPS


def snapshot_of(node: syntax.Node) -> SystemTime | None:
    """Return the FOR SYSTEM_TIME AS OF of an entry of FROM, None if it has none."""
    inner = node.value if isinstance(node, Aliased) else node
    return inner if isinstance(inner, SystemTime) else None


def snapshot_join(
    node: query_syntax.Join,
    left: tuple[Node, Scope],
    right: tuple[Node, Relation],
    context: BindContext,
) -> tuple[Node, Scope]:
    """Return the plan and the scope of a join with a table FOR SYSTEM_TIME AS OF a time of the left input.

    The scope has the names of both inputs, for the other clauses of the query.

    Args:
        node: The join as written. Its right side has FOR SYSTEM_TIME AS OF.
        left: The plan and the names on the left.
        right: The table on the right, and the names of its columns.
        context: Catalog and settings.

    Raises:
        ValidationError: Flink refuses the point in time, the type of the join, or its condition.
    """
    written = snapshot_of(node.right)
    assert written is not None
    row = LeftRow(left[1], context.correlations)
    period = _period(written.moment, row, right[1], context)
    hints = lookup_hints(context.hints)
    named = right[1].name[-1] if right[1].name else ""
    hint = next((each for each in reversed(hints) if each.table == named), None)
    source = Snapshot(right[0], period, node.right.range, hints=hints, hint=hint)
    times = event_times(source) | processing_times(source)
    joined, scope = join(node, left, (source, Scope((right[1],), times)), context)
    assert isinstance(joined, Join)
    if joined.join_type not in (JoinType.INNER, JoinType.LEFT):
        raise ValidationError(
            f"Unknown join type {joined.join_type.name}",
            range=node.right.range,
            hint="FOR SYSTEM_TIME AS OF takes JOIN and LEFT JOIN",
        )
    return _correlated(joined, row), scope


def alone(node: syntax.Node, context: BindContext) -> ValidationError:
    """Return the error for a FOR SYSTEM_TIME AS OF that is not on the right side of a join."""
    written = snapshot_of(node)
    assert written is not None
    if not _reads_columns(written.moment):
        return _history(written.moment, context)
    return ValidationError(
        "FOR SYSTEM_TIME AS OF takes a column of a table to its left, and there is no table",
        range=written.range,
        hint="write it as the right side of a join: FROM l JOIN r FOR SYSTEM_TIME AS OF l.ts ON ...",
    )


def _period(moment: syntax.Node, row: LeftRow, right: Relation, context: BindContext) -> Expr:
    """Return the point in time as an expression over the left row."""
    if not _reads_columns(moment):
        raise _history(moment, context)
    try:
        period = _bound(moment, row.scope, context)
    except ValidationError as error:
        if _names(moment, Scope((right,))):
            raise ValidationError(
                "Temporal Table Join requires time attribute in the left table, but no time attribute found.",
                range=moment.range,
                hint="name the time attribute of the table on the left, as in FOR SYSTEM_TIME AS OF l.ts",
            ) from None
        raise error
    return row.outer(period)


def _bound(moment: syntax.Node, scope: Scope, context: BindContext) -> Expr:
    check_expression(moment, context.catalog, "FROM")
    refuse = refuse_aggregates("Aggregate expression is illegal in FROM clause")
    period = ScalarBinder(scope, context, refuse).bind_typed(moment)
    if period.type.root not in TIMESTAMPS:
        raise ValidationError(
            "The system time period specification expects Timestamp type but is "
            f"'{calcite_name(period.type).split('(')[0]}'",
            range=moment.range,
            hint="name the time attribute of the table on the left, as in FOR SYSTEM_TIME AS OF l.ts",
        )
    return period


def _reads_columns(moment: syntax.Node) -> bool:
    return any(isinstance(part, syntax.Column) for part in syntax.walk(moment))


def _names(moment: syntax.Node, scope: Scope) -> bool:
    """Return whether the point in time is a column of a scope."""
    try:
        return isinstance(moment, syntax.Column) and scope.resolve(moment.path, None) is not None
    except ValidationError:
        return False


def _history(moment: syntax.Node, context: BindContext) -> ValidationError:
    """Return the error for a point in time that reads no column: a constant or PROCTIME().

    A constant would require the table as it was at this time. No catalog keeps old versions of a table.
    """
    period = _bound(moment, Scope(), context)
    if isinstance(period, Call) and period.function == "PROCTIME":
        return ValidationError(
            "Unsupported time travel expression: PROCTIME() for the expression can not be reduced to a "
            "constant by Flink.",
            range=moment.range,
            hint="name the time attribute of the table on the left, as in FOR SYSTEM_TIME AS OF l.ts",
        )
    return ValidationError(
        "FOR SYSTEM_TIME AS OF a constant reads a table as it was, and no catalog keeps that",
        range=moment.range,
        hint="name the time attribute of the table on the left, as in FOR SYSTEM_TIME AS OF l.ts",
    )


def _correlated(joined: Join, row: LeftRow) -> Node:
    """Return the Correlate that replaces a join, with the join's condition as a filter of the right input."""
    left, right = joined.inputs
    width = len(left.schema)
    names = unique_columns([field.name for field in left.schema])
    read = set(row.read)

    def over_right(part: Expr) -> Expr:
        if not isinstance(part, InputRef):
            return part
        if part.index >= width:
            return replace(part, index=part.index - width)
        return correlated_column(row.name, names[part.index], part)

    if not is_always_true(joined.condition):
        read |= {i for i in input_refs(joined.condition) if i < width}
        right = Filter(right, rewrite(joined.condition, over_right))
    return Correlate((left, right), joined.join_type, row.name, tuple(sorted(read)))
