"""A fact about plan nodes: a question with one answer for each class of nodes.

No answer is inherited, neither from a base class nor from an input: a node class that has said nothing is an
error, as a silent default would plan its queries wrongly.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar

from firesteel.errors import InternalError
from firesteel.functions.expression.recursion import from_below
from firesteel.plan import tree
from firesteel.plan.tree import Node

T = TypeVar("T")
Answer = TypeVar("Answer", bound=Callable[..., Any])
Reasons = dict[type[Any], str]

UNASKED: Reasons = {
    tree.PhaseNode: "it is made when all is known, with its changelog mode",
}
"""Of these classes and their subclasses hardly any fact can be asked, and why."""
OF_PHYSICAL: Reasons = {**UNASKED, tree.LogicalNode: "it is asked of physical nodes alone"}
OF_LOGICAL: Reasons = {**UNASKED, tree.PhysicalNode: "it is asked of logical nodes alone"}


class Fact(Generic[T]):
    """Asked as a function: `fact(node)`, or `fact(node, more)` where the question has a second part.

    An answer stays with its node. Raises InternalError, naming the class and the fact, for a node class
    that has not answered, or that cannot be asked.
    """

    def __init__(self, name: str, unasked: Reasons = UNASKED) -> None:
        """unasked: classes of which it cannot be asked, each with the reason."""
        self.name = name
        self.unasked = dict(unasked)
        self._answers: dict[type[Node], Callable[..., T]] = {}
        self._derive = from_below(self._answer)

    def of(self, *classes: type[Node]) -> Callable[[Answer], Answer]:
        """Decorates what answers for nodes of these classes."""

        def register(answer: Answer) -> Answer:
            for kind in classes:
                if kind in self._answers:
                    raise InternalError(f"{kind.__qualname__} answers twice for its {self.name}")
                self._answers[kind] = answer
            return answer

        return register

    def always(self, answer: T, *classes: type[Node]) -> None:
        """These classes have the same answer for every node."""
        self.of(*classes)(lambda node, *more: answer)

    def of_input(self, *classes: type[Node]) -> None:
        """What nodes of these classes say is what their only input says."""
        self.of(*classes)(lambda node, *more: self(node.input, *more))

    def never(self, reason: str, *classes: type[Node]) -> None:
        """These classes cannot be asked, for a reason."""
        self.unasked |= dict.fromkeys(classes, reason)

    def is_answered(self, kind: type[Node]) -> bool:
        """Whether nodes of this very class have an answer."""
        return kind in self._answers

    def why_unasked(self, kind: type[Node]) -> str | None:
        """Why nodes of the class cannot be asked; None where nobody has said that they cannot."""
        if not kind.has_output:
            return "a sink has no output"
        return next((why for group, why in self.unasked.items() if issubclass(kind, group)), None)

    def __call__(self, node: Node, *more: Any) -> T:
        known: dict[Any, T] = node.__dict__.setdefault("_facts", {})
        key = (self.name, *more)
        if key not in known:
            known[key] = self._derive(node, *more)
        return known[key]

    def _answer(self, node: Node, *more: Any) -> T:
        kind = type(node)
        answer = self._answers.get(kind)
        if answer is not None:
            return answer(node, *more)
        why = self.why_unasked(kind)
        name = f"{kind.__module__}.{kind.__qualname__}"
        if why is not None:
            raise InternalError(f"the {self.name} of {name} cannot be asked: {why}")
        raise InternalError(f"{name} does not say its {self.name}: plan/facts/nodes answers for each class")
