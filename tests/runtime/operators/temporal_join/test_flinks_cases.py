"""The cases of Flink's own test of the operator (TemporalRowTimeJoinOperatorTest), restated.

A row of theirs, `1a3` of key k1, has the id 13 here.
"""

from __future__ import annotations

from firesteel.runtime.operators.temporal_join.temporal_join import TemporalJoin
from firesteel.runtime.state.memory import memory_backend
from tests.runtime.messages import Driver
from tests.runtime.operators.temporal_join.steps import TYPES, driver, play, spec

_BEGIN = """
    l W1
    r W1
    l +I 11 k1 1
    r +I 12 k1 2
    l W2
    r W2
"""
_END = """
    l W8
    r W9
    l +I 511 k2 9
    l +I 512 k2 11
    r -D 25 k2 9
    r +I 26 k2 10
    l W13
    r W13
"""
CHANGES = f"""{_BEGIN}
    l +I 11 k1 1
    l +I 13 k1 3
    r +I 24 k2 4
    l W5
    r W5
    l +I 23 k2 6
    r -U 24 k2 7
    r +U 25 k2 7
{_END}"""
UPSERTS = f"""{_BEGIN}
    l +U 13 k1 3
    r +I 24 k2 4
    l W5
    r W5
    l +I 23 k2 6
    r +U 25 k2 7
{_END}"""


def test_row_time() -> None:
    assert play(driver(spec()), CHANGES) == [
        "r W5: +I[13,k1,3,12,k1,2]",
        "r W9: +I[23,k2,6,24,k2,4]",
        "r W13: +I[512,k2,11,26,k2,10]",
    ]


def test_row_time_left() -> None:
    assert play(driver(spec(pads=True)), CHANGES) == [
        "r W2: +I[11,k1,1,null,null,null]",
        "r W5: +I[11,k1,1,null,null,null] +I[13,k1,3,12,k1,2]",
        "r W9: +I[23,k2,6,24,k2,4]",
        "l W13: +I[511,k2,9,null,null,null]",
        "r W13: +I[512,k2,11,26,k2,10]",
    ]


def test_row_time_of_upserts() -> None:
    assert play(driver(spec()), UPSERTS) == [
        "r W5: +U[13,k1,3,12,k1,2]",
        "r W9: +I[23,k2,6,24,k2,4]",
        "r W13: +I[512,k2,11,26,k2,10]",
    ]


def test_row_time_left_of_upserts() -> None:
    assert play(driver(spec(pads=True)), UPSERTS) == [
        "r W2: +I[11,k1,1,null,null,null]",
        "r W5: +U[13,k1,3,12,k1,2]",
        "r W9: +I[23,k2,6,24,k2,4]",
        "l W13: +I[511,k2,9,null,null,null]",
        "r W13: +I[512,k2,11,26,k2,10]",
    ]


def test_state_retention() -> None:
    """An idle key is forgotten after one and a half times the retention: Flink's 4 and 6."""
    now = 3
    drive = Driver(TemporalJoin(spec(pads=True, ttl=4), memory_backend(), lambda: now), TYPES, TYPES)
    sent = play(drive, "r +I 3 k1 3")
    now = 6
    sent += play(drive, "l +I 6 k1 6 \n l W7 \n r W7 \n r -U 3 k1 3 \n r +U 5 k1 3")
    now = 9
    sent += play(drive, "l +I 79 k1 9 \n l W13 \n r W13")
    now = 15
    sent += play(drive, "l +I 1315 k1 15 \n l W15 \n r W16")
    assert sent == [
        "r W7: +I[6,k1,6,3,k1,3]",
        "r W13: +I[79,k1,9,5,k1,3]",
        "r W16: +I[1315,k1,15,null,null,null]",
    ]
