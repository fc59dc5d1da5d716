"""Programs of the optimizer: what each applies, and what it leaves."""

from __future__ import annotations

import pytest

from firesteel.changelog import INSERT_ONLY
from firesteel.errors import InternalError
from firesteel.plan.nodes import logical, physical
from firesteel.plan.tree import LogicalNode, Node, PhysicalNode
from firesteel.rules.program import Program, Settings, each, fixed_point, together, whole
from firesteel.rules.programs import CHANGELOG, LOGICAL_REWRITE, PHYSICAL, PHYSICAL_REWRITE, PROGRAMS

ROWS = logical.Values((), ())
MADE = physical.Values((), ())


def _program(rule, *given: str, like: Program) -> Program:
    """A program with a single rule, that may leave what another may."""
    return Program("own", ((rule, "why"),), like.leaves, like.without, like.modes)


def _run(program: Program, root: Node) -> Node:
    return program.run([root], Settings({}))[0]


def test_every_rule_says_why_it_stands_there() -> None:
    reasons = [reason for program in PROGRAMS for _, reason in program.rules]
    assert len(reasons) > 40
    assert all(len(reason) > 15 for reason in reasons)


@pytest.mark.parametrize(
    ("program", "left", "named"),
    [
        (LOGICAL_REWRITE, MADE, r"the program own leaves a firesteel.plan.nodes.physical.Values"),
        (PHYSICAL, ROWS, r"leaves a firesteel.plan.nodes.logical.Values"),
        (PHYSICAL, physical.DropUpdateBefore(MADE), "leaves a .*DropUpdateBefore"),
        (PHYSICAL, physical.MiniBatchAssigner(MADE, 1, "ProcTime"), "leaves a .*MiniBatchAssigner"),
        (CHANGELOG, physical.Values((), (), mode=None), "Values without a changelog mode"),
        (CHANGELOG, physical.LocalGroupAggregate(MADE, (), (), (), mode=INSERT_ONLY), "LocalGroupAggregate"),
        (PHYSICAL_REWRITE, MADE, "without a changelog mode"),
    ],
    ids=lambda value: getattr(value, "name", ""),
)
def test_what_a_program_may_not_leave_is_named(program: Program, left: Node, named: str) -> None:
    with pytest.raises(InternalError, match=named):
        _run(_program(whole(lambda root: left), like=program), ROWS)


def test_what_is_deep_in_the_plan_is_found() -> None:
    mixed = physical.Exchange(physical.Calc(ROWS, (), ()), ())
    with pytest.raises(InternalError, match=r"logical\.Values"):
        _run(_program(whole(lambda root: mixed), like=PHYSICAL), ROWS)


def test_rules_take_the_settings_that_they_name() -> None:
    seen = []

    def rule(node: Node, collect: bool, configuration: dict[str, str]) -> Node:
        seen.append((type(node).__name__, collect, configuration))
        return node

    program = Program("own", ((each(rule, "collect", "configuration"), "why"),), Node)
    program.run([logical.Union((ROWS, ROWS))], Settings({"a": "b"}, collect=True))
    assert seen == [("Values", True, {"a": "b"})] * 2 + [("Union", True, {"a": "b"})]


def test_a_rule_may_see_all_plans_of_a_statement() -> None:
    program = Program("own", ((together(lambda plans: plans[::-1]), "why"),), Node)
    assert program.run([ROWS, MADE], Settings({})) == [MADE, ROWS]


def test_programs_follow_each_other() -> None:
    names = [program.name for program in PROGRAMS]
    assert names.index("predicate_pushdown") < names.index("physical") < names.index("changelog")
    kinds = [program.leaves for program in PROGRAMS]
    assert kinds == sorted(kinds, key=[LogicalNode, PhysicalNode].index)


def _shortened(node: Node) -> Node:
    return physical.Union(node.inputs[1:]) if isinstance(node, physical.Union) and node.inputs else node


def test_rules_that_feed_each_other_are_applied_until_nothing_changes() -> None:
    program = Program("own", ((fixed_point(whole(_shortened)), "why"),), Node)
    assert _run(program, physical.Union((MADE, MADE, MADE))) == physical.Union(())


def test_rules_without_an_end_are_named() -> None:
    def longer(node: Node) -> Node:
        return physical.Union((*node.children, MADE))

    program = Program("own", ((fixed_point(whole(longer)), "why"),), Node)
    with pytest.raises(InternalError, match="the rules longer do not come to an end"):
        _run(program, MADE)


def test_a_trace_names_the_rules_that_changed_a_plan() -> None:
    def same(node: Node) -> Node:
        return node

    found = []
    program = Program("own", ((whole(same), "why"), (whole(_shortened), "why")), Node)
    trace = lambda *told: found.append(told)  # noqa: E731
    plans = program.run([physical.Union((MADE,))], Settings({}), trace)
    assert found == [("own", ["_shortened"], plans)]
    program.run(plans, Settings({}), trace)
    assert len(found) == 1
