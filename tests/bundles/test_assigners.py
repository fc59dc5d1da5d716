"""The mini-batch assigners against the cases of Flink's own operator tests, and what was seen of them."""

from __future__ import annotations

import pyarrow as pa
import pytest

from firesteel.runtime.operators.mini_batch_assigners import (
    MAX_WATERMARK,
    Message,
    ProcTimeMiniBatchAssigner,
    RowTimeMiniBatchAssigner,
    Watermark,
)


def row(number: int) -> pa.Table:
    return pa.table({"f0": [number]})


def show(messages: list[Message]) -> str:
    return " ".join(
        (f"W{'MAX' if m.time == MAX_WATERMARK else m.time}" if isinstance(m, Watermark) else f"r{m['f0'][0]}")
        for m in messages
    )


def row_time(interval: int, text: str, finish: bool = True) -> str:
    """Rows r1 and watermarks W2 in, what goes on out."""
    assigner = RowTimeMiniBatchAssigner(interval)
    out: list[Message] = []
    for word in text.split():
        if word[0] == "r":
            out += assigner.process(row(int(word[1:] or 0)))
        else:
            time = MAX_WATERMARK if word == "WMAX" else int(word[1:])
            out += assigner.watermark(Watermark(time))
    return show(out + assigner.finish() if finish else out)


def test_processing_time_steps() -> None:
    """ProcTimeMiniBatchAssignerOperatorTest: interval 100, by the clock's steps."""
    now = 0
    assigner = ProcTimeMiniBatchAssigner(100, lambda: now)
    assert show([*assigner.process(row(1)), *assigner.process(row(2))]) == "r1 r2"
    assert assigner.watermark(Watermark(2)) == []
    assert show([*assigner.process(row(3)), *assigner.process(row(4))]) == "r3 r4"
    assert assigner.timer == 100
    now = 100
    assert show(assigner.on_timer()) == "W100"
    assert assigner.current_batch == 100
    assert show([m for n in range(4, 9) for m in assigner.process(row(n))]) == "r4 r5 r6 r7 r8"
    assert assigner.timer == 200
    now = 200
    assert show(assigner.on_timer()) == "W200"
    assert show(assigner.watermark(Watermark(MAX_WATERMARK))) == "WMAX"
    assert assigner.watermark(Watermark(MAX_WATERMARK)) == []
    assert assigner.finish() == []


def test_the_first_row_marks_the_batch_and_timers_become_aligned() -> None:
    now = 1234
    assigner = ProcTimeMiniBatchAssigner(1000, lambda: now)
    assert assigner.timer == 2234
    assert show([*assigner.process(row(1)), *assigner.process(row(2))]) == "W1000 r1 r2"
    now = 2100
    assert show(assigner.process(row(3))) == "W2000 r3"
    now = 2234
    assert show(assigner.on_timer()) == ""
    assert assigner.timer == 3000


@pytest.mark.parametrize(
    ("interval", "given", "out"),
    [
        (
            5,
            "r1 r2 W2 r3 r4 W3 r5 W4 W5 r7 W6 r11 W10 W12 r16 W15 r17 W16 r20 W19 r22 W20 r24 W21 r25",
            "r1 r2 r3 r4 r5 W4 r7 r11 W10 r16 W15 r17 r20 W19 r22 r24 r25 W21",
        ),
        (50, "r1 W2 r50 WMAX", "r1 r50 WMAX WMAX"),
        (5, " ".join(f"W{i}" for i in range(22)), "W4 W9 W14 W19 W21"),
        (5, "W100 r101 W101 W103 W104 W105 W109 WMAX", "W100 r101 W104 W109 WMAX WMAX"),
        (5, "W-7 r1 W0 W4 W3 W9", "r1 W4 W9 W9"),
    ],
)
def test_row_time(interval: int, given: str, out: str) -> None:
    """RowTimeMiniBatchAssginerOperatorTest, and inputs that were tried on Flink."""
    assert row_time(interval, given) == out


def test_a_watermark_that_is_held_goes_with_the_last() -> None:
    assert row_time(50, "r1 W2 r50 WMAX", finish=False) == "r1 r50 WMAX"
