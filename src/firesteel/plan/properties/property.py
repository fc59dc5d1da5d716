"""Properties of plan nodes: a question with one answer for each class of nodes.

No answer is inherited, neither from a base class nor from an input. A node class without an answer is an
error, because a silent default would plan its queries wrongly.
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
"""Node classes for which most properties are not available, each with the reason.

A reason also holds for the subclasses. Rules for phases and mini-batches run last and create the nodes with
all that is needed, so nothing has to be derived for them.
"""
OF_PHYSICAL: Reasons = {**UNASKED, tree.LogicalNode: "it is asked of physical nodes alone"}
OF_LOGICAL: Reasons = {**UNASKED, tree.PhysicalNode: "it is asked of logical nodes alone"}


class Property(Generic[T]):
    """Property of plan nodes: `property(node)`, or `property(node, *more)` if it has more parameters.

    Raises InternalError for a node class without an answer, or for which the property is not available. The
    message names the class and the property.
    """

    def __init__(self, name: str, unasked: Reasons = UNASKED) -> None:
        """Create a property.

        Args:
            name: Name of the property, for error messages.
            unasked: Node classes for which the property is not available, each with the reason.
        """
        self.name = name
        self.unasked = dict(unasked)
        self._answers: dict[type[Node], Callable[..., T]] = {}

    def of(self, *classes: type[Node]) -> Callable[[Answer], Answer]:
        """Return a decorator that registers a function as the answer for these node classes."""

        def register(answer: Answer) -> Answer:
            for kind in classes:
                if kind in self._answers:
                    raise InternalError(f"{kind.__qualname__} answers twice for its {self.name}")
                self._answers[kind] = answer
            return answer

        return register

    def always(self, answer: T, *classes: type[Node]) -> None:
        """Register one answer for all nodes of these classes."""
        self.of(*classes)(lambda node, *more: answer)

    def of_input(self, *classes: type[Node]) -> None:
        """Register node classes whose answer is that of their only input."""
        self.of(*classes)(lambda node, *more: self(node.input, *more))

    def never(self, reason: str, *classes: type[Node]) -> None:
        """Register node classes for which the property is not available, and the reason."""
        self.unasked |= dict.fromkeys(classes, reason)

    def is_answered(self, kind: type[Node]) -> bool:
        """Return whether exactly this node class has an answer. Base classes do not count."""
        return kind in self._answers

    def why_unasked(self, kind: type[Node]) -> str | None:
        """Return the reason why the property is not available for a node class, None if it is."""
        if not kind.has_output:
            return "a sink has no output"
        return next((why for group, why in self.unasked.items() if issubclass(kind, group)), None)

    def __call__(self, node: Node, *more: Any) -> T:
        return self._answer(node, *more)

    def _answer(self, node: Node, *more: Any) -> T:
        kind = type(node)
        answer = self._answers.get(kind)
        if answer is not None:
            return answer(node, *more)
        why = self.why_unasked(kind)
        name = f"{kind.__module__}.{kind.__qualname__}"
        if why is not None:
            raise InternalError(f"the {self.name} of {name} cannot be asked: {why}")
        raise InternalError(
            f"{name} does not say its {self.name}: its family in plan/nodes answers for each class"
        )


class NodeProperty(Property[T]):
    """Property that each node answers from the answers of its inputs. The answer is stored in the node."""

    def __init__(self, name: str, unasked: Reasons = UNASKED) -> None:
        """Create a property. Arguments: see `Property`."""
        super().__init__(name, unasked)
        self._derive = from_below(self._answer)

    def __call__(self, node: Node, *more: Any) -> T:
        known: dict[Any, T] = node.__dict__.setdefault("_facts", {})
        key = (self.name, *more)
        if key not in known:
            known[key] = self._derive(node, *more)
        return known[key]
