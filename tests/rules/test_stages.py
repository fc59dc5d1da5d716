"""Stages of the optimizer: what each applies, and what it leaves."""

from __future__ import annotations

import pytest

from firesteel.changelog import INSERT_ONLY
from firesteel.errors import InternalError
from firesteel.plan.nodes import logical, physical
from firesteel.plan.tree import LogicalNode, Node, PhysicalNode
from firesteel.rules.programs import CHANGELOG, LOGICAL, PHASES, PHYSICAL, STAGES
from firesteel.rules.stage import Settings, Stage, each, together, whole

ROWS = logical.Values((), ())
MADE = physical.Values((), ())


def _stage(rule, *given: str, like: Stage) -> Stage:
    """A stage with a single rule, that may leave what another may."""
    return Stage("own", ((rule, "why"),), like.leaves, like.without, like.modes)


def _run(stage: Stage, root: Node) -> Node:
    return stage.run([root], Settings({}))[0]


def test_every_rule_says_why_it_stands_there() -> None:
    reasons = [reason for stage in STAGES for _, reason in stage.rules]
    assert len(reasons) > 40
    assert all(len(reason) > 15 for reason in reasons)


@pytest.mark.parametrize(
    ("stage", "left", "named"),
    [
        (LOGICAL, MADE, r"the own stage leaves a firesteel.plan.nodes.physical.Values"),
        (PHYSICAL, ROWS, r"leaves a firesteel.plan.nodes.logical.Values"),
        (PHYSICAL, physical.DropUpdateBefore(MADE), "leaves a .*DropUpdateBefore"),
        (PHYSICAL, physical.MiniBatchAssigner(MADE, 1, "ProcTime"), "leaves a .*MiniBatchAssigner"),
        (CHANGELOG, physical.Values((), (), mode=None), "Values without a changelog mode"),
        (CHANGELOG, physical.LocalGroupAggregate(MADE, (), (), (), mode=INSERT_ONLY), "LocalGroupAggregate"),
        (PHASES, MADE, "without a changelog mode"),
    ],
    ids=lambda value: getattr(value, "name", ""),
)
def test_what_a_stage_may_not_leave_is_named(stage: Stage, left: Node, named: str) -> None:
    with pytest.raises(InternalError, match=named):
        _run(_stage(whole(lambda root: left), like=stage), ROWS)


def test_what_is_deep_in_the_plan_is_found() -> None:
    mixed = physical.Exchange(physical.Calc(ROWS, (), ()), ())
    with pytest.raises(InternalError, match=r"logical\.Values"):
        _run(_stage(whole(lambda root: mixed), like=PHYSICAL), ROWS)


def test_rules_take_the_settings_that_they_name() -> None:
    seen = []

    def rule(node: Node, collect: bool, configuration: dict[str, str]) -> Node:
        seen.append((type(node).__name__, collect, configuration))
        return node

    stage = Stage("own", ((each(rule, "collect", "configuration"), "why"),), Node)
    stage.run([logical.Union((ROWS, ROWS))], Settings({"a": "b"}, collect=True))
    assert seen == [("Values", True, {"a": "b"})] * 2 + [("Union", True, {"a": "b"})]


def test_a_rule_may_see_all_plans_of_a_statement() -> None:
    stage = Stage("own", ((together(lambda plans: plans[::-1]), "why"),), Node)
    assert stage.run([ROWS, MADE], Settings({})) == [MADE, ROWS]


def test_stages_follow_each_other() -> None:
    assert [stage.name for stage in STAGES] == ["logical", "physical", "changelog", "phases"]
    assert [stage.leaves for stage in STAGES] == [LogicalNode, PhysicalNode, PhysicalNode, PhysicalNode]
