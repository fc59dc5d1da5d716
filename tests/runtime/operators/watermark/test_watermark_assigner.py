"""Where watermarks are set: Flink's WatermarkAssignerOperatorTest, and what was seen of the operator."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from firesteel.changelog import KIND, SEQUENCE, SUB_SEQUENCE
from firesteel.errors import JobError
from firesteel.functions.duckdb.calc_spec import CalcSpec
from firesteel.runtime.dataflow.operator import MAX_WATERMARK, Watermark, WatermarkedBatch
from firesteel.runtime.dataflow.operator_registry import build
from firesteel.runtime.spec.operators import WatermarkAssignerSpec
from firesteel.types.sql import timestamp
from tests.runtime.messages import one_by_one

OWN = "f1"
"""The second column is the watermark."""
DELAYED = "f0 - INTERVAL 1 MILLISECONDS"


def drive(text: str, interval: int, watermark: str = DELAYED, rows_a_table: int = 100) -> str:
    """Rows r1, or r3:1 with a watermark of their own, NULL is n; W2 and WMAX come from the input, B is the
    barrier, which stands for the timer. What goes on out: rows and watermarks."""
    spec = WatermarkAssignerSpec(0, CalcSpec((watermark,), (timestamp(3),)), interval, "ts", "t")
    operator = build(spec, None, lambda: 0)
    out, held, order = [], [], 0
    for word in [*text.split(), ""]:
        if word.startswith("r"):
            held.append(word)
        if held and (not word.startswith("r") or len(held) == rows_a_table):
            out += operator.changes(table(held, order))
            order += len(held)
            held = []
        if word.startswith("W"):
            out += operator.watermark(Watermark(MAX_WATERMARK if word == "WMAX" else int(word[1:])))
        elif word == "B":
            out += operator.barrier()
    return " ".join(shown(message) for message in one_by_one(out))


def table(words: list[str], order: int) -> pa.Table:
    cells = [word[1:].split(":") for word in words]
    times, own = (
        [None if c[i % len(c)] == "n" else int(c[i % len(c)]) * 1000 for c in cells] for i in (0, 1)
    )
    columns = [pa.array([0] * len(words), pa.int8()), pa.array(range(order, order + len(words)), pa.int64())]
    columns += [pa.array(each, pa.timestamp("us")) for each in (times, own)]
    return pa.Table.from_arrays(columns, names=[KIND, SEQUENCE, "f0", "f1"])


def shown(message: pa.Table | Watermark) -> str:
    if isinstance(message, Watermark):
        return f"W{'MAX' if message.time == MAX_WATERMARK else message.time}"
    return " ".join(f"r{time // 1000}" for time in message["f0"].cast(pa.int64()).to_pylist())


@pytest.mark.parametrize("rows_a_table", [1, 2, 100])
@pytest.mark.parametrize(
    ("interval", "given", "out"),
    [
        (50, "r1 r2 W2 r3 r4 B r4 r5 r6 r7 r8 B WMAX", "r1 r2 r3 r4 W3 r4 r5 r6 r7 r8 W7 WMAX"),
        (5, "r1 r2 r3 r10 r9 r15 r16 r17 WMAX", "r1 r2 r3 r10 W9 r9 r15 r16 W15 r17 WMAX"),
        (0, "r1 r2 r3 r10 r9 r15 WMAX WMAX", "r1 r2 W1 r3 W2 r10 W9 r9 r15 W14 WMAX"),
        (1000000, "r1 r2 r2000000 r3 WMAX", "r1 r2 r2000000 W1999999 r3 WMAX"),
        (5, "r1 B B", "r1"),
        (0, "r5 B", "r5 W4"),
    ],
)
def test_as_flinks_operator(interval: int, given: str, out: str, rows_a_table: int) -> None:
    assert drive(given, interval, rows_a_table=rows_a_table) == out


@pytest.mark.parametrize("rows_a_table", [1, 100])
def test_a_watermark_of_the_rows_own(rows_a_table: int) -> None:
    """testCustomizedWatermarkGenerator: a NULL moves nothing, and nothing goes back."""
    given = "r1:0 r2:1 W2 r3:1 B r4:2 r2:1 r1:0 r6:n B r9:8 r8:7 r10:n r11:10 B WMAX"
    out = "r1 r2 r3 W1 r4 r2 r1 r6 W2 r9 W8 r8 r10 r11 W10 WMAX"
    assert drive(given, 5, OWN, rows_a_table) == out


def test_a_null_fails_with_the_row() -> None:
    with pytest.raises(JobError, match="RowTime field should not be null, please convert") as raised:
        drive("r1 rn:4 r5", 0, OWN)
    shown = "column ts of t is NULL in +I[NULL, 1970-01-01 00:00:00.004000]; "
    assert raised.value.hint == f"{shown}values that the query does not read show as NULL, too"


def test_watermarks_follow_all_rows_of_their_sequence() -> None:
    """As a commit of Delta's change feed has them: one order, and places."""
    rows = table(["r3", "r9", "r5", "r12"], 0)
    rows = rows.set_column(1, SEQUENCE, pa.array([7, 7, 7, 8])).append_column(
        SUB_SEQUENCE, pa.array([0, 1, 5, 0])
    )
    spec = WatermarkAssignerSpec(0, CalcSpec((DELAYED,), (timestamp(3),)), 0, "ts", "t")
    (marked,) = build(spec, None, lambda: 0).changes(rows)
    assert isinstance(marked, WatermarkedBatch)
    assert np.array_equal(marked.times, [8, 11])
    assert np.array_equal(marked.sequences, [7, 8])
    assert np.array_equal(marked.at, [3, 4])
    assert marked.sub_sequence == 7
