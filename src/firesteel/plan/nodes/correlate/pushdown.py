"""Column pruning and filter push-down of table functions and of Correlate (Flink: FilterCorrelateRule).

Filter(a > 1 AND x = 2)  Correlate(l, f($cor0.s))
    ->  Correlate(Filter(a > 1) l, Filter(x = 2) f($cor0.s))
"""

from __future__ import annotations

from firesteel.functions.expression.nodes import Expr
from firesteel.plan.expressions.operations import conjunction, conjuncts, input_refs, renumber
from firesteel.plan.nodes.correlate.logical import Correlate, TableFunctionScan, Uncollect
from firesteel.plan.nodes.join.join_type import JoinType
from firesteel.plan.properties.column_pruning import ProjectionPlace, keeps_all_columns, projection_place
from firesteel.plan.properties.filter_pushdown import Pushed, filter_pushdown, lets_no_filter_pass

keeps_all_columns(Correlate, TableFunctionScan, Uncollect)
projection_place.always(ProjectionPlace.BELOW_FILTERS, Correlate)
projection_place.always(ProjectionPlace.ABOVE, TableFunctionScan, Uncollect)
lets_no_filter_pass(TableFunctionScan, Uncollect)


@filter_pushdown.of(Correlate)
def _to_one_input(node: Correlate, condition: Expr | None) -> Pushed | None:
    """Return the push-down of a filter's terms into the inputs of a Correlate. None if all terms stay above.

    A term that reads only left columns moves to the left input. A term that reads only right columns moves to
    the right input of an INNER join. In a LEFT join, this term stays above the join. In the right input, it
    could remove all partners of a left row. The join would then pad this row instead of dropping it.
    A term that reads columns of both inputs also stays above.
    """
    width = node.left_width
    left: list[Expr] = []
    right: list[Expr] = []
    above: list[Expr] = []
    for term in conjuncts(condition):
        read = input_refs(term)
        if all(i < width for i in read):
            left.append(term)
        elif node.join_type is JoinType.INNER and all(i >= width for i in read):
            right.append(renumber(term, {i: i - width for i in read}))
        else:
            above.append(term)
    if not left and not right:
        return None
    conditions = (conjunction(left), conjunction(right))
    return Pushed(conditions, conjunction(above), lambda inputs: node.with_children(tuple(inputs)))
