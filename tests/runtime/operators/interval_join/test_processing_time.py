"""Interval joins by processing time: rows have the time of their micro-batch, and expire by the clock."""

from __future__ import annotations

from firesteel.runtime.operators.interval_join.interval_join import IntervalJoin
from firesteel.runtime.spec.interval_join import IntervalJoinSpec
from firesteel.runtime.spec.join import JoinKind
from firesteel.runtime.state.backend import SortedRunBackend
from firesteel.runtime.state.memory import MemoryStore
from tests.runtime.messages import Driver
from tests.runtime.operators.interval_join.specs import TYPES, spec
from tests.runtime.state_size import kept


class MicroBatches:
    """One operator after the other over the same state, each with its time."""

    def __init__(self, of: IntervalJoinSpec) -> None:
        self._of = of
        self._store = MemoryStore()
        self.next_timer: int | None = None
        self.sizes: dict[str, int] = {}

    def at(self, now: int, left: str = "", right: str = "") -> str:
        """Run a micro-batch and return what it sends."""
        backend = SortedRunBackend.open(self._store)
        operator = IntervalJoin(self._of, backend, lambda: now)
        drive = Driver(operator, TYPES, TYPES)
        sent = [drive.changes(rows, port) for port, rows in enumerate((left, right)) if rows]
        sent.append(drive.barrier())
        self.next_timer = operator.next_timer()
        backend.commit()
        self.sizes = kept(backend)
        return " ".join(filter(None, sent))


def test_rows_meet_those_of_the_last_seconds() -> None:
    """left BETWEEN right - 10 AND right + 20, in processing time."""
    run = MicroBatches(spec(JoinKind.INNER, -10, 20, is_rowtime=False))
    assert run.at(100, "+I 1 a 0") == ""
    assert run.at(110, right="+I 7 a 0, +I 8 b 0") == "+I[1,a,0,7,a,0]"
    assert run.at(111, right="+I 9 a 0") == "", "11 ms later"
    assert run.at(130, "+I 2 a 0, +I 3 b 0") == "+I[2,a,0,7,a,0] +I[2,a,0,9,a,0] +I[3,b,0,8,b,0]"
    assert run.at(131, "+I 4 b 0, +I 5 a 0") == "+I[5,a,0,9,a,0]"


def test_rows_of_one_micro_batch_meet() -> None:
    run = MicroBatches(spec(JoinKind.FULL, -1, 1, is_rowtime=False))
    assert run.at(100, "+I 1 a 0", "+I 7 a 0") == "+I[1,a,0,7,a,0]"
    assert run.at(200) == ""


def test_equal_times_alone_never_meet() -> None:
    """As in Flink: no row is kept that no later millisecond can meet."""
    run = MicroBatches(spec(JoinKind.FULL, 0, 0, is_rowtime=False))
    assert run.at(100, "+I 1 a 0", "+I 7 a 0") == "+I[1,a,0,null,null,null] +I[null,null,null,7,a,0]"


def test_rows_without_a_partner_are_padded_by_the_clock() -> None:
    run = MicroBatches(spec(JoinKind.FULL, -10, 20, is_rowtime=False))
    assert run.at(100, "+I 1 a 0, +I 2 b 0", "+I 7 a 0, +I 8 c 0") == "+I[1,a,0,7,a,0]"
    assert run.next_timer == 111
    assert run.at(110) == ""
    assert run.at(111) == "+I[2,b,0,null,null,null]"
    assert run.next_timer == 121
    assert run.at(121, "+I 3 c 0") == "+I[null,null,null,8,c,0]", "the left row is too late for it"
    assert run.next_timer == 132
    assert run.at(500) == "+I[3,c,0,null,null,null]"
    assert run.next_timer is None


def test_rows_that_expired_leave_the_state() -> None:
    run = MicroBatches(spec(JoinKind.INNER, -500, 500, is_rowtime=False))
    for now in range(0, 100_000, 1000):
        run.at(now, "+I 1 a 0, +I 2 b 0", "+I 7 c 0")
    assert run.next_timer is None
    assert run.sizes["interval-join.left.rows.v1"] <= 4
    assert run.sizes["interval-join.right.rows.v1"] <= 2


def test_only_padding_needs_timers() -> None:
    assert [spec(kind, 0, 9, is_rowtime=False).sets_timers for kind in JoinKind] == [False, True, True, True]
    assert not spec(JoinKind.FULL, 0, 9).sets_timers
    assert [spec(JoinKind.FULL, 0, 9, is_rowtime=each).reads_watermarks for each in (True, False)] == [
        True,
        False,
    ]
