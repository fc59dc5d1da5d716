"""Every class of plan nodes answers for every property, or says why it cannot be asked."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from firesteel.errors import InternalError
from firesteel.functions.expression.nodes import InputRef
from firesteel.plan import nodes
from firesteel.plan.metadata import FAMILIES, PROPERTIES, PUSHDOWNS, monotonicity, upsert_keys
from firesteel.plan.nodes import logical, physical
from firesteel.plan.nodes.correlate import logical as logical_correlate
from firesteel.plan.nodes.correlate import physical as physical_correlate
from firesteel.plan.nodes.interval_join import physical as physical_interval_join
from firesteel.plan.nodes.join import logical as logical_join
from firesteel.plan.nodes.join import physical as physical_join
from firesteel.plan.nodes.join import two_inputs
from firesteel.plan.nodes.join.shared import JoinNode, TwoInputNode
from firesteel.plan.nodes.lookup_join import physical as physical_lookup_join
from firesteel.plan.nodes.multi_join import physical as physical_multi_join
from firesteel.plan.nodes.over import logical as logical_over
from firesteel.plan.nodes.over import physical as physical_over
from firesteel.plan.nodes.rank import logical as logical_rank
from firesteel.plan.nodes.rank import physical as physical_rank
from firesteel.plan.nodes.set_op import logical as logical_sets
from firesteel.plan.nodes.temporal import logical as logical_temporal
from firesteel.plan.nodes.temporal import physical as physical_temporal
from firesteel.plan.nodes.window import logical as logical_windows
from firesteel.plan.nodes.window import physical as physical_windows
from firesteel.plan.nodes.window.shared import GroupWindowAggregateNode, WindowAggregateNode
from firesteel.plan.nodes.window_join import physical as physical_window_join
from firesteel.plan.nodes.window_rank import physical as physical_window_rank
from firesteel.plan.properties.property import Property
from firesteel.plan.tree import Field, LogicalNode, Node, PhaseNode, PhysicalNode, SameColumns
from firesteel.rules.pushdown.push_filters import push_filters
from firesteel.rules.pushdown.push_projects import push_projects
from firesteel.types.sql import BOOLEAN

BASES = (
    *(Node, LogicalNode, PhysicalNode, PhaseNode, SameColumns),
    *(TwoInputNode, JoinNode, WindowAggregateNode, GroupWindowAggregateNode),
)
SCAN = physical.Values((), ())


def _classes() -> Iterator[type[Node]]:
    logical_modules = (
        logical,
        logical_correlate,
        logical_join,
        logical_over,
        logical_rank,
        logical_sets,
        logical_temporal,
        logical_windows,
    )
    physical_modules = (
        physical,
        physical_correlate,
        physical_interval_join,
        physical_join,
        physical_lookup_join,
        physical_multi_join,
        physical_over,
        physical_rank,
        physical_window_join,
        physical_window_rank,
        physical_temporal,
        physical_windows,
    )
    for module in (*logical_modules, *physical_modules):
        for kind in vars(module).values():
            its_own = inspect.isclass(kind) and kind.__module__ == module.__name__
            if its_own and issubclass(kind, Node) and kind not in BASES:
                yield kind


NODES = list(_classes())


@dataclass(frozen=True)
class Unknown(PhysicalNode):
    """A node that nobody has told anything about."""

    inputs: tuple[Node, ...]

    @property
    def schema(self) -> tuple[Field, ...]:
        return self.inputs[0].schema + self.inputs[1].schema


@dataclass(frozen=True)
class UnknownLogical(LogicalNode):
    """A logical node without answers."""

    input: Node

    @property
    def schema(self) -> tuple[Field, ...]:
        return self.input.schema


def test_all_classes_are_found() -> None:
    found = set(BASES) | set(NODES)
    pending = [Node]
    while pending:
        kind = pending.pop()
        pending += [k for k in kind.__subclasses__() if k.__module__.startswith("firesteel.")]
        assert kind in found, f"{kind.__qualname__} is in none of the files of nodes"
    assert len(NODES) > 30


@pytest.mark.parametrize("property_", PROPERTIES, ids=lambda property_: property_.name)
@pytest.mark.parametrize("kind", NODES, ids=lambda kind: f"{kind.__module__.split('.')[-1]}.{kind.__name__}")
def test_each_class_answers_or_says_why_not(kind: type[Node], property_: Property[object]) -> None:
    assert property_.is_answered(kind) or property_.why_unasked(kind), (
        f"{kind.__qualname__} does not say its {property_.name}: its family in plan/nodes has the answers"
    )


@pytest.mark.parametrize("property_", PROPERTIES, ids=lambda property_: property_.name)
def test_a_class_that_has_not_answered_is_an_error(property_: Property[object]) -> None:
    unknown = (Unknown((SCAN, SCAN)), UnknownLogical(logical.Values((), ())))
    asked = [node for node in unknown if property_.why_unasked(type(node)) is None]
    assert asked
    for node in asked:
        with pytest.raises(InternalError, match=rf"{type(node).__name__} does not say its {property_.name}"):
            property_(node)


@pytest.mark.parametrize("rule", [push_projects, push_filters])
def test_a_rule_passes_no_class_that_has_not_answered(rule: Callable[[Node], Node]) -> None:
    below = logical.Values((Field("a", BOOLEAN),), ())
    unknown = UnknownLogical(below)
    for root in (unknown, logical.Filter(unknown, InputRef(0, BOOLEAN))):
        with pytest.raises(
            InternalError, match=r"UnknownLogical does not say its (column pruning|filter push-down)"
        ):
            rule(root)


def test_nothing_is_inherited_from_a_base_class() -> None:
    @dataclass(frozen=True)
    class Reading(physical.Values):
        """A special one."""

    with pytest.raises(InternalError, match="Reading does not say its upsert keys"):
        upsert_keys(Reading((), ()))


def test_what_cannot_be_asked_says_why() -> None:
    with pytest.raises(InternalError, match=r"monotonicity of .*logical.Values cannot be asked: .* alone"):
        monotonicity(logical.Values((), ()))


def test_a_class_answers_once() -> None:
    with pytest.raises(InternalError, match="Values answers twice for its upsert keys"):
        upsert_keys.always(frozenset(), physical.Values)


def test_a_family_answers_in_its_two_files() -> None:
    for kind in NODES:
        answers = [
            property_._answers[kind].__module__ for property_ in PROPERTIES if property_.is_answered(kind)
        ]
        shared = {name for name in answers if ".nodes." not in name} | {two_inputs.__name__}
        files = set(answers) - shared
        modules = {name.rpartition(".")[2] for name in files}
        assert len(files) == len(modules), f"{kind.__qualname__} answers in {files}"
        assert modules <= {"properties", "pushdown"}


def test_all_files_of_answers_are_loaded() -> None:
    folder = Path(nodes.__file__).parent
    assert {f.__name__.split(".")[-2] for f in FAMILIES} == {
        p.parent.name for p in folder.glob("*/properties.py")
    }
    assert {f.__name__.split(".")[-2] for f in PUSHDOWNS} == {
        p.parent.name for p in folder.glob("*/pushdown.py")
    }
