"""A projection with OVER becomes an aggregate over the window, between two projections.

Calcite: ProjectToWindowRule, CalcRelSplitter, LogicalWindow.create; Flink: StreamPhysicalOverAggregateRule,
StreamPhysicalPythonOverAggregateRule.
What is computed from columns alone goes below, what is computed from a window's result stays above. Where
there is neither such an expression nor a literal, the input keeps all of its columns.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from firesteel.errors import ValidationError
from firesteel.functions.expression.nodes import AggregateCall, Call, Expr, InputRef, Literal
from firesteel.plan.expressions.operations import (
    conjuncts,
    expand_search,
    identity,
    input_refs,
    is_identity,
    walk,
)
from firesteel.plan.expressions.over import RANKS, Bound, Over, OverWindow, contains_over, is_over, over_of
from firesteel.plan.nodes.logical import Filter, Project
from firesteel.plan.nodes.over.logical import OverAggregate
from firesteel.plan.tree import Node, unique_columns
from firesteel.rules.aggregate.pandas_aggregates import MIXED
from firesteel.rules.rank.rank_functions import check_rank_function

_SEVERAL = (
    "Over Agg: Unsupported use of OVER windows. All aggregates must be computed on the same window. "
    "please re-check the over window statement."
)
_UNORDERED = (
    "Over Agg: The window rank function requires order by clause with non-constant fields. "
    "please re-check the over window statement."
)
_OF_USERS = "Non-Pandas Python UDAFs are not supported in stream mode currently."
"""What StreamPhysicalPythonOverAggregateRule says; it looks at the first window alone."""
_BOUNDS = frozenset({"=", "<", "<=", ">", ">="})


def numbered_below_bound(node: Node) -> Node:
    """Apply to one node: a bound on the number that a window gives to rows makes it a Top-N.

    The window is taken out of the projection here: the name of its number is kept, unlike that of others.

    Raises:
        ValidationError: Flink has no such Top-N (RankUtil, StreamExecRank).
    """
    if not isinstance(node, Filter) or not isinstance(node.input, Project):
        return node
    bounds: dict[int, list[Call]] = {}
    for term in conjuncts(expand_search(node.condition)):
        columns = input_refs(term)
        if isinstance(term, Call) and len(columns) == 1 and any(isinstance(e, Literal) for e in walk(term)):
            bounds.setdefault(columns[0], []).append(term)
    found = False
    for column, terms in bounds.items():
        expr = node.input.exprs[column]
        if isinstance(expr, Call) and is_over(expr) and over_of(expr).function in RANKS:
            _check_top_n(over_of(expr), node.input.input, terms)
            found = True
    return replace(node, input=_Split(node.input, named=True).result()) if found else node


def _check_top_n(over: Over, below: Node, terms: list[Call]) -> None:
    place = terms[0].range
    if not any(map(_ends, terms)):
        raise ValidationError(
            "Rank end is not specified. Currently rank only support TopN, which means the rank end must be "
            "specified.",
            range=place,
        )
    partition = (e.index for e in over.frame.partition if isinstance(e, InputRef))
    check_rank_function(over.function, below, partition, place)


def _ends(term: Call) -> bool:
    """Whether the numbers are bounded from above; of what is no comparison it is supposed."""
    if term.function not in _BOUNDS:
        return True
    first = isinstance(term.args[0], InputRef)
    return term.function in ("=", "<", "<=") if first else term.function in ("=", ">", ">=")


def over_aggregates(node: Node) -> Node:
    """Apply to one node. Raises ValidationError, in Flink's words, for several different windows."""
    if not isinstance(node, Project) or not any(map(contains_over, node.exprs)):
        return node
    return _Split(node).result()


@dataclass
class _Split:
    """A projection with windows, and what is below and above them.

    Attributes:
        node: The projection.
        named: Whether results of windows have the names of the query.
        below: The columns of the projection below and, for those that are not the input's, their calls.
        overs: The windows.
        constants: Literals among their operands.
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
        return Project(aggregate, above, self._names())

    def _read(self) -> list[Expr]:
        """What the window and the projection above read: columns, and calls over columns alone."""
        found: list[Expr] = []
        for part in (part for e in self.node.exprs for part in _readers(e)):
            if isinstance(part, Call) and is_over(part):
                found += _window_reads(over_of(part))
            else:
                found += part.args if isinstance(part, Call) else [part]
        found += [e for e in self.node.exprs if not contains_over(e)]
        return [e for e in found if not isinstance(e, Literal) and not contains_over(e)]

    def _computed(self, parts: list[Expr]) -> list[Expr]:
        """The calls among what is read, in the order in which they are written, arguments first."""
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
            tuple(sorted(partition)), tuple(c for c, _ in order), tuple(d for _, d in order), frame.rows,
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
        """A column, or a constant, which stand after all columns."""
        if not isinstance(expr, Literal):
            return self._column(expr)
        if expr not in self.constants:
            self.constants.append(expr)
        return len(self.below) + self.constants.index(expr)

    def _above(self, expr: Expr) -> Expr:
        """The expression over what the aggregate gives."""
        if isinstance(expr, Call) and expr in self.overs:
            return InputRef(len(self.below) + self.overs.index(expr), expr.type)
        if isinstance(expr, Literal):
            return expr
        if not contains_over(expr):
            return InputRef(self._column(expr), expr.type, expr.range)
        assert isinstance(expr, Call)
        return replace(expr, args=tuple(self._above(arg) for arg in expr.args))

    def _names(self) -> tuple[str, ...]:
        """The query's, where something is computed above; else those of the columns that are handed on."""
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
    """Raises ValidationError, in Flink's words, where calls of one window cannot be together."""
    for call in calls:
        if call.user is not None and not call.user.function.is_pandas:
            raise ValidationError(_OF_USERS, range=call.range)
    pandas = next((call for call in calls if call.user is not None), None)
    if pandas is not None and any(call.user is None for call in calls):
        raise ValidationError(MIXED, range=pandas.range)


def _plain(bound: Bound) -> Bound:
    """Without the place in the text and the unit of its interval: two of one length are the same."""
    if not isinstance(bound.offset, Literal):
        return bound
    return replace(bound, offset=replace(bound.offset, range=None))


def _readers(expr: Expr) -> list[Expr]:
    """The parts that are computed from windows, and these."""
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
    """All parts, arguments first, each before what reads it."""
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
