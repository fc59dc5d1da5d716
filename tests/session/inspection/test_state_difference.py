"""The difference of two states, and a state as a table in SQL."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, cast

import pyarrow as pa
import pytest

from firesteel import TableEnvironment
from firesteel.cli.app import run_app
from firesteel.cli.checkpoint.state_diff import Sides
from firesteel.errors import SqlError, UsageError
from firesteel.session.inspection.state_difference import _difference, state_differences
from firesteel.session.inspection.state_report import StateReport, open_reports
from tests.session.inspection.test_state_report import run

if TYPE_CHECKING:
    from firesteel.spark.launch.launch import Spark
    from firesteel.spark.stream.stored_state import StoredState


def entries(*pairs: tuple[str, int]) -> pa.Table:
    return pa.table({"k0": [key for key, _ in pairs], "v0": pa.array([n for _, n in pairs], pa.int64())})


def test_entries_that_are_gone_changed_and_new() -> None:
    found = _difference(
        "op", "s", entries(("a", 1), ("b", 2), ("c", 3)), entries(("a", 1), ("b", 7), ("d", 4))
    )
    assert (found.before, found.after, found.counts) == (3, 3, (2, 2))
    assert found.rows() == [["-", "b", "2"], ["+", "b", "7"], ["-", "c", "3"], ["+", "d", "4"]]


def test_equal_entries_are_counted() -> None:
    twice = pa.table({"v0": [{"a": 1}, {"a": 1}]})
    assert _difference("op", "s", twice, twice).counts == (0, 0)
    found = _difference("op", "s", twice, twice.slice(0, 1))
    assert (found.before, found.after, found.counts) == (2, 1, (1, 0))


def test_a_state_that_only_one_side_has() -> None:
    assert _difference("op", "s", None, entries(("a", 1))).rows() == [["+", "a", "1"]]
    assert _difference("op", "s", entries(("a", 1)), None).rows() == [["-", "a", "1"]]
    assert _difference("op", "s", None, None).counts == (0, 0)
    assert _difference("op", "s", entries(), entries()).counts == (0, 0)


class Report(StateReport):
    """One state of one operator, without a checkpoint; no state if it has no name."""

    def __init__(self, state: str, table: pa.Table) -> None:
        super().__init__("job", cast("StoredState", None))
        self.__dict__.update(full=state, entries_=table)

    def operators(self) -> set[str]:
        return {self.full.partition(".")[0]} if self.full else set()

    def states(self, operator: str) -> dict[str, str]:
        return {"rows": self.full} if operator in self.operators() else {}

    def table(self, state: str, operator: str = "", key: Sequence[str] = ()) -> pa.Table:
        return self.entries_


def test_an_operator_that_only_one_checkpoint_has() -> None:
    some, none = Report("rank-1.rows", entries(("a", 1))), Report("", entries())
    (gone,) = state_differences(some, none, "rank", [])
    (new,) = state_differences(none, some, "rank", [])
    assert (gone.operator, gone.counts, new.counts) == ("rank-1", (1, 0), (0, 1))
    with pytest.raises(UsageError, match="no operator whose name begins with 'join'"):
        state_differences(some, none, "join", [])


def test_states_of_other_columns_are_refused() -> None:
    other = pa.table({"k0": ["a"], "v0": ["text"]})
    with pytest.raises(UsageError, match="the state s of op has other columns after than before"):
        _difference("op", "s", entries(("a", 1)), other)


@pytest.mark.parametrize(
    ("sides", "message"),
    [
        (Sides("a", (1, 2), "b"), "give --diff or --against, not both"),
        (Sides("a", (1, 2), None, 3), "--batch has no effect"),
    ],
)
def test_options_that_exclude_each_other(sides: Sides, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        sides.check()


@pytest.mark.spark
@pytest.mark.slow
@pytest.mark.full
def test_a_checkpoint_after_two_micro_batches(
    tmp_path: Path, spark: Spark, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("t", "c"):
        (tmp_path / name).mkdir()
    (tmp_path / "c" / "1.json").write_text('{"name": "Tom", "city": "Rome"}\n')
    sales = '{"id": 1, "name": "Tom", "cnt": 12}\n{"id": 2, "name": "Tom", "cnt": 9}\n'
    (tmp_path / "t" / "1.json").write_text(sales)
    run(tmp_path, spark)
    checkpoint = str(tmp_path / "checkpoint")
    session = spark.session.newSession()
    (after,) = open_reports(session, checkpoint)
    (before,) = open_reports(session, checkpoint, after.state.batch - 1)
    found = {each.state: each for each in state_differences(before, after, None, [])}
    assert found["left.rows.v1"].counts == (0, 1)
    assert found["right.rows.v1"].counts == (0, 0)
    (sums,) = state_differences(before, after, "group", ["Rome"])
    assert [row[:2] for row in sums.rows()] == [["-", "Rome"], ["+", "Rome"]]
    assert state_differences(before, after, "group", ["Oslo"])[0].counts == (0, 0)
    check_table(spark, checkpoint)
    check_command(checkpoint, before.state.batch, after.state.batch, capsys)


def check_table(spark: Spark, checkpoint: str) -> None:
    """Read the states by SQL."""
    environment = TableEnvironment.create(spark)

    def rows(call: str) -> list[tuple[object, ...]]:
        return [
            tuple(row)
            for row in environment.execute_sql(f"SELECT k0, COUNT(*) FROM {call} GROUP BY k0").collect()
        ]

    assert rows(f"firesteel_state('{checkpoint}', 'group')") == [("Rome", 1)]
    assert rows(f"TABLE(FIRESTEEL_STATE('{checkpoint}', 'insert-o/group', 'group-aggregate-2'))") == [
        ("Rome", 1)
    ]
    call = f"firesteel_state('{checkpoint}', 'group')"
    both = f"{call} a JOIN {call.replace('group', 'group-')} b ON a.k0 = b.k0"
    result = environment.execute_sql(f"SELECT a.k0, b.k0 FROM {both}")
    assert [tuple(row) for row in result.collect()] == [("Rome", "Rome")]
    for call, text in [
        ("firesteel_state('x')", "wrong arguments of the table function"),
        (f"firesteel_state('{checkpoint}', 1)", "wrong arguments of the table function"),
        (f"firesteel_state('{checkpoint}', 'join')", "the operator join-1 has several states"),
        (f"firesteel_state('{checkpoint}', 'join', 'no')", "the operator join-1 has no state 'no'"),
        (f"firesteel_state('{checkpoint}', 'rank')", "has no operator whose name begins with 'rank'"),
        (f"firesteel_state('{checkpoint}/..', 'join')", "is not a checkpoint of Firesteel"),
        (f"firesteel_state('{checkpoint}', 'other/join')", "no statement has an operator"),
    ]:
        with pytest.raises(SqlError, match=re.escape(text)):
            environment.execute_sql(f"SELECT * FROM {call}")


def check_command(checkpoint: str, first: int, last: int, capsys: pytest.CaptureFixture[str]) -> None:
    """Compare the states by the command."""
    capsys.readouterr()
    assert run_app(["state", checkpoint, "--diff", str(first), str(last)]) == 1
    out = capsys.readouterr().out
    assert out.startswith(f"insert-o: micro-batch {first}, then {last}\n")
    assert re.search(r"join-1 \| +left.rows.v1 \| +1 \| +2 \| +0 \| +1 \|", out)
    assert run_app(["state", checkpoint, "group", "--diff", str(first), str(last), "--key", "Rome"]) == 1
    out = capsys.readouterr().out
    assert "group-aggregate-2, group-aggregate-2: 1 gone, 1 new\n" in out
    assert run_app(["state", checkpoint, "--against", checkpoint]) == 0
    with pytest.raises(UsageError, match="has no state of micro-batch 99"):
        run_app(["state", checkpoint, "--diff", str(first), "99"])


@pytest.mark.parametrize("options", [[], ["--against", "there"]])
def test_a_folder_that_is_not_there_is_an_error_before_spark_starts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: list[str]
) -> None:
    monkeypatch.setattr("firesteel.session.environment.TableEnvironment.create", None)
    with pytest.raises(UsageError, match=r"there is no folder .*none") as found:
        run_app(["state", str(tmp_path / "none"), *options])
    assert found.value.hint == "name the folder given as --checkpoint"
