"""Compute AVG, SUM, STDDEV and VAR from sums and counts, if that is cheaper or required.

    Aggregate(AVG(v), SUM(v), COUNT(v))   ->   Project(SUM / COUNT, SUM, COUNT)  Aggregate(SUM(v), COUNT(v))

Calcite: AggregateReduceFunctionsRule; Flink: $WELFORD_M2$1 for the variances, which it always reduces.

The cheapest of three forms is taken: the query as written; the query with each call reduced once (AVG to SUM
and COUNT, SUM to $SUM0 and COUNT); the query reduced until nothing changes. The cost of a form is that of its
aggregate and of the Calc above, as Flink computes it (computeSelfCost of FlinkLogicalAggregate and Calc).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal

from firesteel.functions.expression.nodes import AggregateCall, Call, Expr, InputRef, Literal
from firesteel.functions.expression.recursion import from_below
from firesteel.functions.signatures.aggregate_traits import traits_of
from firesteel.plan.expressions.operations import cast_to, comparison, input_refs, walk
from firesteel.plan.metadata import unique_keys
from firesteel.plan.nodes.logical import Aggregate, Filter, Project
from firesteel.plan.nodes.window.logical import GroupWindowAggregate, WindowTableFunction
from firesteel.plan.tree import Field, Node
from firesteel.plan.windowing import Window
from firesteel.rules.normalize.prune_empty import is_empty, prune_empty
from firesteel.types import sql
from firesteel.types.decimals import division
from firesteel.types.sql import APPROXIMATE, SqlType, TypeRoot

VARIANCES = ("STDDEV_POP", "STDDEV_SAMP", "STDDEV", "VAR_POP", "VAR_SAMP", "VARIANCE")
_ROOTS = ("STDDEV_POP", "STDDEV_SAMP", "STDDEV")
_BIASED = ("STDDEV_POP", "VAR_POP")

_COUNT = sql.BIGINT.with_nullable(False)
_KEY_COST = 1.1
"""Cost of a group key, in units of the cost of a call."""


@from_below
def reduce_aggregates(node: Node, read: frozenset[int] | None = None) -> Node:
    """Return the tree with its aggregates reduced.

    Args:
        node: Root of the tree.
        read: Columns of the root that are read, if a projection above limits them. None for all. Unread calls
            will be removed later, and stay as they are.
    """
    below = None
    if isinstance(node, (Project, Filter)):
        exprs = node.exprs if isinstance(node, Project) else (node.condition,)
        asked = frozenset(i for e in exprs for i in input_refs(e))
        below = asked if isinstance(node, Project) else None if read is None else read | asked
    node = node.with_children(tuple(reduce_aggregates(child, below) for child in node.children))
    return _with_calls_reduced(node, read) if isinstance(node, (Aggregate, GroupWindowAggregate)) else node


def _with_calls_reduced(node: Aggregate | GroupWindowAggregate, read: frozenset[int] | None) -> Node:
    keys, calls = len(node.keys), len(node.calls)
    unread = [i for i in range(calls) if read is not None and keys + i not in read]
    nothing = len(unread) == calls and not keys
    if nothing:
        unread = unread[1:]  # an aggregate must have a column
    empty = isinstance(node, Aggregate) and is_empty(node.input)
    if not unread or (empty and not nothing):
        return _cheapest(node)
    made = [i for i in range(calls) if i not in unread]
    reduced = _cheapest(replace(node, calls=tuple(node.calls[i] for i in made)))
    if empty:
        return _of_nothing(node, reduced)
    if not isinstance(reduced, Project) or not isinstance(reduced.input, type(node)):
        return node
    below = reduced.input
    first = keys + len(below.calls)
    below = replace(below, calls=(*below.calls, *(node.calls[i] for i in unread)))
    results = dict(zip([*range(keys), *(keys + i for i in made)], reduced.exprs, strict=False))
    results |= {keys + i: InputRef(first + n, node.schema[keys + i].type) for n, i in enumerate(unread)}
    rest = range(keys + calls, len(node.schema))
    results |= {i: InputRef(i + len(below.calls) - calls, node.schema[i].type) for i in rest}
    return Project(below, tuple(results[i] for i in sorted(results)), tuple(f.name for f in node.schema))


def _of_nothing(node: Aggregate | GroupWindowAggregate, reduced: Node) -> Node:
    """Return the result of an aggregate without keys over an empty input, for a query that reads no column.

    It is one row. An aggregate must have a column, so the first call keeps its value. The other calls are
    NULL literals, because nobody reads them.

    Args:
        node: The aggregate.
        reduced: The aggregate with only the first call.
    """
    first, *others = node.schema
    columns: tuple[Expr, ...] = (InputRef(0, first.type),)
    columns += tuple(Literal(None, f.type.with_nullable(True)) for f in others)
    return Project(prune_empty(reduced), columns, tuple(f.name for f in node.schema))


def _cheapest(node: Aggregate | GroupWindowAggregate) -> Node:
    """Return the aggregate in its cheapest form."""
    forms = [_Form.of(node)]
    while (reduced := _reduced(forms[-1], node)) is not None:
        forms.append(reduced)
    native = [f for f in forms if not any(c.function in VARIANCES for c in f.calls)]
    if _over_windows(node.input):  # Of equal costs, `min` takes the first.
        native.reverse()
    cheapest = min(native, key=lambda f: f.cost(len(node.keys)))
    # Over an empty input, an aggregate without keys has one row. `prune_empty` makes this row a literal if it
    # knows the results of all calls over no rows. Take the first form for which it does.
    if isinstance(node, Aggregate) and is_empty(node.input):
        cheapest = next(filter(_Form.is_known_of_nothing, forms), cheapest)
    if cheapest is forms[0]:
        return node
    if isinstance(node, Aggregate):
        node = replace(node, state_ttl=node.state_ttl.below())
    aggregate = prune_empty(replace(node, calls=tuple(cheapest.calls)))
    keys = tuple(InputRef(i, f.type) for i, f in enumerate(node.schema[: len(node.keys)]))
    given, new = len(node.keys) + len(node.calls), len(node.keys) + len(cheapest.calls)
    rest = tuple(InputRef(new + i, f.type) for i, f in enumerate(node.schema[given:]))
    return Project(aggregate, (*keys, *cheapest.results, *rest), tuple(f.name for f in node.schema))


def _over_windows(node: Node) -> bool:
    """Return whether the planner prefers the reduced plan among two of equal cost.

    The planner does so if the rows come from a lower aggregate right above a window function, all calls of
    the lower aggregate are read, and none of them is a NOT NULL SUM or AVG. If a filter is between the two
    aggregates, the lower one must have a DISTINCT call or a filter below, too. The preference follows from
    the order in which the planner finds its plans, and was found by experiment.

    Args:
        node: Input of the upper aggregate, whose plans are compared.
    """
    read: set[int] = set()
    filtered = False
    while isinstance(node, (Project, Filter)):
        filtered = filtered or isinstance(node, Filter)
        if isinstance(node, Project):
            read = {i for e in node.exprs for i in input_refs(e)}
        node = node.input
    if not isinstance(node, Aggregate) or not read.issuperset(range(len(node.keys), len(node.schema))):
        return False
    if any(call.function in ("SUM", "AVG") and not call.type.nullable for call in node.calls):
        return False
    below = node.input
    settled = any(call.distinct for call in node.calls)
    while isinstance(below, (Project, Filter)):
        settled = settled or isinstance(below, Filter)
        below = below.input
    return isinstance(below, WindowTableFunction) and (settled or not filtered)


@dataclass
class _Form:
    """Form of an aggregate: its calls, and each result as an expression over keys and calls."""

    calls: list[AggregateCall] = field(default_factory=list)
    results: list[Expr] = field(default_factory=list)
    as_written: bool = False
    of_single_rows: bool = False
    copies: int = 1

    @classmethod
    def of(cls, node: Aggregate | GroupWindowAggregate) -> _Form:
        outputs = node.schema[len(node.keys) : len(node.keys) + len(node.calls)]
        refs: list[Expr] = [InputRef(len(node.keys) + i, f.type) for i, f in enumerate(outputs)]
        single = any(key <= frozenset(node.keys) for key in unique_keys(node.input))
        copies = _copies(node.window) if isinstance(node, GroupWindowAggregate) else 1
        return cls(list(node.calls), refs, as_written=True, of_single_rows=single, copies=copies)

    def cost(self, keys: int) -> float:
        """Return the CPU cost for each input row: of keys and calls, and of the projection above."""
        rows_out = 1.0 if self.of_single_rows else self.copies * (1.0 - math.exp(-0.1 * min(keys, 3)))
        computed = {e for r in self.results for e in walk(r) if isinstance(e, Call) and e.function != "CAST"}
        projection = 0 if self.as_written else len(computed)
        return keys * _KEY_COST + len(self.calls) + rows_out * projection

    def is_known_of_nothing(self) -> bool:
        """Return whether each call has a known value over no rows."""
        return all(traits_of(call.function).of_nothing is not None for call in self.calls)

    def add(self, call: AggregateCall, keys: int) -> InputRef:
        """Add a call to the form, and return a reference to the column with its result.

        If the form has an equal call already, its column is returned, and nothing is added.

        Args:
            call: The call.
            keys: Number of group keys, whose columns come before the results.
        """
        for i, known in enumerate(self.calls):
            if replace(known, name=call.name, type=call.type) == call:
                return InputRef(keys + i, known.type)
        self.calls.append(call)
        return InputRef(keys + len(self.calls) - 1, call.type)


def _copies(window: Window) -> int:
    """Return how many windows, and so output rows, Flink estimates for each key (FlinkRelMdRowCount)."""
    return 4 if window.function == "HOP" and window.copies > 1 else 2


def _reduced(form: _Form, node: Aggregate | GroupWindowAggregate) -> _Form | None:
    """Return the form with every reducible call reduced by one step, None if there is none."""
    if not any(c.function in ("AVG", "SUM", *VARIANCES) for c in form.calls):
        return None
    following = _Form(of_single_rows=form.of_single_rows, copies=form.copies)
    columns, keys = node.input.schema, len(node.keys)
    new = [_reduce(call, following, columns, node.keys) for call in form.calls]
    following.results = [_replaced(r, new, keys) for r in form.results]
    return following


@from_below
def _replaced(expr: Expr, new: Sequence[Expr], keys: int) -> Expr:
    if isinstance(expr, InputRef):
        return expr if expr.index < keys else new[expr.index - keys]
    if isinstance(expr, Call):
        return replace(expr, args=tuple(_replaced(a, new, keys) for a in expr.args))
    return expr


def _reduce(call: AggregateCall, form: _Form, columns: Sequence[Field], group: Sequence[int]) -> Expr:
    keys = len(group)
    if traits_of(call.function).between and call.filter is None and call.args[0] in group:
        key = columns[call.args[0]].type
        return cast_to(InputRef(group.index(call.args[0]), key), call.type)
    if call.function == "SUM":
        return _sum(call, form, columns, keys)
    if call.function == "AVG":
        return _average(call, form, columns, keys)
    if call.function in VARIANCES:
        return _variance(call, form, columns, keys)
    return form.add(call, keys)


def _count(call: AggregateCall, form: _Form, columns: Sequence[Field], keys: int) -> InputRef:
    nullable = columns[call.args[0]].type.nullable
    args = call.args if nullable or call.distinct else ()
    return form.add(replace(call, function="COUNT", args=args, type=_COUNT, name=""), keys)


def _sum(call: AggregateCall, form: _Form, columns: Sequence[Field], keys: int) -> Expr:
    total = form.add(replace(call, function="$SUM0", type=call.type.with_nullable(False)), keys)
    if not call.type.nullable:
        return total
    count = _count(call, form, columns, keys)
    zero = Literal(0, sql.INT.with_nullable(False))
    null = Literal(None, call.type)
    return Call("CASE", (comparison("=", count, zero), null, total), call.type)


def _average(call: AggregateCall, form: _Form, columns: Sequence[Field], keys: int) -> Expr:
    kind = sum_type(columns[call.args[0]].type).with_nullable(call.type.nullable)
    total = form.add(replace(call, function="SUM", type=kind, name=""), keys)
    count = _count(call, form, columns, keys)
    return cast_to(divide(cast_to(total, call.type.with_nullable(kind.nullable)), count), call.type)


def sum_type(kind: SqlType) -> SqlType:
    """Return the type of SUM over a type."""
    return sql.decimal(38, kind.scale or 0) if kind.root is TypeRoot.DECIMAL else kind


def divide(left: Expr, right: Expr) -> Call:
    """Return the quotient of a sum and a count, with the type of `/`."""
    nullable = left.type.nullable or right.type.nullable
    if left.type.root is TypeRoot.DECIMAL:
        kind = division(left.type, right.type)
    else:
        kind = left.type if left.type.root in APPROXIMATE else sql.BIGINT
    return Call("/", (left, right), kind.with_nullable(nullable))


def _variance(call: AggregateCall, form: _Form, columns: Sequence[Field], keys: int) -> Expr:
    squares = replace(
        call, function="$WELFORD_M2$1", type=sql.DOUBLE.with_nullable(call.type.nullable), name=""
    )
    total = form.add(squares, keys)
    count = _count(call, form, columns, keys)
    result: Expr = divide(total, count if call.function in _BIASED else _less_one(count))
    if call.function in _ROOTS:
        half = Literal(Decimal("0.5"), sql.decimal(2, 1).with_nullable(False))
        result = Call("POWER", (result, half), sql.DOUBLE.with_nullable(result.type.nullable))
    same = result.type.same_as(call.type)
    return result if same else Call("CAST", (result,), call.type)


def _less_one(count: Expr) -> Expr:
    """Return `count - 1`, or NULL if that is 0."""
    one = Literal(1, sql.INT.with_nullable(False))
    less = Call("-", (count, one), _COUNT)
    return Call("CASE", (comparison("=", count, one), Literal(None, sql.BIGINT), less), sql.BIGINT)
