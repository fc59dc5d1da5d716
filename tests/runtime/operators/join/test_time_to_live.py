"""Joins whose rows have a time to live. The changes are those of Flink 2.3, at the same times."""

from __future__ import annotations

import pytest

from firesteel.runtime.dataflow.chain import standing_clock
from firesteel.runtime.operators.join.regular_join import RegularJoin
from firesteel.runtime.operators.join.semi_join import SemiJoin
from firesteel.runtime.spec.join import JoinInput, JoinKind, JoinSpec, SemiJoinSpec
from tests.runtime.messages import Driver
from tests.runtime.operators.join.histories import TYPES


class Timed:
    """A join whose inputs have times to live, with a clock that the test sets.

    Args:
        kind: Kind of the join; None for a semi join.
        left: Milliseconds that rows of the left input live.
        right: Milliseconds that rows of the right input live.
        unique: Unique key of both inputs.
    """

    def __init__(
        self, kind: JoinKind | None, left: int, right: int, unique: tuple[int, ...] | None = None
    ) -> None:
        self._now = 1
        inputs = (JoinInput(TYPES, (1,), unique, left), JoinInput(TYPES, (1,), unique, right))
        join = (
            SemiJoin(SemiJoinSpec(False, inputs, (False,)), None, lambda: self._now)
            if kind is None
            else RegularJoin(JoinSpec(kind, inputs, (False,)), None, lambda: self._now)
        )
        self._driver = Driver(join, TYPES, TYPES)

    def __call__(self, at: int, side: str, changes: str) -> str:
        self._now = at
        return self._driver.changes(changes, port="lr".index(side))


@pytest.mark.parametrize("unique", [None, (0,)])
def test_a_row_that_goes_and_comes_lives_on(unique: tuple[int, ...] | None) -> None:
    at = Timed(JoinKind.INNER, 100, 100, unique)
    at(1, "r", "+I 7 1 70")
    at(60, "r", "-U 7 1 70, +U 7 1 70")
    assert at(120, "l", "+I 1 1 10") == "+I[1,1,10,7,1,70]"
    assert at(170, "l", "+I 2 1 20") == ""


@pytest.mark.parametrize("unique", [None, (0,)])
def test_a_partner_that_has_expired_still_counts(unique: tuple[int, ...] | None) -> None:
    """For the rows that have met it: they are not padded any more. Flink 2.3 sends the same."""
    at = Timed(JoinKind.LEFT, 1000, 100, unique)
    assert at(1, "l", "+I 1 1 10") == "+I[1,1,10,null,null,null]"
    assert at(20, "r", "+I 7 1 70") == "-D[1,1,10,null,null,null] +I[1,1,10,7,1,70]"
    assert at(140, "l", "+I 2 1 20") == "+I[2,1,20,null,null,null]"
    assert at(150, "r", "+I 8 1 80") == ("-D[2,1,20,null,null,null] +I[2,1,20,8,1,80] +I[1,1,10,8,1,80]")


def test_a_partner_keeps_the_padded_side_alive() -> None:
    """Flink 2.3 writes the row's number of partners, so the row begins a new time to live."""
    at = Timed(JoinKind.LEFT, 100, 1000)
    at(1, "l", "+I 1 1 10")
    at(80, "r", "+I 7 1 70")
    assert at(150, "r", "-U 7 1 70, +U 7 1 71") == (
        "-U[1,1,10,7,1,70] +I[1,1,10,null,null,null] -D[1,1,10,null,null,null] +I[1,1,10,7,1,71]"
    )
    assert at(240, "r", "+I 8 1 80") == "+I[1,1,10,8,1,80]"
    assert at(350, "r", "+I 9 1 90") == ""


def test_updates_without_the_row_before_are_one_partner() -> None:
    inputs = (JoinInput(TYPES, (1,), None, 100), JoinInput(TYPES, (1,), (1,), 100))
    drive = Driver(
        RegularJoin(JoinSpec(JoinKind.LEFT, inputs, (False,)), None, standing_clock(1)), TYPES, TYPES
    )
    drive.changes("+I 1 1 10")
    drive.changes("+I 7 1 70", port=1)
    assert drive.changes("+U 7 1 71", port=1) == "+I[1,1,10,7,1,71]"
    assert drive.changes("-D 7 1 71", port=1) == "-D[1,1,10,7,1,71] +I[1,1,10,null,null,null]"


@pytest.mark.parametrize("unique", [None, (0,)])
def test_a_semi_join_sends_rows_of_an_expired_partner_once(unique: tuple[int, ...] | None) -> None:
    at = Timed(None, 1000, 100, unique)
    assert at(1, "l", "+I 1 1 10") == ""
    assert at(20, "r", "+I 7 1 70") == "+I[1,1,10]"
    assert at(140, "l", "+I 2 1 20") == ""
    assert at(150, "r", "+I 8 1 80") == "+I[2,1,20]"
