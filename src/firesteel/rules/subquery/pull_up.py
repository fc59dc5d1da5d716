"""Pull the conditions of a sub-query on its outer query up to its top, where they become join conditions.

    SELECT MAX(p.amount) FROM pays AS p WHERE p.id = o.id AND p.ok
        ->  terms  id = o.id   over   SELECT p.id, MAX(p.amount) FROM pays AS p WHERE p.ok GROUP BY p.id

An aggregate groups by the columns that are equal to those of the outer query. If a column is compared in
another way (`p.at < o.at`), the rows are first joined with the distinct values of the outer columns.

Flink: SubQueryDecorrelator; Calcite: RelDecorrelator.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from firesteel.errors import NotSupportedError
from firesteel.functions.expression.nodes import AggregateCall, Call, Expr, InputRef
from firesteel.plan.expressions.operations import (
    NOT_NULL_BOOLEAN,
    TRUE,
    conjunction,
    conjuncts,
    identity,
    input_refs,
    renumber,
)
from firesteel.plan.expressions.sub_query import CORRELATED, correlated_indices, with_columns
from firesteel.plan.node_expressions import part_expressions
from firesteel.plan.nodes.join.join_type import EQUALITIES, JoinType
from firesteel.plan.nodes.join.logical import Join
from firesteel.plan.nodes.logical import Aggregate, Filter, Project
from firesteel.plan.simplify.logic import never_true
from firesteel.plan.tree import Node, unique_columns, walk
from firesteel.rules.subquery.around import Around
from firesteel.rules.subquery.local_columns import (
    columns_equal_to_outer,
    equal_to_outer,
    not_null_of_equal,
    with_computed,
)


@dataclass(frozen=True)
class Pulled:
    """Plan that no longer reads the outer query, and the conditions taken out of it.

    Attributes:
        node: The plan.
        positions: Position in `node` of each column of the original plan.
        terms: Conditions over the columns of `node` and `$COR` columns.
    """

    node: Node
    positions: tuple[int, ...]
    terms: tuple[Expr, ...] = ()


def pull_up(node: Node, around: Around) -> Pulled:
    """Return a plan without its references to the outer query, and the conditions that held them.

    Raises:
        NotSupportedError: A reference is in a place from which it cannot be pulled up.
    """
    if not any(around.reads(expr) for below in walk(node) for expr in part_expressions(below)):
        return _as_it_is(node)
    rule = _RULES.get(type(node))
    if rule is None:
        raise _refused(f"below {type(node).__name__}", around)
    return rule(node, around)


def _as_it_is(node: Node) -> Pulled:
    return Pulled(node, tuple(range(len(node.schema))))


def _refused(where: str, around: Around) -> NotSupportedError:
    return NotSupportedError(
        f"a sub-query that reads columns of the query around it {where} is not supported yet",
        range=around.place,
        hint="read them in a WHERE clause of the sub-query",
    )


def _filter(node: Filter, around: Around) -> Pulled:
    below = pull_up(node.input, around)
    position = dict(enumerate(below.positions))
    moved = [renumber(term, position) for term in conjuncts(node.condition)]
    own = [term for term in moved if not around.reads(term)]
    terms = [term for term in moved if around.reads(term)]
    if not around.not_null or not terms:
        filtered = replace(below, node=_filtered(below.node, own, node.having))
        return replace(filtered, terms=(*below.terms, *terms))
    local = columns_equal_to_outer(terms, around)
    if local is None:
        kept = replace(below, node=_filtered(below.node, own, node.having), terms=tuple(terms))
        joined = joined_with_values(kept, around)
        return replace(joined, terms=(*below.terms, *joined.terms))
    rows, columns = with_computed(below.node, local)
    compared = [with_columns(term, around.correlation, columns.__getitem__) for term in terms]
    filtered = replace(below, node=_filtered(rows, [*map(not_null_of_equal, compared), *own], node.having))
    equal = [equal_to_outer(column, index, around) for index, column in sorted(columns.items())]
    return replace(filtered, terms=(*below.terms, *equal))


def _filtered(node: Node, terms: Sequence[Expr], having: bool) -> Node:
    condition = conjunction([term for term in terms if term != TRUE])
    return node if condition is None else Filter(node, condition, having)


def _equal_column(term: Expr, around: Around) -> InputRef | None:
    """Return the column that a term equates with an expression of outer columns only, else None."""
    if not isinstance(term, Call) or term.function not in EQUALITIES:
        return None
    for one, other in (term.args, term.args[::-1]):
        if isinstance(one, InputRef) and around.reads(other) and not input_refs(other):
            return one
    return None


def _project(node: Project, around: Around) -> Pulled:
    below = pull_up(node.input, around)
    position = dict(enumerate(below.positions))
    exprs = [renumber(expr, position) for expr in node.exprs]
    computes = any(map(around.reads, node.exprs))
    if computes:
        below, exprs = _computed_from_values(below, exprs, around)
    names = list(node.names)
    columns = below.node.schema
    moved: dict[int, int] = {}
    for index in dict.fromkeys(i for term in below.terms for i in input_refs(term)):
        ref = InputRef(index, columns[index].type)
        if computes or ref not in exprs:
            exprs.append(ref)
            names.append(columns[index].name)
        moved[index] = len(exprs) - 1 if computes else exprs.index(ref)
    pulled = Project(below.node, tuple(exprs), unique_columns(names))
    terms = tuple(renumber(term, moved) for term in below.terms)
    return Pulled(pulled, tuple(range(len(node.exprs))), terms)


def _computed_from_values(below: Pulled, exprs: list[Expr], around: Around) -> tuple[Pulled, list[Expr]]:
    """Return rows joined with the distinct values of outer columns, and expressions that read the join.

        SELECT r.v + o.x FROM r   ->   SELECT r.v + d.x FROM r, (SELECT DISTINCT x FROM o) AS d

    A new term equates each joined column with the outer column (`d.x = o.x`). NULL equals NULL in it.
    Flink's term is a plain `=`, and Flink drops other terms that compare the same outer column (`r.k = o.x`).
    So in Flink, an outer row gets rows that belong to other outer rows (compatibility.md).
    """
    joined, place = _with_values(below.node, around, correlated_indices(exprs, around.correlation))
    equal = [_same(column, index, around, ()) for index, column in place.items()]
    terms = sorted([*below.terms, *equal], key=lambda term: correlated_indices([term], around.correlation))
    moved = [with_columns(expr, around.correlation, lambda i: place[i]) for expr in exprs]
    return replace(below, node=Join(joined, JoinType.INNER, TRUE), terms=tuple(terms)), moved


def _with_values(
    node: Node, around: Around, read: Sequence[int]
) -> tuple[tuple[Node, Node], dict[int, InputRef]]:
    """Return the inputs for a join of some rows with the distinct values of outer columns.

    Args:
        node: The rows.
        around: The outer query.
        read: Positions of the outer columns.

    Returns:
        The inputs: the rows and the distinct values. Then, for each position in `read`, the column that the
        outer column has in a join of these inputs.
    """
    outer = around.columns
    columns = [outer[i] for i in read]
    names = [around.node.schema[column.index].name for column in columns]
    picked = Project(around.node, tuple(columns), tuple(names))
    values = Aggregate(picked, tuple(range(len(read))), ())
    width = len(node.schema)
    return (node, values), {index: InputRef(width + n, outer[index].type) for n, index in enumerate(read)}


def _aggregate(node: Aggregate, around: Around) -> Pulled:
    if node.groups:
        raise _refused("below GROUPING SETS", around)
    below = pull_up(node.input, around)
    if any(_equal_column(term, around) is None for term in below.terms):
        below = joined_with_values(below, around)
    equal = [column for term in below.terms if (column := _equal_column(term, around)) is not None]
    keys = [below.positions[key] for key in node.keys]
    keys += [i for i in dict.fromkeys(column.index for column in equal) if i not in keys]
    position = dict(enumerate(below.positions))
    calls = tuple(
        _renamed_call(_moved_call(call, position), len(node.keys) + n, len(keys) + n)
        for n, call in enumerate(node.calls)
    )
    grouped = grouped_by(below.node, keys, calls)
    moved = {key: place for place, key in enumerate(keys)}
    positions = (*range(len(node.keys)), *range(len(keys), len(keys) + len(calls)))
    return Pulled(grouped, positions, tuple(renumber(term, moved) for term in below.terms))


def grouped_by(node: Node, keys: list[int], calls: tuple[AggregateCall, ...]) -> Aggregate:
    """Return an aggregate over a projection to the columns that it reads."""
    read = list(dict.fromkeys([*keys, *(i for call in calls for i in reads(call))]))
    if not read or (len(read) == len(node.schema) and not isinstance(node, Project)):
        return Aggregate(node, tuple(keys), calls)
    columns = identity(f.type for f in node.schema)
    picked = Project(node, tuple(columns[i] for i in read), tuple(node.schema[i].name for i in read))
    position = {old: new for new, old in enumerate(read)}
    return Aggregate(picked, tuple(range(len(keys))), tuple(_moved_call(call, position) for call in calls))


def reads(call: AggregateCall) -> tuple[int, ...]:
    """Return the columns that an aggregate call reads."""
    return call.args if call.filter is None else (*call.args, call.filter)


def _moved_call(call: AggregateCall, position: Mapping[int, int]) -> AggregateCall:
    condition = None if call.filter is None else position[call.filter]
    return replace(call, args=tuple(position[i] for i in call.args), filter=condition)


def _renamed_call(call: AggregateCall, position: int, moved: int) -> AggregateCall:
    """Return an aggregate call whose result moves from column `position` of the aggregate to `moved`.

    A name that was generated from the position (`$f<position>`) becomes `$f<moved>`. Any other name stays.
    """
    return replace(call, name=f"$f{moved}") if call.name == f"$f{position}" else call


def joined_with_values(below: Pulled, around: Around) -> Pulled:
    """Return the rows of a plan joined with the distinct values of the outer columns that its terms read.

        rows p with the term p.at < o.at
            ->  Join(p, SELECT DISTINCT at FROM o AS d, ON p.at < d.at) with the term d.at = o.at

    The terms of `below` become the condition of the join. The result has new terms instead: each equates
    a column of the joined values with the column of the outer row.
    """
    read = correlated_indices(below.terms, around.correlation)
    inputs, place = _with_values(below.node, around, read)
    terms = [with_columns(term, around.correlation, lambda i: place[i]) for term in below.terms]
    joined = Join(inputs, JoinType.INNER, conjunction(terms) or TRUE)
    same = [_same(place[i], i, around, terms) for i in read]
    return replace(below, node=joined, terms=tuple(same))


def _same(column: InputRef, index: int, around: Around, terms: Sequence[Expr]) -> Expr:
    """Return the equality of a column of the joined values with column `index` of the outer row.

    It is an IS NOT DISTINCT FROM, in which NULL equals NULL. It is a plain `=` if the column cannot be NULL,
    or if one of the terms is never TRUE for rows in which the column is NULL.
    """
    name = around.node.schema[index - around.start].name
    outer = Call(CORRELATED, (), column.type, (around.correlation, name, str(index)))
    alone = frozenset([column.index])
    nulls = column.type.nullable and not any(never_true(term, alone) for term in terms)
    return Call("IS NOT DISTINCT FROM" if nulls else "=", (column, outer), NOT_NULL_BOOLEAN)


def _join(node: Join, around: Around) -> Pulled:
    left, right = (pull_up(side, around) for side in node.inputs)
    if node.join_type is JoinType.SEMI and right.terms:
        return _semi_join(node, left, right, around)
    width, moved_width = node.left_width, len(left.node.schema)
    position = dict(enumerate(left.positions))
    shift = {i: moved_width + i for i in range(len(right.node.schema))}
    position |= {width + i: shift[place] for i, place in enumerate(right.positions)}
    terms = [*left.terms, *(renumber(term, shift) for term in right.terms)]
    kept: list[Expr] = []
    for term in conjuncts(node.condition):
        (terms if around.reads(term) else kept).append(renumber(term, position))
    if node.join_type is not JoinType.INNER and (right.terms or any(map(around.reads, [node.condition]))):
        article = "an" if node.join_type is JoinType.ANTI else "a"
        raise _refused(f"below the right side of {article} {node.join_type.name} JOIN", around)
    if node.join_type.pads_left and left.terms:
        raise _refused(f"below a {node.join_type.name} JOIN", around)
    joined = Join((left.node, right.node), node.join_type, conjunction(kept) or TRUE)
    return Pulled(joined, tuple(position[i] for i in range(len(node.schema))), tuple(terms))


def _semi_join(node: Join, left: Pulled, right: Pulled, around: Around) -> Pulled:
    """Return an inner join with distinct rows for a semi join whose right input reads the outer query.

        EXISTS (SELECT .. FROM s WHERE s.id = r.id AND s.v > o.v)   below a query over r
            ->  Join(INNER, id = id)  r  SELECT DISTINCT s.id, o.v FROM s JOIN o ON s.v > o.v

    The right input is reduced to its distinct values of the columns that the conditions read. So for each row
    of the outer query, a left row has at most one partner.
    """
    if any(_equal_column(term, around) is None for term in right.terms):
        right = joined_with_values(right, around)
    position = dict(enumerate(left.positions))
    width = len(left.node.schema)
    shift = {node.left_width + i: width + place for i, place in enumerate(right.positions)}
    terms = [renumber(term, position | shift) for term in conjuncts(node.condition)]
    if around.reads(node.condition) or not all(_is_lookup(term, width) for term in terms):
        raise _refused("below the right side of a SEMI JOIN", around)
    read = [i - width for term in terms for i in input_refs(term) if i >= width]
    keys = list(dict.fromkeys([*read, *(i for term in right.terms for i in input_refs(term))]))
    moved = {width + key: width + place for place, key in enumerate(keys)}
    condition = conjunction([renumber(term, {i: i for i in range(width)} | moved) for term in terms])
    joined = Join((left.node, grouped_by(right.node, keys, ())), JoinType.INNER, condition or TRUE)
    outer = [renumber(term, {key: moved[width + key] for key in keys}) for term in right.terms]
    return Pulled(joined, left.positions, (*left.terms, *outer))


def _is_lookup(term: Expr, width: int) -> bool:
    """Return whether a term equates a column of the right input with an expression that reads only the left.

    The columns of the right input have the positions from `width` on.
    """
    if not isinstance(term, Call) or term.function not in EQUALITIES:
        return False
    return any(
        isinstance(one, InputRef) and one.index >= width and max(input_refs(other), default=0) < width
        for one, other in (term.args, term.args[::-1])
    )


_RULES: dict[type[Node], Callable[..., Pulled]] = {
    Aggregate: _aggregate,
    Filter: _filter,
    Join: _join,
    Project: _project,
}
"""Function that pulls conditions up through each class of nodes."""


def as_join_terms(pulled: Pulled, around: Around, moved: Sequence[Expr] = ()) -> list[Expr]:
    """Return the conditions for a join of the outer query (left input) with a pulled-up plan (right input).

    Args:
        pulled: The plan.
        around: The outer query.
        moved: More conditions over the columns of the plan.

    Returns:
        The plan's terms, then those in `moved`. In them, the outer columns have the first positions, and the
        columns of the plan follow, as in the rows of the join.
    """
    width = len(around.node.schema)
    columns = around.columns
    shift = {i: width + i for i in range(len(pulled.node.schema))}
    terms = [renumber(term, shift) for term in (*pulled.terms, *moved)]
    return [with_columns(term, around.correlation, lambda i: columns[i]) for term in terms]
