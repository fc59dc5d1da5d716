"""A stage of the optimizer: rules in their order, each with its reason, and the nodes that they leave."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from firesteel.errors import InternalError
from firesteel.plan.nodes.physical import Sink
from firesteel.plan.tree import Node, PhysicalNode, transform_up, walk


@dataclass(frozen=True)
class Settings:
    """What rules know besides the plan.

    configuration: the session's options. collect: the result's rows are shown, with UPDATE_BEFORE.
    stateless: nothing in the statement's queries gains by mini-batches.
    """

    configuration: Mapping[str, str]
    collect: bool = False
    stateless: bool = False

    def of(self, names: tuple[str, ...]) -> list[Any]:
        """Those of these names, as a rule's arguments after the plan."""
        return [getattr(self, name) for name in names]


Plans = list[Node]
"""Of a statement: one, or those of a statement set's INSERTs."""
Step = Callable[[Plans, Settings], Plans]


def each(rule: Callable[..., Node], *given: str) -> Step:
    """A rule for one node, applied to all, from the leaves up. given: the settings that it takes after
    the node, in its order."""

    def step(plans: Plans, settings: Settings) -> Plans:
        more = settings.of(given)
        applied = (lambda node: rule(node, *more)) if more else rule
        return [transform_up(root, applied) for root in plans]

    return step


def whole(rule: Callable[..., Node], *given: str) -> Step:
    """A rule for the root of a plan, that goes through the tree by itself."""
    return lambda plans, settings: [rule(root, *settings.of(given)) for root in plans]


def together(rule: Callable[..., Plans], *given: str) -> Step:
    """A rule for all plans of a statement at once."""
    return lambda plans, settings: rule(plans, *settings.of(given))


@dataclass(frozen=True)
class Stage:
    """rules: applied one after the other. leaves: the class of all nodes that may stand after it; without:
    some of these that may not yet. modes: whether each node but a sink has its changelog mode after it."""

    name: str
    rules: tuple[tuple[Step, str], ...]
    leaves: type[Any]
    without: tuple[type[Node], ...] = ()
    modes: bool = False

    def run(self, plans: Plans, settings: Settings) -> Plans:
        """The plans after this stage. Raises InternalError for a node that its rules should not leave, and
        what the rules raise."""
        for rule, _ in self.rules:
            plans = rule(plans, settings)
        for node in (node for root in plans for node in walk(root)):
            self._check(node)
        return plans

    def _check(self, node: Node) -> None:
        if not isinstance(node, self.leaves) or isinstance(node, self.without):
            raise InternalError(f"the {self.name} stage leaves a {_class_of(node)}")
        if self.modes and isinstance(node, PhysicalNode) and node.mode is None and not isinstance(node, Sink):
            raise InternalError(f"the {self.name} stage leaves a {_class_of(node)} without a changelog mode")


def _class_of(node: Node) -> str:
    return f"{type(node).__module__}.{type(node).__qualname__}"
