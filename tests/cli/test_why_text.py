"""An explanation as text: aligned tables, and lists where a terminal is too narrow for them."""

from __future__ import annotations

from firesteel.cli.why.text_form import as_text
from firesteel.session.why.explanation import Explanation, OperatorReport, SinkChange, SourceRow, StepReport

_PLACE = {"file": "sales/2026-05-01.json", "line": 3}
_UNCHANGED = "not sent: the result is unchanged"
_STATE = tuple(f"rows.v1: f{n}=a value of the column {n}" for n in range(3))


def _explanation(*, left_out: int = 0, other_keys: int = 0) -> Explanation:
    steps = [
        StepReport("3", [_PLACE], ["+I[Tom, 3]"], [], _STATE[:1], ["+I[Tom, 3]"]),
        StepReport(
            "4", [_PLACE], ["+I[Tom, 4]"], _STATE[:1], _STATE, [], "not sent: the result is unchanged"
        ),
        StepReport("4", [], [], _STATE, (), [], "", "2026-05-01 12:00:00.000"),
    ]
    return Explanation(
        *("totals", ("name", "total"), {"name": "Tom"}, 4, ["[Tom, 3]"]),
        changes=[SinkChange("3", _PLACE, "+I[Tom, 3]")],
        sources=[SourceRow("3", "sales", _PLACE, "+I[Tom, 3]")],
        operators=[OperatorReport("Join", ("Tom",), steps, left_out, other_keys)],
        all_changes=1,
        all_sources=1,
    )


def _join_part(text: str) -> list[str]:
    lines = text.splitlines()
    return lines[lines.index("Join") : lines.index("changes of totals: 1") - 1]


def test_a_table_wider_than_the_terminal_is_a_list() -> None:
    assert _join_part(as_text(_explanation(), is_terminal=True, width=60)) == [
        "Join",
        "key (Tom)",
        "  batch 3, sales/2026-05-01.json, line 3",
        "    received      +I[Tom, 3]",
        "    state after   rows.v1: f0=a value of the column 0",
        "    sent          +I[Tom, 3]",
        "  batch 4, sales/2026-05-01.json, line 3",
        "    received      +I[Tom, 4]",
        "    state before  rows.v1: f0=a value of the column 0",
        "    state after   rows.v1: f0=a value of the column 0",
        "                  rows.v1: f1=a value of the column 1",
        "                  rows.v1: f2=a value of the column 2",
        "    sent          (not sent: the result is unchanged)",
        "  batch 4",
        "    received      watermark 2026-05-01 12:00:00.000",
        "    state before  rows.v1: f0=a value of the column 0",
        "                  rows.v1: f1=a value of the column 1",
        "                  rows.v1: f2=a value of the column 2",
    ]


def test_a_value_longer_than_the_terminal_goes_on_below_itself() -> None:
    said = as_text(_explanation(), is_terminal=True, width=44)
    assert "    sent          (not sent: the result is\n                    unchanged)\n" in said
    assert max(len(line) for line in _join_part(said)) <= 44


def test_tables_that_have_room_stay_tables() -> None:
    said = as_text(_explanation(), is_terminal=True, width=60)
    assert "  batch  from                           change\n" in said
    wide = as_text(_explanation(), is_terminal=True, width=400)
    assert wide == as_text(_explanation(), is_terminal=False)
    assert "; rows.v1: f1=a value of the column 1; " in wide


def test_one_step_and_one_key_are_singular() -> None:
    said = as_text(_explanation(left_out=1, other_keys=1), is_terminal=False)
    assert "(1 earlier step)\n" in said
    assert "(1 more key)\n" in said
    said = as_text(_explanation(left_out=1234, other_keys=2), is_terminal=False)
    assert "(1,234 earlier steps)\n" in said
    assert "(2 more keys)\n" in said
