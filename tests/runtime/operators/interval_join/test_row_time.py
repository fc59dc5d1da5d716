"""Interval joins by row time: pairs, padding, late rows and watermarks, as Flink's operator sends them.

The sequences are those of Flink's RowTimeIntervalJoinTest, with other rows.
"""

from __future__ import annotations

import numpy as np
import pytest

from firesteel.runtime.dataflow.chain import standing_clock
from firesteel.runtime.dataflow.operator import (
    BEFORE_ALL,
    MAX_WATERMARK,
    PortBatch,
    Watermark,
    WatermarkedBatch,
)
from firesteel.runtime.operators.interval_join import meeting
from firesteel.runtime.operators.interval_join.interval_join import IntervalJoin
from firesteel.runtime.operators.interval_join.retained_rows import RetainedRows
from firesteel.runtime.spec.join import JoinKind
from firesteel.runtime.state.backend import SortedRunBackend
from firesteel.runtime.state.memory import MemoryStore
from tests.runtime.changes import parse, to_table
from tests.runtime.messages import told
from tests.runtime.operators.interval_join.specs import LESS, TYPES, both, driver, spec
from tests.runtime.state_size import kept


def test_pairs_lie_within_the_bounds() -> None:
    """left BETWEEN right - 10 AND right + 20; a row that is late by the watermark still has partners."""
    drive = driver(spec(JoinKind.INNER, -10, 20))
    assert both(drive, 1) == "W-19"
    assert drive.changes("+I 1 a 1, +I 2 a 2") == ""
    assert drive.changes("+I 7 a 2", 1) == "+I[1,a,1,7,a,2] +I[2,a,2,7,a,2]"
    assert drive.changes("+I 3 a 5") == "+I[3,a,5,7,a,2]"
    assert drive.changes("+I 8 a 15", 1) == "+I[3,a,5,8,a,15]"
    assert both(drive, 20) == "W0"
    assert drive.changes("+I 4 a 35") == "+I[4,a,35,8,a,15]"
    assert drive.changes("+I 5 a 36") == ""
    assert both(drive, 38) == "W18"
    assert drive.changes("+I 6 b 40") == ""
    assert drive.changes("+I 9 b 39", 1) == "+I[6,b,40,9,b,39]"


def test_bounds_below_zero() -> None:
    """left BETWEEN right - 10 AND right - 7: a right row at 2 has no partner that could follow."""
    drive = driver(spec(JoinKind.FULL, -10, -7))
    both(drive, 1)
    assert drive.changes("+I 7 a 2", 1) == "+I[null,null,null,7,a,2]"
    assert both(drive, 2) == "W-8"
    assert drive.changes("+I 1 a 3") == ""
    assert drive.changes("+I 8 a 13", 1) == "+I[1,a,3,8,a,13]"
    assert drive.changes("+I 2 a 6, +I 3 a 7") == "+I[2,a,6,8,a,13]"
    assert both(drive, 10) == "W0"
    assert both(drive, 18) == "+I[3,a,7,null,null,null] W8"


@pytest.mark.parametrize(("min_cleanup", "expires"), [(0, 7), (7, 14)])
def test_a_row_without_a_partner_is_padded_when_it_expires(min_cleanup: int, expires: int) -> None:
    """A left row at 1 has its last partner at 1 + 5."""
    drive = driver(spec(JoinKind.LEFT, -5, 9, min_cleanup=min_cleanup))
    assert drive.changes("+I 1 a 1") == ""
    assert drive.changes("+I 7 b 1", 1) == ""
    assert both(drive, expires - 1) == f"W{expires - 1 - 9}"
    assert both(drive, expires) == f"+I[1,a,1,null,null,null] W{expires - 9}"
    assert both(drive, 40) == "W31"


def test_a_right_join_pads_the_right_rows() -> None:
    drive = driver(spec(JoinKind.RIGHT, -5, 9))
    assert drive.changes("+I 1 a 1") == ""
    assert drive.changes("+I 7 b 1", 1) == ""
    assert both(drive, 10) == "W1"
    assert both(drive, 11) == "+I[null,null,null,7,b,1] W2"


def test_late_rows_are_padded_at_once_or_find_rows_that_are_kept() -> None:
    drive = driver(spec(JoinKind.FULL, -5, 5))
    assert drive.changes("+I 7 a 30", 1) == ""
    assert both(drive, 28) == "W23"
    assert drive.changes("+I 1 a 11") == "+I[1,a,11,null,null,null]"
    assert drive.changes("+I 8 a 12", 1) == "+I[null,null,null,8,a,12]"
    assert drive.changes("+I 2 a 25") == "+I[2,a,25,7,a,30]", "late, and its partner is kept"
    assert drive.changes("+I 3 a 24") == "", "it may have a partner at 29"
    assert both(drive, 30) == "+I[3,a,24,null,null,null] W25"


def test_a_row_expires_behind_the_watermark_of_its_last_partner() -> None:
    """Times are equal. The watermark 10 says that no row at 10 follows; Flink keeps the row until 11."""
    drive = driver(spec(JoinKind.INNER, 0, 0))
    assert drive.changes("+I 1 a 10") == ""
    assert both(drive, 10) == "W10"
    assert drive.changes("+I 7 a 10", 1) == "+I[1,a,10,7,a,10]"
    assert both(drive, 11) == "W11"
    assert drive.changes("+I 8 a 10", 1) == ""


def test_an_inner_join_drops_late_rows_in_silence() -> None:
    drive = driver(spec(JoinKind.INNER, -5, 5))
    both(drive, 28)
    assert drive.changes("+I 1 a 11") == ""
    assert drive.changes("+I 7 a 11", 1) == ""


def test_null_keys_wait_and_are_padded() -> None:
    drive = driver(spec(JoinKind.LEFT, 0, 0))
    assert drive.changes("+I 7 null 1", 1) == ""
    assert drive.changes("+I 1 null 1") == ""
    assert both(drive, 2) == "+I[1,null,1,null,null,null] W2"
    safe = driver(spec(JoinKind.LEFT, 0, 0, null_safe=True))
    assert safe.changes("+I 7 null 1", 1) == ""
    assert safe.changes("+I 1 null 1") == "+I[1,null,1,7,null,1]"
    assert both(safe, 2) == "W2"


def test_a_time_that_is_null_has_no_partner() -> None:
    """The padded side of a join below has NULL times."""
    drive = driver(spec(JoinKind.LEFT, -5, 5))
    assert drive.changes("+I 7 a null", 1) == ""
    assert drive.changes("+I 1 a null, +I 2 a 0") == "+I[1,a,null,null,null,null]"
    assert both(drive, 9) == "+I[2,a,0,null,null,null] W4"


def test_a_condition_is_part_of_the_match() -> None:
    drive = driver(spec(JoinKind.LEFT, -5, 5, condition=LESS))
    assert drive.changes("+I 5 a 1, +I 8 a 1") == ""
    assert drive.changes("+I 7 a 2", 1) == "+I[5,a,1,7,a,2]"
    assert drive.changes("+I 6 a 2", 1) == "+I[5,a,1,6,a,2]"
    assert both(drive, 7) == "+I[8,a,1,null,null,null] W2"


def test_without_a_key_all_rows_meet() -> None:
    drive = driver(spec(JoinKind.FULL, -1, 1, keyed=False))
    assert drive.changes("+I 1 a 1, +I 2 b 5") == ""
    assert drive.changes("+I 7 c 2", 1) == "+I[1,a,1,7,c,2]"
    assert both(drive, 7) == "+I[2,b,5,null,null,null] W6"


def test_bounds_that_no_pair_fits() -> None:
    """left BETWEEN right + 3 AND right + 1: each row is padded at once, and watermarks pass."""
    drive = driver(spec(JoinKind.FULL, 3, 1))
    assert drive.changes("+I 1 a 1") == "+I[1,a,1,null,null,null]"
    assert drive.changes("+I 7 a 1", 1) == "+I[null,null,null,7,a,1]"
    assert both(drive, 5) == "W5"
    inner = driver(spec(JoinKind.INNER, 3, 1))
    assert inner.changes("+I 1 a 1") == inner.changes("+I 7 a 1", 1) == ""


def test_rows_before_1970_are_kept() -> None:
    """Flink takes the watermark for 0 until it is above: such rows are late there from the start."""
    drive = driver(spec(JoinKind.LEFT, -5, 5))
    assert drive.changes("+I 1 a -100, +I 2 b -100") == ""
    assert drive.changes("+I 7 a -98", 1) == "+I[1,a,-100,7,a,-98]"
    assert both(drive, -90) == "+I[2,b,-100,null,null,null] W-95"


def test_the_end_of_the_input_expires_all_rows() -> None:
    drive = driver(spec(JoinKind.LEFT, -5, 5))
    assert drive.changes("+I 1 a 100") == ""
    assert both(drive, MAX_WATERMARK) == "+I[1,a,100,null,null,null] WMAX"


def test_one_input_alone_moves_no_time() -> None:
    drive = driver(spec(JoinKind.LEFT, -5, 5))
    assert drive.changes("+I 1 a 1") == ""
    assert drive.watermark(500, 0) == ""
    assert drive.changes("+I 7 a 2", 1) == "+I[1,a,1,7,a,2]"


def test_a_new_micro_batch_tells_the_watermark_again() -> None:
    store = MemoryStore()
    backend = SortedRunBackend.open(store)
    join = IntervalJoin(spec(JoinKind.LEFT, -5, 5), backend, standing_clock(1))
    sent = [told(join.watermark(Watermark(9), port)) for port in (0, 1)]
    assert sent == ["", "W4"]
    list(join.barrier())
    backend.commit()
    join = IntervalJoin(spec(JoinKind.LEFT, -5, 5), SortedRunBackend.open(store), standing_clock(1))
    sent = [told(join.watermark(Watermark(9, BEFORE_ALL), port)) for port in (0, 1)]
    assert sent == ["W4", "W4"]
    assert told(join.watermark(Watermark(9), 0)) == ""


def test_rows_that_expired_leave_the_state() -> None:
    """In slices of the length of the interval; the rows that wait for padding at once."""
    backend = SortedRunBackend()
    join = IntervalJoin(spec(JoinKind.LEFT, -500, 500), backend, standing_clock(1))
    drive = driver(spec(JoinKind.LEFT, -500, 500))
    drive._operator = join
    for at in range(0, 100_000, 1000):
        drive.changes(f"+I 1 a {at}, +I 2 b {at}")
        drive.changes(f"+I 7 a {at}", 1)
        both(drive, at)
    list(join.barrier())
    sizes = kept(backend)
    assert sizes.pop("interval-join.left.rows.v1") <= 6
    assert sizes.pop("interval-join.right.rows.v1") <= 3
    assert sizes.pop("interval-join.left.waiting.v1") <= 2
    both(drive, 200_000)
    assert {name for name in kept(backend) if "rows" in name or "waiting" in name} == set()


def test_rows_that_expire_are_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """However many pieces the pairs of a batch are made in."""
    read: list[int] = []
    rows_of = RetainedRows.rows_of
    monkeypatch.setattr(
        RetainedRows,
        "rows_of",
        lambda self, waiting: read.append(len(waiting.times)) or rows_of(self, waiting),
    )
    monkeypatch.setattr(meeting, "PIECE", 1)
    drive = driver(spec(JoinKind.LEFT, -5, 5))
    drive.changes("+I 1 b 0, +I 2 b 1, +I 3 a 100, +I 4 a 101, +I 5 a 102")
    drive.watermark(50, 1)
    rows = to_table(parse("+I 7 a 100, +I 8 a 101, +I 9 a 102", TYPES), TYPES)
    marked = WatermarkedBatch(rows, np.array([60]), np.array([2]))
    left = WatermarkedBatch(to_table([], TYPES), np.array([60]), np.array([2]))
    sent = told(drive._operator.ports(PortBatch((left, marked))))
    assert sent.count("+I") == 11
    assert read == [2]


@pytest.mark.parametrize("kind", JoinKind)
def test_rows_that_are_never_asked_for_are_not_kept(kind: JoinKind) -> None:
    """A NULL key has no partner; a late row can have none any more."""
    backend = SortedRunBackend()
    drive = driver(spec(kind, -5, 5))
    drive._operator = IntervalJoin(spec(kind, -5, 5), backend, standing_clock(1))
    both(drive, 100)
    drive.changes("+I 1 a 1, +I 2 null 200")
    drive.changes("+I 7 a 1, +I 8 null 200", 1)
    found = {port: f"interval-join.{port}.rows.v1" in kept(backend) for port in ("left", "right")}
    assert found == {"left": kind.pads(0), "right": kind.pads(1)}
