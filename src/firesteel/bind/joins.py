"""Joins of FROM: the columns that USING and NATURAL compare, and the names that an ON clause may use.

Calcite: SqlValidatorImpl.validateJoin, SqlToRelConverter.convertJoin, RelOptUtil.pushDownJoinConditions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from firesteel.bind.aggregate.aggregate import boolean, refuse_aggregates
from firesteel.bind.checks import check_expression
from firesteel.bind.common_column import CommonColumn
from firesteel.bind.group_windows import misplaced_auxiliary, refuse_auxiliaries
from firesteel.bind.join_clauses import check_clauses
from firesteel.bind.names import BindContext, Relation, Scope, not_found
from firesteel.bind.scalar.comparison import Incomparable, compare
from firesteel.bind.scalar.scalar import ScalarBinder
from firesteel.bind.table_hints import join_hints
from firesteel.errors import SourceRange, ValidationError
from firesteel.functions.expression.nodes import Expr, InputRef
from firesteel.plan.expressions.operations import TRUE, comparison, conjunction
from firesteel.plan.nodes.join.join_type import JoinType
from firesteel.plan.nodes.join.logical import Join
from firesteel.plan.tree import Field, Node
from firesteel.sql import query_syntax, syntax
from firesteel.types.coerce import common_type

_TYPES = {
    "COMMA": JoinType.INNER,
    "CROSS": JoinType.INNER,
    "INNER": JoinType.INNER,
    "LEFT": JoinType.LEFT,
    "RIGHT": JoinType.RIGHT,
    "FULL": JoinType.FULL,
}


def join(
    node: query_syntax.Join, left: tuple[Node, Scope], right: tuple[Node, Scope], context: BindContext
) -> tuple[Node, Scope]:
    """Return the join of two bound inputs, and the scope above it.

    Raises:
        ValidationError: Flink refuses the condition, or both sides have a table of the same name.
    """
    check_clauses(node)
    join_type = _TYPES[node.kind]
    width = len(left[0].schema)
    scope = _joined(left[1], right[1], width, join_type)
    _refuse_repeated(scope, node.right.range)
    common = _common_columns(node, left[1], right[1], width)
    condition: Expr = TRUE
    if common:
        equal = (comparison("=", ours[0], others[0]) for _, ours, others in common)
        condition = conjunction(equal) or TRUE
    elif node.on is not None:
        condition = _condition(node, left[1], right[1], width, context)
    hints = join_hints(context.hints, _names(node.left, left[1]), _names(node.right, right[1]))
    joined = Join((left[0], right[0]), join_type, condition, hints)
    named = {name for name, _, _ in common}
    # A rule of Flink for the common column `k` of a join inside one of the two inputs: `k` without a table's
    # name is ambiguous above the new join, unless `k` is of the left input and the new join has USING, too.
    is_named = bool(node.using)
    kept = [
        *(_kept(column, 0, scope, column.is_named and is_named) for column in left[1].common),
        *(_kept(column, width, scope, False) for column in right[1].common),
    ]
    columns = [_merged(name, (*ours, *others), scope, not node.natural) for name, ours, others in common]
    return joined, replace(scope, common=(*columns, *(one for one in kept if one.name not in named)))


def _merged(name: str, columns: tuple[InputRef, ...], scope: Scope, is_named: bool) -> CommonColumn:
    first, second = scope.of_name(name)[:2]
    return CommonColumn(name, tuple(scope.at(ref.index) for ref in columns), (first, second), is_named)


def _kept(column: CommonColumn, offset: int, scope: Scope, is_named: bool) -> CommonColumn:
    """Return a common column of a join's input as a common column of the join.

    Args:
        column: The common column, with positions in the input.
        offset: Position of the input's first column in the join's rows.
        scope: Names of the join's columns.
        is_named: Whether `k`, without a table's name, can be read above the join.
    """
    columns = tuple(scope.at(ref.index + offset) for ref in column.columns)
    first, second = (scope.at(ref.index + offset) for ref in column.named)
    return CommonColumn(column.name, columns, (first, second), is_named, column.place + offset)


def _names(node: syntax.Node, scope: Scope) -> tuple[str, ...]:
    """Return the names by which hints refer to one side: the name of its table, or () for a join."""
    if isinstance(node, query_syntax.Join):
        return ()
    return tuple(relation.name[-1] for relation in scope.relations if relation.name)


def _joined(left: Scope, right: Scope, width: int, join_type: JoinType) -> Scope:
    """Return the scope of both sides. Columns of a side that the join pads with NULL become nullable.

    `width` is the number of columns of the left side.
    """
    relations = [
        *(_padded(relation, 0, join_type.pads_left) for relation in left.relations),
        *(_padded(relation, width, join_type.pads_right) for relation in right.relations),
    ]
    times = left.times | {width + i for i in right.times}
    return Scope(tuple(relations), times, outer=left.outer)


def _padded(relation: Relation, offset: int, padded: bool) -> Relation:
    columns = relation.columns
    if padded:
        columns = tuple(Field(column.name, column.type.with_nullable(True)) for column in columns)
    return replace(relation, offset=relation.offset + offset, columns=columns)


def _refuse_repeated(scope: Scope, place: SourceRange) -> None:
    names = [relation.name[-1] for relation in scope.relations if relation.name]
    for i, name in enumerate(names):
        if name in names[:i]:
            raise ValidationError(f"Duplicate relation name '{name}' in FROM clause", range=place)


def _condition(node: query_syntax.Join, left: Scope, right: Scope, width: int, context: BindContext) -> Expr:
    assert node.on is not None
    check_expression(node.on, context.catalog, "ON")
    refuse = refuse_aggregates("Aggregate expression is illegal in ON clause")
    scope = _joined(left, right, width, JoinType.INNER)
    condition = boolean(ScalarBinder(scope, context, refuse).bind(node.on), "ON", node.on.range)
    refuse_auxiliaries(condition, misplaced_auxiliary)
    return condition


def _common_columns(
    node: query_syntax.Join, left: Scope, right: Scope, width: int
) -> list[tuple[str, tuple[InputRef, ...], tuple[InputRef, ...]]]:
    """Return the columns of USING, or those that both sides of a NATURAL join have.

    Each entry is the name, the columns of that name on the left side, and those on the right side. `width` is
    the number of columns of the left side.

    Raises:
        ValidationError: A side lacks a column, the types cannot be compared, or a NATURAL join's right side
            has several columns of one name.
    """
    if node.natural:
        names = [(name, node.right.range) for name in _natural(left, right)]
    else:
        names = [(column.name, column.range) for column in node.using]
    found = []
    for name, place in names:
        ours, others = _columns(left, name, place), _columns(right, name, place)
        if node.natural and len(others) > 1:
            raise ValidationError(
                f"Column name '{name}' in NATURAL join or USING clause is not unique on one side of join",
                range=place,
            )
        if not _is_comparable(ours[0], others[0]):
            raise ValidationError(
                f"Column '{name}' matched using NATURAL keyword or USING clause has incompatible types: "
                f"cannot compare '{ours[0].type}' to '{others[0].type}'",
                range=place,
            )
        found.append((name, ours, tuple(replace(other, index=width + other.index) for other in others)))
    return found


def _is_comparable(one: InputRef, other: InputRef) -> bool:
    """Return whether `=` can compare two columns. It cannot compare a DATE with a TIMESTAMP."""
    if common_type((one.type, other.type)) is None:
        return False
    try:
        compare("=", one, other)
    except Incomparable:
        return False
    return True


def _natural(left: Scope, right: Scope) -> Sequence[str]:
    there = {column.name for column in right.columns}
    return list(dict.fromkeys(column.name for column in left.columns if column.name in there))


def _columns(scope: Scope, name: str, place: SourceRange) -> tuple[InputRef, ...]:
    """Return the columns that a name of USING or NATURAL stands for on one side of a join.

    If an earlier join on this side has USING or NATURAL with this name, these are the columns of all tables
    that it compares. If several tables have the column without such a join, it is the column of the first
    table, as in Flink.
    """
    known = next((column.columns for column in scope.common if column.name == name), None)
    if known is not None:
        return known
    tables = [r for r in scope.relations if any(column.name == name for column in r.columns)]
    if not tables:
        raise not_found(name, "any table", [column.name for column in scope.columns], place)
    scope = replace(scope, relations=tuple(tables[:1])) if len(tables) > 1 else scope
    found = scope.resolve((name,), place)
    assert isinstance(found, InputRef)
    return (found,)
