"""Plans between the optimizer's programs, as `firesteel explain --trace-rules` prints them."""

from __future__ import annotations

from collections.abc import Sequence

from firesteel.explain.rules import plans_after
from firesteel.plan.tree import Node
from firesteel.session.context import Environment
from firesteel.session.planning import plan_all
from firesteel.sql.statements import Insert, Query, StatementSet


def explain_rules(environment: Environment, statement: Query | Insert | StatementSet, text: str) -> str:
    """Return the plans after each program that changed a plan, with the rules that changed it."""
    inserts = statement.inserts if isinstance(statement, StatementSet) else (statement,)
    found: list[str] = []

    def trace(program: str, rules: Sequence[str], plans: Sequence[Node]) -> None:
        found.append(plans_after(program, rules, plans))

    plan_all(environment, inserts, text, collect=isinstance(statement, Query), trace=trace)
    return "\n".join(found)
