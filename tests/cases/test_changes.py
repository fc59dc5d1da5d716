"""The comparison itself must see every kind of difference."""

from __future__ import annotations

import pytest

from tests.cases.changes import difference

STREAM = [("+I", "a", "1"), ("+I", "b", "7"), ("-U", "a", "1"), ("+U", "a", "2"), ("-D", "b", "7")]


def test_the_same_stream_agrees_with_itself() -> None:
    assert difference(STREAM, STREAM, 1, every_change=True) is None


def test_keys_may_be_interleaved_in_any_way() -> None:
    other = [STREAM[1], STREAM[4], STREAM[0], STREAM[2], STREAM[3]]
    assert difference(STREAM, other, 1, every_change=True) is None


def test_numbers_agree_by_value_and_text_by_letter() -> None:
    assert difference([("+I", "1.50", "x")], [("+I", "1.5", "x")], 0, every_change=True) is None
    assert difference([("+I", "1.50", "x")], [("+I", "1.5", "X")], 0, every_change=True) is not None


@pytest.mark.parametrize(
    "got",
    [
        STREAM[:-1],
        [*STREAM, ("+I", "c", "1")],
        [*STREAM, ("-D", "c", "1")],
        [("+I", "a", "2")],
        [STREAM[0], STREAM[2], STREAM[3]],
        [("+U", "a", "1"), *STREAM[1:]],
        [STREAM[1], *STREAM[3:], STREAM[0]],
    ],
)
def test_a_difference_is_seen(got: list[tuple[str, ...]]) -> None:
    assert difference(STREAM, got, 1, every_change=True) is not None


def test_final_rows_alone_may_be_asked_for() -> None:
    assert difference(STREAM, [("+I", "a", "2")], 1, every_change=False) is None
    assert difference(STREAM, [("+I", "a", "3")], 1, every_change=False) is not None
