"""Rank: the changes of Flink's own tests, and those that Flink 2.3 was seen to send."""

from __future__ import annotations

from typing import Any

import pytest

from firesteel.runtime.dataflow.chain import standing_clock
from firesteel.runtime.operators.rank.rank import build
from firesteel.runtime.spec.rank import RankSpec, RankStrategy
from firesteel.runtime.state.base import StateBackend
from firesteel.runtime.state.memory import memory_backend
from firesteel.runtime.state.order_codes import SortOrder
from firesteel.types.sql import BIGINT, INT, STRING
from tests.runtime.messages import Driver
from tests.runtime.state_size import kept

TYPES = (STRING, BIGINT, INT)
"""name, id, price"""

APPEND, UPDATE, RETRACT = RankStrategy.APPEND, RankStrategy.UPDATE, RankStrategy.RETRACT
ASCENDING, DESCENDING = SortOrder(), SortOrder(True, True)


def spec(strategy: RankStrategy, end: int | None, order: SortOrder = ASCENDING, **settings: Any) -> RankSpec:
    """The first rows by price of each name."""
    row_key = (0, 1) if strategy is UPDATE else ()
    return RankSpec(TYPES, (0,), (2,), (order,), strategy, end, row_key=row_key, **settings)


def driver(of: RankSpec, state: StateBackend | None = None) -> Driver:
    return Driver(build(of, state, standing_clock(1)), of.input_types)


BOOKS = (
    """+I book 1 12, +I book 2 19, +I book 4 11, +I book 5 11, +I fruit 4 33, +I fruit 3 44, +I fruit 5 22"""
)


# --- Flink's TopNFunctionTestBase ----------------------------------------------------------------
@pytest.mark.parametrize("update_before", [True, False])
@pytest.mark.parametrize("strategy", [APPEND, UPDATE, RETRACT])
def test_a_row_that_enters_without_a_number_evicts_with_a_delete(
    strategy: RankStrategy, update_before: bool
) -> None:
    drive = driver(spec(strategy, 2, emit_update_before=update_before))
    rows = (
        "+I book 1 12, +I book 2 19, +I book 3 19, +I book 4 11, +I book 5 11, +I fruit 4 33, +I fruit 3 44"
    )
    assert drive.changes(f"{rows}, +I fruit 5 22") == (
        "+I[book,1,12] +I[book,2,19] -D[book,2,19] +I[book,4,11] -D[book,1,12] +I[book,5,11] "
        "+I[fruit,4,33] +I[fruit,3,44] -D[fruit,3,44] +I[fruit,5,22]"
    )


@pytest.mark.parametrize("strategy", [APPEND, UPDATE, RETRACT])
def test_with_a_number_all_ranks_behind_are_updated(strategy: RankStrategy) -> None:
    expected = (
        "+I[book,1,12,1] +I[book,2,19,2] -U[book,1,12,1] +U[book,4,11,1] -U[book,2,19,2] +U[book,1,12,2] "
        "-U[book,1,12,2] +U[book,5,11,2] +I[fruit,4,33,1] +I[fruit,3,44,2] -U[fruit,4,33,1] "
        "+U[fruit,5,22,1] -U[fruit,3,44,2] +U[fruit,4,33,2]"
    )
    assert driver(spec(strategy, 2, with_number=True)).changes(BOOKS) == expected
    without = [each for each in expected.split() if not each.startswith("-U")]
    drive = driver(spec(strategy, 2, with_number=True, emit_update_before=False))
    assert drive.changes(BOOKS).split() == without


@pytest.mark.parametrize("strategy", [APPEND, UPDATE, RETRACT])
def test_an_offset_updates_the_ranks_of_the_range(strategy: RankStrategy) -> None:
    rows = "+I book 1 12, +I book 2 19, +I book 4 11, +I fruit 4 33, +I fruit 3 44, +I fruit 5 22"
    assert driver(spec(strategy, 2, start=2)).changes(rows) == (
        "+I[book,2,19] -U[book,2,19] +U[book,1,12] +I[fruit,3,44] -U[fruit,3,44] +U[fruit,4,33]"
    )


@pytest.mark.parametrize("strategy", [APPEND, RETRACT])
def test_the_end_may_be_a_field_of_the_first_row(strategy: RankStrategy) -> None:
    rows = "+I book 2 12, +I book 2 19, +I book 2 11, +I fruit 1 33, +I fruit 1 44, +I fruit 1 22"
    assert driver(spec(strategy, None, end_field=1)).changes(rows) == (
        "+I[book,2,12] +I[book,2,19] -D[book,2,19] +I[book,2,11] +I[fruit,1,33] -D[fruit,1,33] +I[fruit,1,22]"
    )
    assert driver(spec(strategy, None, end_field=1, with_number=True)).changes(rows) == (
        "+I[book,2,12,1] +I[book,2,19,2] -U[book,2,12,1] +U[book,2,11,1] -U[book,2,19,2] +U[book,2,12,2] "
        "+I[fruit,1,33,1] -U[fruit,1,33,1] +U[fruit,1,22,1]"
    )


def test_a_later_end_changes_nothing() -> None:
    drive = driver(spec(APPEND, None, end_field=1))
    assert drive.changes("+I book 1 12, +I book 9 19") == "+I[book,1,12]"
    assert drive.changes("+I book 9 19, +I book 9 11") == "-D[book,1,12] +I[book,9,11]"


@pytest.mark.parametrize("strategy", [APPEND, RETRACT])
def test_an_end_of_null_or_zero_has_no_rows(strategy: RankStrategy) -> None:
    drive = driver(spec(strategy, None, end_field=1))
    assert drive.changes("+I a null 1, +I b 0 1, +I c -1 1") == ""
    assert drive.changes("+I a null 1, +I b 0 1, +I c -1 1") == ""
    if strategy is RETRACT:
        assert drive.changes("-D a null 1, -D b 0 1, -D c -1 1") == ""


def test_an_end_above_a_hundred_is_kept() -> None:
    """Flink compares with 100 rows, whatever the field says, and drops rows beyond."""
    drive = driver(spec(APPEND, None, end_field=1))
    rows = ", ".join(f"+I book 150 {price}" for price in range(200))
    assert drive.changes(rows).count("+I") == 150


# --- Flink's RetractableTopNFunctionTest ------------------------------------------------------------
def test_a_retraction_moves_the_ranks_behind_up() -> None:
    rows = "+I book 1 12, +I book 2 19, +I book 4 11, -U book 1 12, +I book 5 11"
    expected = (
        "+I[book,1,12,1] +I[book,2,19,2] -U[book,1,12,1] +U[book,4,11,1] -U[book,2,19,2] +U[book,1,12,2] "
        "-U[book,1,12,2] +U[book,2,19,2] -U[book,2,19,2] +U[book,5,11,2]"
    )
    assert driver(spec(RETRACT, 2, with_number=True)).changes(rows) == expected
    drive = driver(spec(RETRACT, 2, with_number=True, emit_update_before=False))
    assert drive.changes(rows).split() == [each for each in expected.split() if not each.startswith("-U")]


def test_a_retraction_lets_the_next_row_in() -> None:
    drive = driver(spec(RETRACT, 2))
    drive.changes("+I book 1 12, +I book 2 19, +I book 4 11, +I book 5 11")
    assert drive.changes("-D book 4 11") == "-D[book,4,11] +I[book,1,12]"
    assert drive.changes("-D book 2 19") == ""
    assert drive.changes("-D book 1 12") == "-D[book,1,12]"
    assert drive.changes("-D book 5 11") == "-D[book,5,11]"


def test_of_equal_rows_the_oldest_goes() -> None:
    drive = driver(spec(RETRACT, 2))
    drive.changes("+I book 1 12, +I book 2 12, +I book 1 12, +I book 3 12")
    assert drive.changes("-D book 1 12") == "-D[book,1,12] +I[book,1,12]"
    assert drive.changes("-D book 2 12") == "-D[book,2,12] +I[book,3,12]"


def test_a_row_that_is_not_there_is_not_taken_away() -> None:
    """Flink lowers the number of rows of its sort key, and later sends too few."""
    drive = driver(spec(RETRACT, 2))
    drive.changes("+I book 1 12, +I book 2 12, +I book 3 13")
    assert drive.changes("-D book 9 12, -D book 9 14, -D fruit 1 12") == ""
    assert drive.changes("-D book 1 12") == "-D[book,1,12] +I[book,3,13]"


# --- as Flink 2.3 was seen to send -----------------------------------------------------------------
def test_an_update_under_retraction_leaves_and_enters() -> None:
    drive = driver(spec(RETRACT, 2, DESCENDING))
    drive.changes("+I a 1 10, +I a 2 20, +I a 4 30")
    assert drive.changes("-U a 4 30, +U a 4 15") == "-D[a,4,30] +I[a,1,10] -D[a,1,10] +I[a,4,15]"
    assert drive.changes("-U a 4 15, +U a 4 15") == "-D[a,4,15] +I[a,1,10] -D[a,1,10] +I[a,4,15]"


def test_a_row_written_again_moves_behind_its_equals() -> None:
    drive = driver(spec(RETRACT, 2, DESCENDING))
    drive.changes("+I a 1 10, +I a 2 10, +I a 3 10")
    assert drive.changes("-U a 1 10, +U a 1 10") == "-D[a,1,10] +I[a,3,10]"


def test_an_offset_under_retraction_gives_the_rows_of_the_range() -> None:
    """Flink loses rows whose kind it has changed, and sends nothing when they go."""
    drive = driver(spec(RETRACT, 2, DESCENDING, start=2))
    assert drive.changes("+I a 1 10, +I a 2 20, +I a 3 30, +I a 4 40") == (
        "+I[a,1,10] -U[a,1,10] +U[a,2,20] -U[a,2,20] +U[a,3,30]"
    )
    assert drive.changes("-D a 3 30") == "-U[a,3,30] +U[a,2,20]"
    assert drive.changes("-D a 4 40") == "-U[a,2,20] +U[a,1,10]"
    assert drive.changes("-D a 2 20") == "-D[a,1,10]"


def test_a_row_that_leaves_the_range_is_deleted_where_nobody_reads_updates() -> None:
    """Flink sends changes by rank, without -U: a table by the key of the rows keeps what has left."""
    drive = driver(spec(RETRACT, 3, start=2, emit_update_before=False))
    assert drive.changes("+I a 1 10, +I a 2 20, +I a 3 30") == "+I[a,2,20] +I[a,3,30]"
    assert drive.changes("+I a 4 5") == "-D[a,3,30] +I[a,1,10]"
    assert drive.changes("-D a 4 5") == "-D[a,1,10] +I[a,3,30]"
    assert drive.changes("-D a 2 20") == "-D[a,2,20]"
    assert drive.changes("-D a 1 10") == "-D[a,3,30]"


def test_an_offset_over_inserts() -> None:
    drive = driver(spec(APPEND, 3, DESCENDING, start=2))
    assert drive.changes("+I a 1 10, +I a 2 20, +I a 3 20, +I a 4 30, +I a 5 5") == (
        "+I[a,1,10] -U[a,1,10] +U[a,3,20] +I[a,1,10] -U[a,3,20] +U[a,2,20] -U[a,1,10] +U[a,3,20]"
    )


# --- FastTop1Function ------------------------------------------------------------------------------
@pytest.mark.parametrize("with_number", [False, True])
@pytest.mark.parametrize("strategy", [APPEND, UPDATE])
def test_the_one_row_of_a_top1_is_updated(strategy: RankStrategy, with_number: bool) -> None:
    drive = driver(spec(strategy, 1, with_number=with_number))
    sent = "+I[book,1,12] -U[book,1,12] +U[book,4,11] +I[fruit,4,33] -U[fruit,4,33] +U[fruit,5,22]"
    assert drive.changes(BOOKS) == (sent.replace("]", ",1]") if with_number else sent)
    drive = driver(spec(strategy, 1, emit_update_before=False))
    assert drive.changes(BOOKS) == "+I[book,1,12] +U[book,4,11] +I[fruit,4,33] +U[fruit,5,22]"


UPDATES = "+I book 2 19, +I book 3 16, +U book 2 11, +U book 3 15, +I book 4 2, +U book 2 1"


def test_a_top1_over_updates() -> None:
    assert driver(spec(UPDATE, 1)).changes(UPDATES) == (
        "+I[book,2,19] -U[book,2,19] +U[book,3,16] -U[book,3,16] +U[book,2,11] -U[book,2,11] +U[book,4,2] "
        "-U[book,4,2] +U[book,2,1]"
    )


def test_an_update_of_the_top1_that_leaves_its_sort_key_is_sent() -> None:
    """Flink drops it: the row keeps old values."""
    of = RankSpec((STRING, BIGINT, INT, INT), (0,), (2,), (ASCENDING,), UPDATE, 1, row_key=(0, 1))
    drive = driver(of)
    drive.changes("+I book 1 12 0")
    assert drive.changes("+U book 1 12 7, +I book 2 12 0") == "-U[book,1,12,0] +U[book,1,12,7]"


# --- Flink's UpdatableTopNFunctionTest --------------------------------------------------------------
def test_updates_without_a_number_stay_in_place() -> None:
    assert driver(spec(UPDATE, 2)).changes(UPDATES) == (
        "+I[book,2,19] +I[book,3,16] -U[book,2,19] +U[book,2,11] -U[book,3,16] +U[book,3,15] -D[book,3,15] "
        "+I[book,4,2] -U[book,2,11] +U[book,2,1]"
    )
    assert driver(spec(UPDATE, 2, emit_update_before=False)).changes(UPDATES) == (
        "+I[book,2,19] +I[book,3,16] +U[book,2,11] +U[book,3,15] -D[book,3,15] +I[book,4,2] +U[book,2,1]"
    )


def test_updates_with_a_number_shift_the_rows_between() -> None:
    expected = (
        "+I[book,2,19,1] -U[book,2,19,1] +U[book,3,16,1] +I[book,2,19,2] -U[book,3,16,1] -U[book,2,19,2] "
        "+U[book,2,11,1] +U[book,3,16,2] -U[book,3,16,2] +U[book,3,15,2] -U[book,2,11,1] +U[book,4,2,1] "
        "-U[book,3,15,2] +U[book,2,11,2] -U[book,4,2,1] -U[book,2,11,2] +U[book,2,1,1] +U[book,4,2,2]"
    )
    assert driver(spec(UPDATE, 2, with_number=True)).changes(UPDATES) == expected
    drive = driver(spec(UPDATE, 2, with_number=True, emit_update_before=False))
    assert drive.changes(UPDATES).split() == [e for e in expected.split() if not e.startswith("-U")]


def test_an_update_down_is_followed_as_flink_does() -> None:
    drive = driver(spec(UPDATE, 3, with_number=True))
    drive.changes("+I a 1 1, +I a 2 2, +I a 3 3")
    assert drive.changes("+U a 1 9") == (
        "-U[a,1,1,1] -U[a,2,2,2] +U[a,2,2,1] -U[a,3,3,3] +U[a,3,3,2] +U[a,1,9,3]"
    )


# --- LIMIT -----------------------------------------------------------------------------------------
def limit(strategy: RankStrategy, end: int, start: int = 1) -> RankSpec:
    return RankSpec(TYPES, (), (), (), strategy, end, start)


def test_a_limit_over_inserts_is_the_first_rows() -> None:
    drive = driver(limit(APPEND, 3, 2))
    assert drive.changes("+I a 1 1, +I b 2 2") == "+I[b,2,2]"
    assert drive.changes("+I c 3 3, +I d 4 4") == "+I[c,3,3]"
    assert drive.changes("+I e 5 5") == ""


def test_a_limit_over_changes_refills_in_the_sequence_of_arrival() -> None:
    drive = driver(limit(RETRACT, 2))
    drive.changes("+I a 1 1, +I b 2 2, +I c 3 3, +I d 4 4")
    assert drive.changes("-D a 1 1") == "-D[a,1,1] +I[c,3,3]"
    assert drive.changes("-D d 4 4, -D b 2 2, -D c 3 3") == "-D[b,2,2] -D[c,3,3]"


def test_the_first_rows_of_each_partition_with_their_number() -> None:
    of = RankSpec(TYPES, (0,), (), (), APPEND, 2, with_number=True)
    assert (
        driver(of).changes("+I a 1 1, +I b 1 1, +I a 2 2, +I a 3 3") == "+I[a,1,1,1] +I[b,1,1,1] +I[a,2,2,2]"
    )


# --- state -----------------------------------------------------------------------------------------
@pytest.mark.parametrize("strategy", [APPEND, UPDATE, RETRACT])
def test_a_new_operator_goes_on_with_the_state(strategy: RankStrategy) -> None:
    state = memory_backend()
    drive = driver(spec(strategy, 2), state)
    drive.changes(BOOKS)
    drive.barrier()
    assert (
        driver(spec(strategy, 2), state).changes("+I book 6 11, +I book 1 10")
        == "-D[book,5,11] +I[book,1,10]"
    )


@pytest.mark.parametrize("strategy", [APPEND, UPDATE, RETRACT])
def test_rows_expire(strategy: RankStrategy) -> None:
    now = 0
    operator = build(spec(strategy, 2, ttl=10), None, lambda: now)
    drive = Driver(operator, TYPES)
    drive.changes("+I book 1 12")
    now = 5
    assert drive.changes("+I book 2 13") == "+I[book,2,13]"
    now = 11
    assert drive.changes("+I book 4 15, +I book 5 16") == "+I[book,4,15]"


@pytest.mark.parametrize("row_key", [(), (1,)])
def test_nothing_is_left_of_rows_that_are_taken_away(row_key: tuple[int, ...]) -> None:
    state = memory_backend()
    of = RankSpec(TYPES, (0,), (2,), (ASCENDING,), RETRACT, 1, row_key=row_key)
    drive = driver(of, state)
    drive.changes("+I a 1 1, +I a 2 2, +I a 3 3, +I b 4 1")
    drive.changes("-D a 3 3, -U a 1 1, +U a 1 5")
    drive.barrier()
    index = "numbers" if row_key else "hashes"
    assert kept(state) == {"rank.rows.v1": 3, f"rank.{index}.v1": 3, "rank.came.v1": 1}
    drive.changes("-D a 2 2, -D b 4 1, -D a 1 5")
    assert kept(state) == {"rank.came.v1": 1}


def test_over_inserts_only_the_rows_of_the_range_are_kept() -> None:
    state = memory_backend()
    drive = driver(spec(APPEND, 2), state)
    for start in range(0, 40, 4):
        drive.changes(", ".join(f"+I {name} {n} {50 - n}" for n in range(start, start + 4) for name in "ab"))
    assert kept(state) == {"rank.top.v1": 4}
    drive = driver(limit(APPEND, 100), state := memory_backend())
    drive.changes(", ".join(f"+I a {n} 1" for n in range(50)))
    assert kept(state) == {"rank.count.v1": 1}


@pytest.mark.parametrize("strategy", [APPEND, UPDATE, RETRACT])
def test_nothing_is_left_of_rows_that_have_expired(strategy: RankStrategy) -> None:
    now, state = 0, memory_backend()
    drive = Driver(build(spec(strategy, 2, ttl=10), state, lambda: now), TYPES)
    drive.changes("+I a 1 1, +I a 2 2")
    now = 10
    drive.changes("+I b 1 1")
    assert set(kept(state).values()) == {1}
