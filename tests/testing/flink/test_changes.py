"""The comparison of changes: rows that are left, each key's changes, floating point numbers, keys."""

from __future__ import annotations

import pytest

from firesteel.testing.flink.changes import Comparison, compare_changes, text_shape

FLINK = ["+I Tom 12", "-U Tom 12", "+U Tom 21", "+I Ann 7", "-D Ann 7", "+I Bob 1"]


def rows(lines: list[str]) -> list[list[str]]:
    return [line.split() for line in lines]


def compared(own: list[str], *, key: tuple[int, ...] = (0,), each_change: bool = True) -> Comparison:
    shape = text_shape(("name", "n"), key)
    return compare_changes(rows(FLINK), rows(own), shape, (), 10, each_change=each_change)


def test_the_order_of_keys_does_not_count() -> None:
    found = compared(["+I Bob 1", "+I Ann 7", "-D Ann 7", "+I Tom 12", "-U Tom 12", "+U Tom 21"])
    assert (found.count, found.rows, found.changes) == (0, 2, 6)


def test_a_row_that_differs_is_shown_by_key() -> None:
    found = compared(["+I Tom 12", "-U Tom 12", "+U Tom 22", "+I Ann 7", "+I Bob 1"])
    assert (found.count, found.of_changes, found.names) == (2, False, ("name",))
    shown = [(each.key, each.expected, each.found) for each in found.first]
    assert shown == [(("Tom",), ["[Tom, 21]"], ["[Tom, 22]"]), (("Ann",), [], ["[Ann, 7]"])]


@pytest.mark.parametrize(
    "own",
    [
        ["+I Tom 21", "+I Ann 7", "-D Ann 7", "+I Bob 1"],
        ["+I Tom 12", "-D Tom 12", "+I Tom 21", "+I Ann 7", "-D Ann 7", "+I Bob 1"],
        ["+I Tom 12", "-U Tom 12", "+U Tom 21", "+I Bob 1"],
    ],
)
def test_changes_that_leave_the_same_rows_differ(own: list[str]) -> None:
    found = compared(own)
    assert (found.count, found.of_changes) == (1, True)
    assert compared(own, each_change=False).count == 0


def test_the_changes_of_a_key_are_shown_whole() -> None:
    (first,) = compared(["+I Tom 21", "+I Ann 7", "-D Ann 7", "+I Bob 1"]).first
    assert first.key == ("Tom",)
    assert first.expected == ["+I[Tom, 12]", "-U[Tom, 12]", "+U[Tom, 21]"]
    assert first.found == ["+I[Tom, 21]"]


def test_without_a_key_the_changes_of_each_row_are_compared() -> None:
    own = ["+I Tom 12", "+U Tom 21", "-U Tom 12", "+I Ann 7", "-D Ann 7", "+I Bob 1"]
    assert compared(own, key=()).count == 0
    assert compared(own).count == 1


def test_equal_rows_are_counted() -> None:
    shape = text_shape(("a",), ())
    found = compare_changes(rows(["+I 1", "+I 1"]), rows(["+I 1"]), shape, (), 10, each_change=True)
    assert (found.count, found.first[0].expected) == (1, ["[1] 2 times"])


@pytest.mark.parametrize(("one", "other"), [("0.30000000000000004", "0.3"), ("1.0E-17", "0.0")])
def test_floating_point_numbers_are_rounded_in_their_columns_only(one: str, other: str) -> None:
    shape = text_shape(("a",), ())
    pair = (rows([f"+I {one}"]), rows([f"+I {other}"]))
    assert compare_changes(*pair, shape, (0,), 10, each_change=True).count == 0
    assert compare_changes(*pair, shape, (), 10, each_change=True).count == 2


def test_texts_that_look_like_numbers_are_texts() -> None:
    shape = text_shape(("a",), ())
    found = compare_changes(rows(["+I 007"]), rows(["+I 7"]), shape, (), 10, each_change=False)
    assert found.count == 2


@pytest.mark.parametrize("own", [[], ["+I 1"]])
def test_no_rows_at_all(own: list[str]) -> None:
    found = compare_changes([], rows(own), text_shape(("a",), (0,)), (), 10, each_change=True)
    assert found.count == len(own)


def test_only_the_first_keys_are_returned() -> None:
    own = [f"+I {i} {i}" for i in range(30)]
    found = compare_changes([], rows(own), text_shape(("a", "b"), (0,)), (), 10, each_change=True)
    assert (found.count, len(found.first)) == (30, 10)
