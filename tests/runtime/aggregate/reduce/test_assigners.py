"""The mini-batch assigners against the cases of Flink's own operator tests, and what was seen of them."""

from __future__ import annotations

from collections.abc import Iterable

import pyarrow as pa
import pytest

from firesteel.runtime.dataflow.operator import MAX_WATERMARK, Message, Operator, Watermark
from firesteel.runtime.operators.watermark.mini_batch_assigners import (
    ProcTimeMiniBatchAssigner,
    RowTimeMiniBatchAssigner,
)


def drive(assigner: Operator, text: str) -> str:
    """Rows r1, watermarks W2, WMAX, barriers B and the end E in; what goes on out."""
    out: list[Message] = []
    for word in text.split():
        if word[0] == "r":
            out += assigner.changes(pa.table({"f0": [int(word[1:])]}))
        elif word[0] == "W":
            out += assigner.watermark(Watermark(MAX_WATERMARK if word == "WMAX" else int(word[1:])))
        else:
            out += assigner.barrier() if word == "B" else assigner.end()
    return show(out)


def show(messages: Iterable[Message]) -> str:
    return " ".join(
        (f"W{'MAX' if m.time == MAX_WATERMARK else m.time}" if isinstance(m, Watermark) else f"r{m['f0'][0]}")
        for m in messages
    )


def test_processing_time_steps() -> None:
    """ProcTimeMiniBatchAssignerOperatorTest: interval 100, by the clock's steps; rows tell what there the
    timer tells."""
    now = 0
    assigner = ProcTimeMiniBatchAssigner(100, lambda: now)
    assert drive(assigner, "r1 r2 W2 r3 r4") == "r1 r2 r3 r4"
    now = 100
    assert drive(assigner, "r4 r5 r6 r7 r8 B") == "W100 r4 r5 r6 r7 r8"
    now = 200
    assert drive(assigner, "r9 WMAX WMAX B E") == "W200 r9 WMAX"


def test_the_first_row_sends_the_watermark_of_the_batch() -> None:
    now = 1234
    assigner = ProcTimeMiniBatchAssigner(1000, lambda: now)
    assert drive(assigner, "r1 r2") == "W1000 r1 r2"
    now = 2100
    assert drive(assigner, "r3") == "W2000 r3"
    now = 2999
    assert drive(assigner, "B r4") == "r4"


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
    assert drive(RowTimeMiniBatchAssigner(interval), f"{given} E") == out


def test_a_watermark_that_is_held_goes_with_the_last() -> None:
    assert drive(RowTimeMiniBatchAssigner(50), "r1 W2 r50 B WMAX") == "r1 r50 WMAX"
