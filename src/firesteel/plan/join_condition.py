"""Join conditions as Calcite's builder rewrites them for the AST.

Calcite: RelOptUtil.pushDownJoinConditions.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from firesteel.functions.expression.nodes import Call, Expr, InputRef
from firesteel.plan.expressions.operations import identity, input_refs, logical_call, renumber
from firesteel.plan.expressions.sub_query import sub_queries
from firesteel.plan.nodes.join.join_type import EQUALITIES
from firesteel.plan.nodes.join.logical import Join
from firesteel.plan.nodes.logical import Project
from firesteel.plan.tree import Node, unique_columns


def push_expressions(node: Node) -> Node:
    """Return a join whose equalities compare columns. Another node stays as it is.

    An expression over the columns of one input becomes a column of that input. A projection above the join
    drops the added columns.

        Join(l.a + 1 = r.b)   ->   Project(l.*, r.*)  Join($f2 = r.b)  Project(l.*, l.a + 1 AS $f2)
    """
    if not isinstance(node, Join):
        return node
    join = node
    work = _Pushed(len(join.inputs[0].schema), len(join.inputs[1].schema))
    condition = work.condition(join.condition)
    if not work.left and not work.right:
        return join
    if work.left and any(query.correlation for query in sub_queries(join.condition)):
        # Leave the join as it is: a correlated sub-query reads columns of the right input by position, and
        # new left columns would shift these. This function runs again after sub-queries have become joins.
        return join
    left, right = join.inputs
    if work.left:
        left = _with_columns(left, work.left)
    if work.right:
        right = _with_columns(right, work.right)
    whole = replace(join, inputs=(left, right), condition=work.placed(condition))
    kept = list(range(work.width))
    if join.join_type.has_right_columns:
        kept += range(len(left.schema), len(left.schema) + work.right_width)
    columns = identity(f.type for f in whole.schema)
    return Project(whole, tuple(columns[i] for i in kept), tuple(whole.schema[i].name for i in kept))


@dataclass
class _Pushed:
    """Expressions of a join condition that become columns of an input.

    While they are collected, references to them have the numbers -1, -2, ... `placed` replaces these numbers
    by positions.
    """

    width: int
    right_width: int
    left: list[Expr] = field(default_factory=list)
    right: list[Expr] = field(default_factory=list)
    sides: list[tuple[int, int]] = field(default_factory=list)

    def condition(self, expr: Expr) -> Expr:
        if not isinstance(expr, Call):
            return expr
        if expr.function == "AND":
            return logical_call("AND", [self.condition(term) for term in expr.args])
        if expr.function in EQUALITIES:
            return replace(expr, args=tuple(map(self._operand, expr.args)))
        return expr

    def _operand(self, expr: Expr) -> Expr:
        read = input_refs(expr)
        if not isinstance(expr, Call) or not read:
            return expr
        if max(read) < self.width:
            self.left.append(expr)
            self.sides.append((0, len(self.left) - 1))
        elif min(read) >= self.width:
            moved = renumber(expr, {i: i - self.width for i in read})
            self.right.append(moved)
            self.sides.append((1, len(self.right) - 1))
        else:
            return expr
        return InputRef(-len(self.sides), expr.type)

    def placed(self, condition: Expr) -> Expr:
        """Return a condition of `condition()` with the column numbers of the join over the widened inputs.

        Each input has its new columns at the end. So the numbers of old right columns grow by the number of
        new left columns. The numbers -1, -2, ... are replaced by the positions of the new columns.
        """
        start = self.width + len(self.left)
        position = {i: i for i in range(self.width)}
        position |= {self.width + i: start + i for i in range(self.right_width)}
        for number, (side, place) in enumerate(self.sides, start=1):
            position[-number] = (self.width if side == 0 else start + self.right_width) + place
        return renumber(condition, position)


def _with_columns(node: Node, exprs: list[Expr]) -> Node:
    """Return a projection over a node: all columns of the node, then the expressions as new columns.

    If an expression is a cast of a column, the new column gets this column's name (RelBuilder.inferAlias).
    Otherwise its name is `$f<position>`. `unique_columns` renames duplicates.
    """
    names = [f.name for f in node.schema]
    for expr in exprs:
        names.append(_alias(expr, node) or f"$f{len(names)}")
    return Project(node, (*identity(f.type for f in node.schema), *exprs), unique_columns(names))


def _alias(expr: Expr, node: Node) -> str | None:
    while isinstance(expr, Call) and expr.function == "CAST":
        expr = expr.args[0]
    return node.schema[expr.index].name if isinstance(expr, InputRef) else None
