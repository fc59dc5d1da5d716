"""The live table: what is seen of a result that changes, and its keys."""

from __future__ import annotations

from unittest.mock import Mock

import pyarrow as pa
import pytest
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output import DummyOutput

from firesteel.changelog import KIND, field
from firesteel.cli.shell.kept_result import KeptResult
from firesteel.cli.shell.live_table import Left, LiveTable, shown_keys
from firesteel.cli.shell.runner import ShellRunner
from firesteel.cli.shell.table_model import TableModel
from firesteel.plan.tree import Field
from firesteel.session.result import ChangesResult
from firesteel.types.sql import INT, STRING

SCHEMA = [Field("name", STRING), Field("n", INT)]
HEIGHT = 8


def result() -> ChangesResult:
    return ChangesResult(SCHEMA, iter(()), max_width=30, time_zone="UTC", cancel=lambda: None, bounded=False)


def rows(*values: tuple[str, int]) -> pa.Table:
    names, numbers = zip(*values, strict=True)
    return pa.table({field(0): pa.array(names), field(1): pa.array(numbers, pa.int32())})


def model(*values: tuple[str, int]) -> TableModel:
    made = TableModel(("name", "n"), (6, 11), lambda found: list(result().cells(found)))
    if values:
        made.show(rows(*values))
    return made


def names(made: TableModel, width: int = 80) -> list[str]:
    return [line.split("|")[1].strip() for line in made.page(width, HEIGHT)[3:-1]]


def test_rows_are_sorted_by_the_first_column_and_by_others_on_demand() -> None:
    made = model(("b", 1), ("c", 10), ("a", 9))
    assert names(made) == ["a", "b", "c"]
    assert made.page(80, HEIGHT)[1] == "| name ^ |           n |"
    made.sort_by_next()
    assert names(made) == ["b", "a", "c"]
    made.sort_by(1, descending=True)
    assert names(made) == ["c", "a", "b"]
    assert made.page(80, HEIGHT)[1] == "|   name |         n v |"
    made.show(rows(("d", 5), ("e", 50)))
    assert names(made) == ["e", "d"]
    made.sort_by_next()
    made.show(rows(("z", 5), ("e", 50)))
    assert names(made) == ["z", "e"]


def test_pages_and_their_ends() -> None:
    made = model(*((f"r{n:02}", n) for n in range(10)))
    assert names(made) == ["r00", "r01", "r02", "r03"]
    made.move(made.room(HEIGHT), HEIGHT)
    assert names(made)[0] == "r04"
    made.move(100, HEIGHT)
    assert names(made) == ["r06", "r07", "r08", "r09"]
    made.move(-100, HEIGHT)
    assert names(made)[0] == "r00"


def test_a_search_goes_on_and_begins_again() -> None:
    made = model(*((f"r{n:02}", n) for n in range(30)))
    assert made.find("R17", HEIGHT)
    assert names(made)[0] == "r17"
    assert made.find("7", HEIGHT)
    assert made.found == 7
    assert made.find("7", HEIGHT, again=True)
    assert made.found == 17
    assert made.find("7", HEIGHT, again=True)
    assert made.find("7", HEIGHT, again=True)
    assert made.found == 7
    assert not made.find("zzz", HEIGHT)


@pytest.mark.parametrize("width", [10, 20, 40, 80])
def test_no_line_is_wider_than_the_screen(width: int) -> None:
    made = model(("a long name that is cut", 1), ("b", 2))
    assert {len(line) for line in made.page(width, HEIGHT)} <= set(range(width + 1))
    made.move_columns(1)
    assert made.page(20, HEIGHT)[1] == "|           n |"
    made.move_columns(5)
    assert made.left == 1


def test_an_empty_result() -> None:
    made = model()
    assert made.count == 0
    assert len(made.page(80, HEIGHT)) == 4
    made.move(5, HEIGHT)
    assert not made.find("a", HEIGHT)


@pytest.mark.parametrize(("keys", "left"), [("q", Left.STOP), ("\x03", Left.STOP), ("b", Left.BACKGROUND)])
def test_the_keys(keys: str, left: Left) -> None:
    kept = KeptResult(result())
    changes = rows(*((f"r{n:02}", n) for n in range(100)))
    kept.add(changes.append_column(KIND, pa.array([0] * 100, pa.int8())))
    made = model()
    with create_pipe_input() as pipe:
        table = LiveTable(kept, made, lambda: "RUNNING", pipe, DummyOutput())
        pipe.send_text("sr/95\r" + keys)
        assert table.run() is left
    assert (made.column, made.descending) == (1, True)
    assert made.count == 100
    assert made.found == 4  # 99, 98, 97, 96, 95


@pytest.mark.parametrize(
    ("count", "shown", "said"),
    [(100, 100, ""), (300, 100, "[INFO] These are the first of 300 rows: SHOW RESULT 5 prints all.\n")],
)
def test_a_table_that_ends_leaves_few_rows_on_the_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], count: int, shown: int, said: str
) -> None:
    found = result()
    kept = KeptResult(found)
    changes = rows(*((f"r{n:03}", n) for n in range(count)))
    kept.add(changes.append_column(KIND, pa.array([0] * count, pa.int8())))
    monkeypatch.setattr("firesteel.cli.shell.live_table.LiveTable", lambda *_: Mock(run=lambda: Left.STOP))
    runner = ShellRunner(Mock(), verbose=False, was_pressed=lambda: False)
    runner._show_live(Mock(kept=kept, job=Mock(id="5")), found)
    out = capsys.readouterr().out
    assert out.count(" r0") == shown
    assert out.endswith(f"{shown} rows in set\n{said}")


@pytest.mark.parametrize(
    ("room", "shown"),
    [(5, ""), (6, " q end"), (19, " q end"), (20, " q end, b background")],
)
def test_no_key_is_shown_in_part(room: int, shown: str) -> None:
    assert shown_keys(room) == shown
