"""Rewrite a projection with OVER as an OverAggregate between two projections.

    Project(SUM(v + 1) OVER w * 2)   ->   Project(w0$o0 * 2)  OverAggregate(SUM($1))  Project(k, v + 1)

Calcite: ProjectToWindowRule, CalcRelSplitter, LogicalWindow.create; Flink: StreamPhysicalOverAggregateRule,
StreamPhysicalPythonOverAggregateRule. Expressions over columns alone go into the lower projection,
expressions over a window's result stay in the upper one. If the query has neither calls over columns nor
literals, the lower projection is left out, and all columns of the input stay.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from firesteel.errors import ValidationError
from firesteel.functions.expression.nodes import AggregateCall, Call, Expr, InputRef, Literal
from firesteel.plan.expressions.operations import (
    conjuncts,
    expand_search,
    identity,
    input_refs,
    is_identity,
    only_omits,
    walk,
)
from firesteel.plan.expressions.over import (
    RANKS,
    Bound,
    Over,
    OverWindow,
    contains_over,
    is_over,
    over_of,
    without_repeats,
)
from firesteel.plan.nodes.logical import Filter, Project
from firesteel.plan.nodes.over.logical import OverAggregate
from firesteel.plan.tree import Node, unique_columns
from firesteel.rules.aggregate.pandas_aggregates import MIXED

_SEVERAL = (
    "Over Agg: Unsupported use of OVER windows. All aggregates must be computed on the same window. "
    "please re-check the over window statement."
)
_UNORDERED = (
    "Over Agg: The window rank function requires order by clause with non-constant fields. "
    "please re-check the over window statement."
)
_OF_USERS = "Non-Pandas Python UDAFs are not supported in stream mode currently."
"""Message of Flink's StreamPhysicalPythonOverAggregateRule, which checks only the first window's calls."""
_BOUNDS = frozenset({"=", "<", "<=", ">", ">="})


def numbered_below_bound(node: Node) -> Node:
    """Split a projection with a row number that the filter above bounds, such as `rn <= 3`.

    The row number is then computed by an OverAggregate, which another rule rewrites as a Top-N. Unlike in
    `over_aggregates`, the results of the windows keep the names that they have in the query.

    Raises:
        ValidationError: The filter bounds the number from below only (Flink: RankUtil).
    """
    if not isinstance(node, Filter) or not isinstance(node.input, Project):
        return node
    terms = conjuncts(expand_search(node.condition))
    found = False
    for column, expr in enumerate(node.input.exprs):
        if isinstance(expr, Call) and is_over(expr) and over_of(expr).function in RANKS:
            found |= _is_bounded(column, terms)
    return replace(node, input=_Split(node.input, named=True).result()) if found else node


def _is_bounded(column: int, terms: Sequence[Expr]) -> bool:
    """Return whether some terms compare a row number with literals, and no other term reads it.

    Raises:
        ValidationError: No term bounds the number from above.
    """
    reading = [term for term in terms if column in input_refs(term)]
    bounds = [term for term in reading if isinstance(term, Call) and _is_bound(term)]
    if bounds and not any(map(_ends, bounds)):
        raise ValidationError(
            "Rank end is not specified. Currently rank only support TopN, which means the rank end must be "
            "specified.",
            range=bounds[0].range,
        )
    return bool(bounds) and len(bounds) == len(reading)


def _is_bound(term: Call) -> bool:
    """Return whether a term compares a column with a literal."""
    kinds = [type(arg) for arg in term.args]
    return term.function in _BOUNDS and kinds in ([InputRef, Literal], [Literal, InputRef])


def _ends(term: Call) -> bool:
    """Return whether a comparison with a literal bounds the column from above."""
    first = isinstance(term.args[0], InputRef)
    return term.function in ("=", "<", "<=") if first else term.function in ("=", ">", ">=")


def over_aggregates(node: Node) -> Node:
    """Split a projection with OVER. Other nodes stay as they are.

    Raises:
        ValidationError: The projection has several different windows.
    """
    if not isinstance(node, Project) or not any(map(contains_over, node.exprs)):
        return node
    return _Split(node).result()


@dataclass
class _Split:
    """Split of a projection with OVER into the parts below and above the OverAggregate.

    Attributes:
        node: The projection.
        named: Whether the results of windows keep the query's names. If False, see `_names`.
        below: Columns of the projection below, then the calls computed there.
        overs: The OVER calls.
        constants: Literals among the operands of OVER calls.
    """

    node: Project
    named: bool = False
    below: list[Expr] = field(default_factory=list)
    overs: list[Call] = field(default_factory=list)
    constants: list[Literal] = field(default_factory=list)

    def result(self) -> Node:
        exprs = self.node.exprs
        parts = [part for e in exprs for part in _postorder(e)]
        self.overs = list(dict.fromkeys(p for p in parts if isinstance(p, Call) and is_over(p)))
        computed = self._computed(parts)
        if computed or any(isinstance(p, Literal) for e in exprs for p in walk(e)):
            self.below = [*self._columns(), *computed]
        else:
            self.below = list(identity(f.type for f in self.node.input.schema))
        aggregate = self._aggregate(self._projected())
        above = tuple(self._above(e) for e in exprs)
        if is_identity(above, len(aggregate.schema)):
            return aggregate
        return Project(aggregate, above, self._names(above))

    def _read(self) -> list[Expr]:
        """Return what the windows and the projection above read: columns, and calls over columns alone."""
        found: list[Expr] = []
        for part in (part for e in self.node.exprs for part in _readers(e)):
            if isinstance(part, Call) and is_over(part):
                found += _window_reads(over_of(part))
            else:
                found += part.args if isinstance(part, Call) else [part]
        found += [e for e in self.node.exprs if not contains_over(e)]
        return [e for e in found if not isinstance(e, Literal) and not contains_over(e)]

    def _computed(self, parts: list[Expr]) -> list[Expr]:
        """Return the calls among `parts`, in their order, that windows or the projection above read."""
        wanted = {e for e in self._read() if isinstance(e, Call)}
        return list(dict.fromkeys(p for p in parts if p in wanted))

    def _columns(self) -> list[Expr]:
        columns = {e.index: e for e in self._read() if isinstance(e, InputRef)}
        return [columns[i] for i in sorted(columns)]

    def _projected(self) -> Node:
        below = self.node.input
        if is_identity(self.below, len(below.schema)):
            return below
        names = [
            below.schema[e.index].name if isinstance(e, InputRef) else f"${i}"
            for i, e in enumerate(self.below)
        ]
        return Project(below, tuple(self.below), unique_columns(names))

    def _aggregate(self, below: Node) -> OverAggregate:
        windows = list(dict.fromkeys(self._window(over_of(call)) for call in self.overs))
        _check_users([call for call in self.overs if self._window(over_of(call)) == windows[0]])
        if len(windows) > 1:
            raise ValidationError(_SEVERAL, range=self.overs[-1].range)
        (window,) = windows
        functions = [over_of(call).function for call in self.overs]
        if not window.order and RANKS & set(functions):
            raise ValidationError(_UNORDERED, range=self.overs[0].range)
        calls = tuple(self._call(call, i) for i, call in enumerate(self.overs))
        return OverAggregate(below, window, calls, tuple(self.constants))

    def _window(self, over: Over) -> OverWindow:
        frame = over.frame
        partition = {self._column(e) for e in frame.partition if not isinstance(e, Literal)}
        order = [
            (self._column(e), d)
            for e, d in zip(frame.order, frame.directions, strict=True)
            if not isinstance(e, Literal)
        ]
        return OverWindow(
            tuple(sorted(partition)), *without_repeats(order), frame.rows,
            _plain(frame.lower), _plain(frame.upper),
        )  # fmt: skip

    def _column(self, expr: Expr) -> int:
        return self.below.index(expr)

    def _call(self, call: Call, number: int) -> AggregateCall:
        over = over_of(call)
        args = tuple(self._argument(e) for e in over.operands)
        return AggregateCall(
            over.function, args, over.type, f"w0$o{number}", over.distinct, range=call.range,
            options=over.options, user=over.user,
        )  # fmt: skip

    def _argument(self, expr: Expr) -> int:
        """Return the position of an OVER function's argument in the node's input.

        Constants stand behind the input's columns: with three columns, the first constant has position 3.
        """
        if not isinstance(expr, Literal):
            return self._column(expr)
        if expr not in self.constants:
            self.constants.append(expr)
        return len(self.below) + self.constants.index(expr)

    def _above(self, expr: Expr) -> Expr:
        """Return an expression of the projection over the columns of the OverAggregate."""
        if isinstance(expr, Call) and expr in self.overs:
            return InputRef(len(self.below) + self.overs.index(expr), expr.type)
        if isinstance(expr, Literal):
            return expr
        if not contains_over(expr):
            return InputRef(self._column(expr), expr.type, expr.range)
        assert isinstance(expr, Call)
        return replace(expr, args=tuple(self._above(arg) for arg in expr.args))

    def _names(self, above: Sequence[Expr]) -> tuple[str, ...]:
        """Return the names of the columns of the projection above. The first rule that applies decides.

        1. If an expression computes with a window's result (`SUM(v) OVER w * 2`), all names are the query's.
        2. If the projection does more than omit columns, and `named` is False, all names are the query's.
           Calcite's CalcRelSplitter then adds a projection that puts the columns into the query's order.
        3. Otherwise, a column of the input keeps its name. Any other expression has the query's name if
           `named` is True, and is `$<position>` if it is False.
        """
        if not self.named and not only_omits(above):
            return self.node.names
        if any(contains_over(e) and not is_over(e) for e in self.node.exprs):
            return self.node.names
        columns = self.node.input.schema
        return unique_columns(
            [
                columns[e.index].name if isinstance(e, InputRef) else name if self.named else f"${i}"
                for i, (e, name) in enumerate(zip(self.node.exprs, self.node.names, strict=True))
            ]
        )


def _check_users(calls: list[Call]) -> None:
    """Raise ValidationError for calls that Flink cannot compute over one OVER window.

    These are user-defined functions without pandas, and pandas functions beside built-in functions.
    """
    for call in calls:
        if call.user is not None and not call.user.function.is_pandas:
            raise ValidationError(_OF_USERS, range=call.range)
    pandas = next((call for call in calls if call.user is not None), None)
    if pandas is not None and any(call.user is None for call in calls):
        raise ValidationError(MIXED, range=pandas.range)


def _plain(bound: Bound) -> Bound:
    """Return a bound without its position in the text, so that equal bounds are equal."""
    if not isinstance(bound.offset, Literal):
        return bound
    return replace(bound, offset=replace(bound.offset, range=None))


def _readers(expr: Expr) -> list[Expr]:
    """Return the OVER calls in an expression, and the calls that have an OVER call in their arguments."""
    found: list[Expr] = []
    pending = [expr]
    while pending:
        part = pending.pop()
        if isinstance(part, Call) and contains_over(part):
            found.append(part)
            pending += [] if is_over(part) else part.args
    return found


def _window_reads(over: Over) -> list[Expr]:
    return [*over.operands, *over.frame.partition, *over.frame.order]


def _postorder(expr: Expr) -> list[Expr]:
    """Return all parts of an expression, arguments first."""
    found: list[Expr] = []
    pending: list[tuple[Expr, bool]] = [(expr, False)]
    while pending:
        part, ready = pending.pop()
        if ready or not isinstance(part, Call):
            found.append(part)
            continue
        pending.append((part, True))
        pending += [(arg, False) for arg in reversed(part.args)]
    return found
