"""The simplifier: from the root of an expression down, one rule for each function.

unknown_as says what an UNKNOWN result may be taken for: `false` under a filter, `unknown` elsewhere.
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
"""Functions of which Calcite knows that they are NULL where an argument is (plan.Strong)."""


class Simplifier:
    """Simplifies under what is known to hold: comparisons of columns with literals.

    rules: what simplifies a call, by its function; without one its arguments are simplified.
    nulls_first: `x IS NULL` comes to the head of an OR.
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
        """One that knows the same, and may learn more."""
        other = Simplifier(self.rules, nulls_first=self.nulls_first)
        other._known = {ref: list(known) for ref, known in self._known.items()}
        return other

    def learn(self, predicate: Expr) -> None:
        """Take in what holds from now on; only comparisons with literals say anything."""
        found = compared_value(predicate)
        if found is not None and found[2].value is not None:
            self._known.setdefault(found[1], []).append((found[0], found[2].value))

    def known_of(self, ref: Expr) -> Sequence[tuple[str, Value]]:
        """The comparisons of the column that hold."""
        return self._known.get(ref, ())

    def __call__(self, expr: Expr, unknown_as: str) -> Expr:
        """The simplified expression. Where nothing is known the answer stays with the call: rules ask for
        long conditions again and again."""
        if self._known or not isinstance(expr, Call):
            return _simplified(expr, self, unknown_as)
        name = _ANSWERS[self.nulls_first, unknown_as]
        answers = expr.__dict__
        if name not in answers:
            found = _as_it_was(_simplified(expr, self, unknown_as), expr)
            answers[name] = None if found is expr else found  # no object that holds itself
        return answers[name] or expr

    def arguments_of(self, call: Call) -> Call:
        """The call with simplified arguments, otherwise as it is."""
        args = tuple([self(a, "unknown") if isinstance(a, Call) else a for a in call.args])
        return call if args == call.args else call.with_args(args)


_ANSWERS = {
    (first, word): f"_simplified_{word}_{first}"
    for first in (True, False)
    for word in ("true", "false", "unknown")
}


def _as_it_was(found: Expr, call: Call) -> Expr:
    """The call itself where it was put together anew of its own arguments."""
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
"""`rule(call, simplifier, unknown_as)`."""
