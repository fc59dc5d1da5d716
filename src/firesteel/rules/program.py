"""Programs of the optimizer.

A program applies rules to a plan in a fixed order. It has the reason for the position of each rule, and the
classes of nodes that a plan may have after the program.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from firesteel.errors import InternalError
from firesteel.plan.nodes.physical import Sink
from firesteel.plan.tree import Node, PhysicalNode, transform_up, walk


@dataclass(frozen=True)
class Settings:
    """Settings of a session and of a statement, which rules get as arguments after the plan.

    Attributes:
        configuration: Options of the session.
        collect: Whether the statement is a SELECT whose changes the user gets. Its result then has
            UPDATE_BEFORE.
        stateless: Whether all queries of the statement are stateless. Then they need no mini-batches.
    """

    configuration: Mapping[str, str]
    collect: bool = False
    stateless: bool = False

    def of(self, names: tuple[str, ...]) -> list[Any]:
        """Return the settings with these names, as a rule's arguments after the plan."""
        return [getattr(self, name) for name in names]


Plans = list[Node]
"""List with the plan of a statement, or with the plans of a statement set's INSERTs."""
Trace = Callable[[str, Sequence[str], Plans], None]
"""Callback after each program that changed a plan: its name, the rules that changed it, the plans."""


@dataclass(frozen=True)
class Step:
    """Rule, and the way in which it is applied to the nodes of a plan.

    Attributes:
        name: Name of the rule's function. For `fixed_point`, the names of its rules, separated by commas.
        apply: Returns the plans after the rule, or the same objects if it changes nothing.
    """

    name: str
    apply: Callable[[Plans, Settings], Plans]


def each(rule: Callable[..., Node], *given: str) -> Step:
    """Return the step that applies a rule for one node to all nodes, from the leaves up.

    Args:
        rule: Takes a node and the settings named by `given`.
        given: Names of attributes of Settings, in the order of the rule's parameters.
    """

    def apply(plans: Plans, settings: Settings) -> Plans:
        more = settings.of(given)
        applied = (lambda node: rule(node, *more)) if more else rule
        return [transform_up(root, applied) for root in plans]

    return Step(_name(rule), apply)


def whole(rule: Callable[..., Node], *given: str) -> Step:
    """Return the step that applies a rule to the root of each plan. The rule walks the tree itself."""
    return Step(_name(rule), lambda plans, settings: [rule(root, *settings.of(given)) for root in plans])


def together(rule: Callable[..., Plans], *given: str) -> Step:
    """Return the step that applies a rule to the list of all plans of a statement."""
    return Step(_name(rule), lambda plans, settings: rule(plans, *settings.of(given)))


_MOST_ROUNDS = 100


def fixed_point(*steps: Step) -> Step:
    """Return the step that applies rules in turn, again and again, until none of them changes a plan.

    Each rule must lower some number that describes the plan, so that the loop ends. For a rule that only
    moves filters down, this is the number of nodes below the filters.
    """

    def apply(plans: Plans, settings: Settings) -> Plans:
        for _ in range(_MOST_ROUNDS):
            before = plans
            for step in steps:
                plans = step.apply(plans, settings)
            if plans == before:
                return plans
        raise InternalError(f"the rules {name} do not come to an end")

    name = ", ".join(step.name for step in steps)
    return Step(name, apply)


@dataclass(frozen=True)
class Program:
    """Rules that are applied one after the other (Flink: FlinkOptimizeProgram).

    Attributes:
        name: Name of the program. It is Flink's name if Flink has such a program.
        rules: Each step with the reason for its position.
        leaves: Class of all nodes that may remain after the program.
        without: Classes of nodes that must not remain, although they are subclasses of `leaves`.
        modes: Whether each node except sinks must have its changelog mode after the program.
    """

    name: str
    rules: tuple[tuple[Step, str], ...]
    leaves: type[Any]
    without: tuple[type[Node], ...] = ()
    modes: bool = False

    def run(self, plans: Plans, settings: Settings, trace: Trace | None = None) -> Plans:
        """Return the plans after this program.

        Raises:
            InternalError: A node remains that should not.
            FiresteelError: A rule refuses the query.
        """
        changed = []
        for step, _ in self.rules:
            before, plans = plans, step.apply(plans, settings)
            if trace is not None and plans != before:
                changed.append(step.name)
        if trace is not None and changed:
            trace(self.name, changed, plans)
        for node in (node for root in plans for node in walk(root)):
            self._check(node)
        return plans

    def _check(self, node: Node) -> None:
        if not isinstance(node, self.leaves) or isinstance(node, self.without):
            raise InternalError(f"the program {self.name} leaves a {_class_of(node)}")
        is_inner = isinstance(node, PhysicalNode) and not isinstance(node, Sink)
        if self.modes and is_inner and node.mode is None:
            raise InternalError(
                f"the program {self.name} leaves a {_class_of(node)} without a changelog mode"
            )


def _name(rule: Callable[..., Any]) -> str:
    return getattr(rule, "__name__", type(rule).__name__)


def _class_of(node: Node) -> str:
    return f"{type(node).__module__}.{type(node).__qualname__}"
