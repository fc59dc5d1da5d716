"""Replace outer columns in a sub-query's filter by columns of the sub-query that are equal to them.

Here, `p` is the table of the sub-query, and `o` the table of the outer query:

    WHERE p.id = o.id AND p.at < o.id   ->   WHERE p.id IS NOT NULL AND p.at < p.id

The condition p.id = o.id moves out of the sub-query. It becomes a condition of the join with the outer rows.
The filter must have an equality such as `p.id = o.id` for each outer column that it reads. If an equality is
missing, pull_up.py uses another way: it joins `p` with the distinct values of the outer columns.
Flink: Calcite's RelDecorrelator, decorrelateInputWithValueGenerator.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from firesteel.functions.expression.nodes import Call, Expr, InputRef
from firesteel.plan.expressions.operations import NOT_NULL_BOOLEAN, TRUE, identity
from firesteel.plan.expressions.sub_query import CORRELATED, correlated_indices
from firesteel.plan.nodes.logical import Project
from firesteel.plan.tree import Node
from firesteel.rules.subquery.around import Around


def columns_equal_to_outer(terms: Sequence[Expr], around: Around) -> dict[int, Expr] | None:
    """Return for each outer column that the terms read an equal expression over the sub-query's own columns.

    The keys are positions of outer columns. None if the terms read no outer column, or if they read one
    that no term equates with such an expression.
    """
    read = correlated_indices(terms, around.correlation)
    found: dict[int, Expr] = {}
    for term in terms:
        if not isinstance(term, Call) or term.function != "=":
            continue
        for outer, own in (term.args, term.args[::-1]):
            if isinstance(outer, Call) and outer.function == CORRELATED and not around.reads(own):
                found.setdefault(int(outer.options[2]), own)
                break
    return {index: found[index] for index in read} if read and set(read) <= set(found) else None


def with_computed(node: Node, local: Mapping[int, Expr]) -> tuple[Node, dict[int, InputRef]]:
    """Return the rows of `node` with the expressions of `local` as columns.

    `local` has expressions over the rows. An expression that is a column already is not added again. Also
    return, for each key of `local`, the column with the value of its expression.
    """
    width = len(node.schema)
    columns = {index: own for index, own in local.items() if isinstance(own, InputRef)}
    computed = {index: own for index, own in local.items() if index not in columns}
    if not computed:
        return node, columns
    exprs = [*identity(f.type for f in node.schema), *computed.values()]
    names = [*(f.name for f in node.schema), *(f"$f{width + n}" for n in range(len(computed)))]
    columns |= {index: InputRef(width + n, own.type) for n, (index, own) in enumerate(computed.items())}
    return Project(node, tuple(exprs), tuple(names)), columns


def not_null_of_equal(term: Expr) -> Expr:
    """Return `x IS NOT NULL` for `x = x`, or TRUE if x cannot be NULL. Other terms stay."""
    if not isinstance(term, Call) or term.function != "=" or term.args[0] != term.args[1]:
        return term
    column = term.args[0]
    return Call("IS NOT NULL", (column,), NOT_NULL_BOOLEAN) if column.type.nullable else TRUE


def equal_to_outer(column: InputRef, index: int, around: Around) -> Expr:
    """Return the equality of a column with one of the outer row."""
    name = around.node.schema[index - around.start].name
    outer = Call(CORRELATED, (), around.columns[index].type, (around.correlation, name, str(index)))
    return Call("=", (column, outer), NOT_NULL_BOOLEAN)
