"""Verdicts: which outcome two answers have, and what the report shows."""

from __future__ import annotations

import pytest

from firesteel.testing.flink.requests import Answer, Asked
from firesteel.testing.flink.verdict import Outcome, plan_difference, verdict_of

PLAN = "== Optimized Physical Plan ==\nCalc(select=[a])\n+- Scan(a)\n"
ROWS = [["+I", "1"]]


def asked(own: Answer, **options: object) -> Asked:
    return Asked(7, "SELECT a FROM t", own=own, names=("a",), **options)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("flink", "own", "outcome"),
    [
        (Answer(plan=PLAN, rows=ROWS), Answer(plan=PLAN, rows=ROWS), Outcome.SAME),
        (Answer(plan=PLAN, rows=ROWS), Answer(plan=f"\n{PLAN}\n", rows=ROWS), Outcome.SAME),
        (Answer(plan=PLAN, rows=ROWS), Answer(plan="Calc", rows=ROWS), Outcome.PLANS),
        (Answer(plan=PLAN, rows=ROWS), Answer(plan="Calc", rows=[["+I", "2"]]), Outcome.ROWS),
        (Answer(error="no"), Answer(plan=PLAN, rows=ROWS), Outcome.FLINK_REFUSES),
        (Answer(plan=PLAN), Answer(error="no"), Outcome.FIRESTEEL_REFUSES),
        (Answer(error="no"), Answer(error="nor here"), Outcome.BOTH_REFUSE),
        (Answer(error="Could not find any factory for identifier 'x'"), Answer(plan=PLAN), Outcome.LEFT_OUT),
        (Answer(plan=PLAN), Answer(plan=PLAN), Outcome.SAME),
    ],
)
def test_the_outcome_of_two_answers(flink: Answer, own: Answer, outcome: Outcome) -> None:
    assert verdict_of(asked(own), flink, with_plans=True).outcome is outcome


def test_changes_are_compared_if_their_order_is_fixed() -> None:
    flink = Answer(plan=PLAN, rows=[["+I", "1"], ["-D", "1"]])
    own = Answer(plan=PLAN, rows=[])
    loose = verdict_of(asked(own), flink, with_plans=True)
    assert (loose.outcome, loose.counts) == (Outcome.SAME, "0 rows")
    strict = verdict_of(asked(own, compares_changes=True), flink, with_plans=True)
    assert (strict.outcome, strict.counts) == (Outcome.CHANGES, "0 rows, 2 changes")
    assert list(strict.lines()) == [
        "changes differ: line 7, SELECT a FROM t (0 rows, 2 changes)",
        "  a = 1",
        "    Flink      +I[1], -D[1]",
        "    Firesteel  nothing",
    ]


def test_plans_are_left_out_if_they_are_not_wanted() -> None:
    pair = Answer(plan=PLAN, rows=ROWS), Answer(plan="Calc", rows=ROWS)
    assert verdict_of(asked(pair[1]), pair[0], with_plans=False).outcome is Outcome.SAME


def test_the_first_line_of_plans_that_differs_is_shown_with_its_section() -> None:
    assert plan_difference(PLAN, PLAN.replace("Scan(a)", "Scan(b)")) == [
        "Optimized Physical Plan",
        "  Flink      +- Scan(a)",
        "  Firesteel  +- Scan(b)",
    ]
    assert plan_difference(PLAN, f"{PLAN}more")[1:] == ["  Flink      no line", "  Firesteel  more"]


def test_errors_are_shown_by_their_first_line() -> None:
    verdict = verdict_of(asked(Answer(error="one\ntwo")), Answer(error="x" * 400), with_plans=True)
    assert verdict.detail == (f"Flink      {'x' * 300}...", "Firesteel  one")


def test_a_statement_that_is_left_out_says_why() -> None:
    verdict = verdict_of(asked(Answer(), left_out="it has no end"), Answer(), with_plans=True)
    assert list(verdict.lines()) == ["not compared: line 7, SELECT a FROM t", "  it has no end"]
    assert not verdict.outcome.agrees


def test_many_keys_are_counted() -> None:
    rows = [["+I", str(i)] for i in range(12)]
    verdict = verdict_of(asked(Answer(rows=rows)), Answer(rows=[]), with_plans=True)
    assert verdict.detail[-1] == "... 2 more"
    assert len(verdict.detail) == 31
