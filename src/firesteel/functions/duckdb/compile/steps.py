"""Splitting of deep expressions into steps: DuckDB's parser and binder support only some hundred levels.

Parts of a deep expression become columns of subqueries. A part becomes a column only if the whole expression
evaluates it for every row, or if it cannot fail.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from firesteel.errors import NotSupportedError
from firesteel.functions.duckdb.compile.logic import may_fail
from firesteel.functions.expression.nodes import Call, Expr, InputRef
from firesteel.functions.expression.recursion import depth_of
from firesteel.types.sql import TypeRoot

DEPTH = 40
"""Maximum depth of one step."""
_MOST = 120
"""Maximum depth of an expression for DuckDB after the split into steps.

It is above DEPTH, since a part that may fail and is not always evaluated cannot become a column.
"""
_LAZY = frozenset({"CASE", "COALESCE", "IF", "IFNULL", "AND", "OR"})


@dataclass
class Steps:
    """Columns that are computed before the expressions that read them.

    Attributes:
        width: Number of input columns.
        columns: For each step, the position and expression of each of its columns. An expression reads the
            input and the columns of earlier steps.
    """

    width: int
    columns: list[list[tuple[int, Expr]]] = field(default_factory=list)
    _known: dict[Expr, InputRef] = field(default_factory=dict)
    _step_of: dict[int, int] = field(default_factory=dict)

    def cut(self, expr: Expr) -> Expr:
        """Return the expression with deep and repeated parts replaced by references to new columns.

        The columns are added to `columns`. The expression is unchanged if it has at most DEPTH levels and
        is no call with _LONG or more arguments.

        Raises:
            NotSupportedError: The expression remains too deep.
        """
        if depth_of(expr) <= DEPTH and not _is_long(expr):
            return expr
        always, parts = _always_computed(expr), _postorder(expr)
        repeated = _repeated(parts, always)
        done: dict[int, Expr] = {}
        for part in parts:
            changed: Expr = part
            if isinstance(part, Call):
                args = tuple(done[id(arg)] for arg in part.args)
                changed = replace(part, args=args)
                deep = changed.depth >= DEPTH and (id(part) in always or not may_fail(part))
                if deep or part in repeated:
                    changed = self._column(changed)
            done[id(part)] = changed
        found = done[id(expr)]
        if depth_of(found) > _MOST:
            raise NotSupportedError(
                "The expression is nested too deeply",
                range=getattr(expr, "range", None),
                hint="take it apart",
            )
        return found

    def _column(self, expr: Call) -> InputRef:
        if expr not in self._known:
            position = self.width + len(self._known)
            read = (part.index for part in _postorder(expr) if isinstance(part, InputRef))
            step = 1 + max((self._step_of.get(index, -1) for index in read), default=-1)
            if step == len(self.columns):
                self.columns.append([])
            self.columns[step].append((position, expr))
            self._step_of[position] = step
            self._known[expr] = InputRef(position, expr.type)
        return self._known[expr]


_LONG = 500
"""Minimum number of operands of an AND or OR for which repeated parts are computed only once."""
_OFTEN = 50


def _is_long(expr: Expr) -> bool:
    return isinstance(expr, Call) and len(expr.args) >= _LONG


def _repeated(parts: Sequence[Expr], always: set[int]) -> set[Expr]:
    """Return the calls that occur at least 50 times among `parts`, and that may be computed in advance.

    A call may be computed in advance if its id() is in `always` or if it cannot fail. Conditions (BOOLEAN
    calls) are left out. If there are fewer than 500 parts, the result is empty.
    """
    if len(parts) < _LONG:
        return set()
    calls = [part for part in parts if isinstance(part, Call) and part.type.root is not TypeRoot.BOOLEAN]
    certain = {part for part in calls if id(part) in always}
    return {
        part
        for part, count in Counter(calls).items()
        if count >= _OFTEN and (part in certain or not may_fail(part))
    }


def _postorder(expr: Expr) -> list[Expr]:
    """Return all parts of an expression, arguments before their calls."""
    found: list[Expr] = []
    pending = [expr]
    while pending:
        part = pending.pop()
        found.append(part)
        if isinstance(part, Call):
            pending += part.args
    found.reverse()
    return found


def _always_computed(expr: Expr) -> set[int]:
    """Return the id() of each part of an expression that is evaluated for every row.

    Of the arguments of a _LAZY function, such as CASE, only the first one is evaluated for every row.
    """
    found: set[int] = set()
    pending = [expr]
    while pending:
        part = pending.pop()
        found.add(id(part))
        if isinstance(part, Call):
            pending += part.args[:1] if part.function in _LAZY else part.args
    return found
