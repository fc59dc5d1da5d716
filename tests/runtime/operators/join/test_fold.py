"""What a bundle leaves of the changes of a join's input."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firesteel.runtime.dataflow.chain import standing_clock
from firesteel.runtime.operators.join import regular_join
from firesteel.runtime.operators.join.fold import fold
from firesteel.runtime.operators.join.regular_join import RegularJoin
from firesteel.runtime.spec.join import JoinInput, JoinKind, JoinSpec
from tests.runtime.changes import Row, parse, show, to_rows, to_table
from tests.runtime.messages import Driver
from tests.runtime.operators.join.histories import LESS, TYPES, history
from tests.scale import examples

BY_ID = JoinInput(TYPES, (1,), (0,))
ONE_ROW = JoinInput(TYPES, (1,), (1,))
COUNTED = JoinInput(TYPES, (1,))


def left_of(text: str, side: JoinInput) -> str:
    left, _ = fold(to_table(parse(text, TYPES), TYPES), side)
    return show(to_rows(left))


@pytest.mark.parametrize("side", [BY_ID, ONE_ROW])
@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("+I 1 1 10", "+I[1,1,10]"),
        ("+I 1 1 10, -D 1 1 10", ""),
        ("+I 1 1 10, -U 1 1 10, +U 1 1 11", "+U[1,1,11]"),
        ("-U 1 1 10, +U 1 1 11, -U 1 1 11, +U 1 1 12", "-U[1,1,10] +U[1,1,12]"),
        ("-U 1 1 10, +U 1 1 11, -D 1 1 11", "-D[1,1,10]"),
        ("-U 1 1 10, +U 1 1 11, -D 1 1 11, +I 1 1 12", "-D[1,1,10] +I[1,1,12]"),
        ("-D 1 1 10, +I 1 1 11", "-D[1,1,10] +I[1,1,11]"),
        ("-U 1 1 10, +U 1 2 10", "-D[1,1,10] +U[1,2,10]"),
        ("+I 1 null 10, -D 1 null 10", ""),
    ],
)
def test_a_unique_key_has_its_first_and_last_row(side: JoinInput, text: str, left: str) -> None:
    assert left_of(text, side) == left


def test_the_old_row_goes_when_the_new_one_comes() -> None:
    text = "-U 1 1 10, +U 1 1 11, -U 2 1 20, +U 2 1 21, -U 1 1 11, +U 1 1 12"
    left, replaced = fold(to_table(parse(text, TYPES), TYPES), BY_ID)
    assert show(to_rows(left)) == "-U[2,1,20] +U[2,1,21] -U[1,1,10] +U[1,1,12]"
    assert replaced.tolist() == [True, False, True, False]
    assert left.column("$order").to_pylist() == [3, 3, 5, 5]


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("+I 1 1 10, +I 1 1 10, -D 1 1 10", "+I[1,1,10]"),
        ("-U 1 1 10, +U 1 1 11, -U 1 1 11, +U 1 1 10", ""),
        ("-U 1 1 10, +U 1 1 11, -U 1 1 11, +U 1 1 12", "-U[1,1,10] +U[1,1,12]"),
        ("-D 1 1 10, -D 1 1 10, +I 1 1 10", "-D[1,1,10]"),
        ("-D 1 1 10, +I 1 1 10, +I 1 1 10", "+I[1,1,10]"),
    ],
)
def test_without_a_unique_key_equal_rows_cancel_out(text: str, left: str) -> None:
    assert left_of(text, COUNTED) == left


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("-U 1 1 10, +U 1 1 11, -D 1 1 11", "-D[1,1,10]"),
        ("-U 1 1 10", "-D[1,1,10]"),
        ("-U 1 1 10, +U 1 1 11, -U 1 1 11, +U 1 1 12", "-U[1,1,10] +U[1,1,12]"),
        ("-U 1 1 10, +U 1 1 11, -D 1 1 11, -U 2 1 20, +U 2 1 21", "-D[1,1,10] -U[2,1,20] +U[2,1,21]"),
        ("+U 1 1 9, -U 1 1 10", "+U[1,1,9] -D[1,1,10]"),
        ("-U 1 1 10, -U 2 2 20, +U 2 2 21, +U 1 2 10", "-D[1,1,10] -U[2,2,20] +U[2,2,21] +U[1,2,10]"),
        ("+I 1 1 10, -U 1 1 10, +U 1 1 11", "+U[1,1,11]"),
        ("-U 1 null 10, +U 1 null 11", "-U[1,null,10] +U[1,null,11]"),
    ],
)
def test_an_old_row_whose_new_one_is_gone_is_a_delete(text: str, left: str) -> None:
    assert left_of(text, COUNTED) == left


def by_hand(rows: list[Row], side: JoinInput) -> Counter[Any]:
    """What is left, change by change."""
    held: dict[Any, list[Row]] = {}
    for row in rows:
        keys = range(1, 4) if side.unique_key is None else (2, *(1 + i for i in side.unique_key))
        mine = held.setdefault(tuple(row[i] for i in keys), [])
        adds = row[0] in ("+I", "+U")
        above = bool(mine) and mine[-1][0] in ("+I", "+U")
        if side.unique_key is None:
            mine.pop() if mine and above != adds else mine.append(row)
            continue
        if mine and (above or not adds):
            mine.pop()
        if adds or not above:
            mine.append(row)
    return Counter((row[0] in ("+I", "+U"), *row[1:]) for mine in held.values() for row in mine)


@settings(max_examples=examples(300), deadline=None)
@given(st.integers(0, 1 << 30), st.sampled_from([BY_ID, ONE_ROW, COUNTED]))
def test_what_is_left_is_what_is_left_change_by_change(seed: int, side: JoinInput) -> None:
    chance = random.Random(seed)
    rows = history(chance, chance.randrange(1, 40), side.unique_key is not None)
    rows = rows[chance.randrange(len(rows)) :]
    left, _ = fold(to_table(rows, TYPES), side)
    found = Counter((kind in ("+I", "+U"), *values) for kind, *values in to_rows(left))
    assert found == by_hand(rows, side)


# --- in a join ----------------------------------------------------------------------------------
def bundled(kind: JoinKind, side: JoinInput, condition: Any = None, size: int = 100) -> Driver:
    spec = JoinSpec(kind, (side, side), (False,), condition, folds=(size, size))
    return Driver(RegularJoin(spec, None, standing_clock(1)), TYPES, TYPES)


@pytest.mark.parametrize("side", [BY_ID, ONE_ROW])
def test_a_row_whose_partner_is_replaced_is_not_padded_in_between(side: JoinInput) -> None:
    drive = bundled(JoinKind.LEFT, side)
    drive.changes("+I 1 1 10")
    drive.changes("+I 7 1 70", port=1)
    found = drive.changes("-U 7 1 70, +U 7 1 71, -U 7 1 71, +U 7 1 72", port=1)
    assert found == "-U[1,1,10,7,1,70] +I[1,1,10,7,1,72]"


def test_it_is_padded_if_the_new_partner_does_not_hold() -> None:
    drive = bundled(JoinKind.LEFT, BY_ID, LESS)
    drive.changes("+I 1 1 10, +I 2 1 3")
    drive.changes("+I 7 1 70", port=1)
    found = drive.changes("-U 7 1 70, +U 7 1 5", port=1)
    one, other = "-U[1,1,10,7,1,70] +I[1,1,10,null,null,null]", "-U[2,1,3,7,1,70]"
    assert sorted(found.split()) == sorted(f"{one} {other} +I[2,1,3,7,1,5]".split())


def test_a_bundle_ends_with_its_size() -> None:
    drive = bundled(JoinKind.INNER, BY_ID, size=2)
    drive.changes("+I 7 1 70", port=1)
    assert drive.changes("+I 1 1 10, -U 1 1 10, +U 1 1 11") == "+U[1,1,11,7,1,70]"
    assert drive.changes("+I 2 1 10, +I 3 1 10, -D 2 1 10") == (
        "+I[2,1,10,7,1,70] +I[3,1,10,7,1,70] -D[2,1,10,7,1,70]"
    )


@pytest.mark.parametrize("side", [BY_ID, ONE_ROW, COUNTED])
def test_rows_that_only_come_are_joined_without_a_fold(
    side: JoinInput, monkeypatch: pytest.MonkeyPatch
) -> None:
    folded: list[int] = []

    def counted(changes: pa.Table, of: JoinInput) -> Any:
        folded.append(changes.num_rows)
        return fold(changes, of)

    monkeypatch.setattr(regular_join, "fold", counted)
    drive = bundled(JoinKind.INNER, side, size=2)
    drive.changes("+I 7 1 70", port=1)
    rows = "+I 1 1 10, +I 2 2 10, +I 3 3 10"
    assert drive.changes(rows) == "+I[1,1,10,7,1,70]"
    assert folded == []
    assert drive.changes("+I 4 1 10, -D 4 1 10, +I 5 1 11") == "+I[5,1,11,7,1,70]"
    assert folded == [2, 1]
