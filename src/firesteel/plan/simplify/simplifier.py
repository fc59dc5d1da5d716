"""Simplifier of expressions: from the root down, with one rule for each function.

`unknown_as` is the value that may replace an UNKNOWN result: `false` in a filter, `true` under a NOT in it,
and `unknown` elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from operator import is_

from firesteel.functions.expression.nodes import Call, Expr, InputRef, Literal, Value
from firesteel.functions.expression.recursion import from_below
from firesteel.plan.expressions.operations import FALSE, TRUE
from firesteel.plan.simplify.sarg import COMPARISONS, compared_value
from firesteel.types.sql import TypeRoot

STRICT = frozenset(
    [
        *(*COMPARISONS, "+", "-", "*", "/", "/INT", "NOT", "LIKE", "Reinterpret"),
        *("TRIM", "CEIL", "FLOOR", "EXTRACT"),
    ]
)
"""Functions that Calcite knows to be NULL if an argument is NULL (plan.Strong)."""


class Simplifier:
    """Simplifier of expressions under known predicates: comparisons of columns with literals.

    Attributes:
        rules: Rule for each function. Calls of other functions get simplified arguments.
        nulls_first: Whether `x IS NULL` moves to the front of an OR.
    """

    def __init__(
        self, rules: Mapping[str, Rule], predicates: Sequence[Expr] = (), nulls_first: bool = True
    ) -> None:
        self.rules = rules
        self.nulls_first = nulls_first
        self._known: dict[Expr, list[tuple[str, Value]]] = {}
        for predicate in predicates:
            self.learn(predicate)

    def copy(self) -> Simplifier:
        """Return a copy that can learn more predicates without changing this simplifier."""
        other = Simplifier(self.rules, nulls_first=self.nulls_first)
        other._known = {ref: list(known) for ref, known in self._known.items()}
        return other

    def learn(self, predicate: Expr) -> None:
        """Add a predicate that holds from now on. Anything but a comparison with a literal is ignored."""
        found = compared_value(predicate)
        if found is not None and found[2].value is not None:
            self._known.setdefault(found[1], []).append((found[0], found[2].value))

    def known_of(self, ref: Expr) -> Sequence[tuple[str, Value]]:
        """Return the known comparisons of a column, as pairs of operator and value."""
        return self._known.get(ref, ())

    def __call__(self, expr: Expr, unknown_as: str) -> Expr:
        """Return the simplified expression.

        Without known predicates the result is cached in the call, because rules simplify long conditions
        repeatedly.
        """
        if self._known or not isinstance(expr, Call):
            return _simplified(expr, self, unknown_as)
        name = _ANSWERS[self.nulls_first, unknown_as]
        answers = expr.__dict__
        if name not in answers:
            found = _as_it_was(_simplified(expr, self, unknown_as), expr)
            answers[name] = None if found is expr else found  # avoid a reference cycle
        return answers[name] or expr

    def arguments_of(self, call: Call) -> Call:
        """Return the call with simplified arguments, or the call itself if none changes."""
        args = tuple([self(a, "unknown") if isinstance(a, Call) else a for a in call.args])
        return call if args == call.args else call.with_args(args)


_ANSWERS = {
    (first, word): f"_simplified_{word}_{first}"
    for first in (True, False)
    for word in ("true", "false", "unknown")
}


def _as_it_was(found: Expr, call: Call) -> Expr:
    """Return `call` if the simplified `found` only copies it, else `found`.

    A copy has the function, type and options of `call`, and the very same argument objects.
    """
    if isinstance(found, Call) and (found.function, found.type) == (call.function, call.type):
        same = found.options == call.options and len(found.args) == len(call.args)
        return call if same and all(map(is_, found.args, call.args)) else found
    return found


@from_below
def _simplified(expr: Expr, simplifier: Simplifier, unknown_as: str) -> Expr:
    if isinstance(expr, InputRef):
        return expr
    if isinstance(expr, Literal):
        if expr.value is None and expr.type.root is TypeRoot.BOOLEAN and unknown_as != "unknown":
            return TRUE if unknown_as == "true" else FALSE
        return expr
    if expr.function in STRICT and any(isinstance(a, Literal) and a.value is None for a in expr.args):
        return simplifier(Literal(None, expr.type.with_nullable(True)), unknown_as)
    rule = simplifier.rules.get(expr.function)
    if rule is not None:
        return rule(expr, simplifier, unknown_as)
    return simplifier.arguments_of(expr)


Rule = Callable[[Call, Simplifier, str], Expr]
"""Rule of one function, called as `rule(call, simplifier, unknown_as)`."""
