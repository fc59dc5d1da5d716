"""GroupAggregate against Flink's recorded traces, in columns and row by row."""

from __future__ import annotations

import pytest

from firesteel.types.sql import DOUBLE
from tests.runtime.driven_operators import COUNT_STAR, call, run, run_timed, spec

both_ways = pytest.mark.parametrize("columnar", [True, False])


@both_ways
@pytest.mark.parametrize("batch", [1, 3, 100])
def test_trace(batch: int, columnar: bool) -> None:
    calls = [call("SUM"), COUNT_STAR, call("COUNT"), call("MAX")]
    text = "+I a 1, +I a 2, -D a 2, -D a 1, -D b 1, +I b 5, +I b null"
    assert run(spec(calls), text, batch, columnar) == (
        "+I[a,1,1,1,1] -U[a,1,1,1,1] +U[a,3,2,2,2] -U[a,3,2,2,2] +U[a,1,1,1,1] -D[a,1,1,1,1] "
        "+I[b,5,1,1,5] -U[b,5,1,1,5] +U[b,5,2,1,5]"
    )


@both_ways
@pytest.mark.parametrize("update_before", [True, False])
def test_updating_the_only_row_deletes_and_creates_the_group(update_before: bool, columnar: bool) -> None:
    out = run(spec([call("SUM")], update_before), "+I a 1, -U a 1, +U a 2, -D a 2", columnar=columnar)
    assert out == "+I[a,1] -D[a,1] +I[a,2] -D[a,2]"


@both_ways
def test_second_row_in_the_group(columnar: bool) -> None:
    text = "+I a 1, +I a 5, -U a 1, +U a 2, -D a 2, -D a 5, +I b 1"
    assert run(spec([call("SUM")], update_before=False), text, columnar=columnar) == (
        "+I[a,1] +U[a,6] +U[a,5] +U[a,7] +U[a,5] -D[a,5] +I[b,1]"
    )
    assert run(spec([call("SUM")]), text, columnar=columnar) == (
        "+I[a,1] -U[a,1] +U[a,6] -U[a,6] +U[a,5] -U[a,5] +U[a,7] -U[a,7] +U[a,5] -D[a,5] +I[b,1]"
    )


@both_ways
@pytest.mark.parametrize("batch", [1, 2, 100])
def test_orphan_retractions(batch: int, columnar: bool) -> None:
    calls = [call("SUM"), COUNT_STAR, call("MAX")]
    text = "-D a 1, -U a 1, +U a 2, -D a 7, -D a 3, +I a 4"
    assert run(spec(calls), text, batch, columnar) == "+I[a,2,1,2] -D[a,2,1,2] +I[a,4,1,4]"


@both_ways
def test_equal_results_are_not_sent(columnar: bool) -> None:
    assert run(spec([call("SUM")]), "+I a 1, +I a 0", columnar=columnar) == "+I[a,1]"
    assert run(spec([]), "+I a 1, +I a 0, +I b 1", columnar=columnar) == "+I[a] +I[b]"
    assert run(spec([], retracts=False), "+I a 1, +I a 0, +I b 1", columnar=columnar) == "+I[a] +I[b]"
    assert run(spec([COUNT_STAR]), "+I a 1, +I a 0", columnar=columnar) == "+I[a,1] -U[a,1] +U[a,2]"


@both_ways
def test_nan_never_equals_itself_and_minus_zero_equals_zero(columnar: bool) -> None:
    text = "+I a nan, +I a 1, +I b -0.0, +I b 0.0, +I b 1"
    out = run(spec([call("SUM", kind=DOUBLE)], kind=DOUBLE), text, columnar=columnar)
    assert out == "+I[a,NaN] -U[a,NaN] +U[a,NaN] +I[b,-0.0] -U[b,0.0] +U[b,1.0]"


@both_ways
def test_keys_are_grouped_by_their_bytes(columnar: bool) -> None:
    what = spec([COUNT_STAR], kind=DOUBLE, keys=(1,))
    text = "+I a 0.0, +I a -0.0, +I a nan, +I b nan, +I c null, +I d null"
    assert run(what, text, columnar=columnar) == (
        "+I[0.0,1] +I[-0.0,1] +I[NaN,1] -U[NaN,1] +U[NaN,2] +I[null,1] -U[null,1] +U[null,2]"
    )


@both_ways
def test_global_aggregate(columnar: bool) -> None:
    what = spec([COUNT_STAR, call("SUM")], keys=())
    assert run(what, "", columnar=columnar) == ""
    assert run(what, "+I a 1, -D a 1", columnar=columnar) == "+I[1,1] -D[1,1]"
    assert run(what, "+I a 1, +I b 2", 1, columnar) == "+I[1,1] -U[1,1] +U[2,3]"


HARNESS = [
    (1, "+I aaa 1, +I bbb 1, +I aaa 2"),
    (1, "-D aaa 2, +I ccc 3"),
    (3002, "-U ccc 3"),
    (3002, "+I aaa 4, +I bbb 2, +I aaa 5"),
    (3002, "+I eee 6, +I aaa 7, +I bbb 3"),
    (3002, "+I aaa 0"),
]
"""Flink: GroupAggregateHarnessTest."""


@both_ways
@pytest.mark.parametrize("stored", [True, False])
def test_time_to_live(stored: bool, columnar: bool) -> None:
    assert run_timed(spec([call("SUM")], ttl=2000), HARNESS, stored=stored, columnar=columnar) == (
        "+I[aaa,1] +I[bbb,1] -U[aaa,1] +U[aaa,3] "
        "-U[aaa,3] +U[aaa,1] +I[ccc,3] "
        "+I[aaa,4] +I[bbb,2] -U[aaa,4] +U[aaa,9] "
        "+I[eee,6] -U[aaa,9] +U[aaa,16] -U[bbb,2] +U[bbb,5] "
        "-U[aaa,16] +U[aaa,16]"
    )


@both_ways
@pytest.mark.parametrize("stored", [True, False])
def test_state_is_gone_exactly_after_the_time_to_live(stored: bool, columnar: bool) -> None:
    parts = [(1, "+I a 1"), (2000, "+I a 1"), (4000, "+I a 1")]
    out = run_timed(spec([call("SUM")], ttl=2000), parts, stored=stored, columnar=columnar)
    assert out == "+I[a,1] -U[a,1] +U[a,2] +I[a,1]"


@both_ways
@pytest.mark.parametrize("stored", [True, False])
def test_map_entries_expire_alone(stored: bool, columnar: bool) -> None:
    calls = [call("SUM"), COUNT_STAR, call("MAX"), call("COUNT", distinct=True)]
    parts = [(0, "+I a 9"), (250, "+I a 1"), (500, "+I a 1"), (750, "+I a 1"), (1000, "-D a 9")]
    out = run_timed(spec(calls, ttl=400), parts, stored=stored, columnar=columnar)
    assert out.endswith("-U[a,12,4,9,2] +U[a,3,3,9,2]")


@both_ways
@pytest.mark.parametrize("stored", [True, False])
def test_a_write_renews_a_map_entry_even_where_it_changes_nothing(stored: bool, columnar: bool) -> None:
    parts = [(0, "+I a 9"), (300, "+I a 9, -D a 9"), (600, "+I a 1"), (699, "-D a 9")]
    out = run_timed(spec([call("MAX")], ttl=400), parts, stored=stored, columnar=columnar)
    assert out.endswith("-U[a,9] +U[a,1]")


@both_ways
@pytest.mark.parametrize("stored", [True, False])
def test_distinct_repeats_an_update_for_each_duplicate_under_a_time_to_live(
    stored: bool, columnar: bool
) -> None:
    out = run_timed(
        spec([], ttl=400, retracts=False), [(0, "+I a 1, +I a 1")], stored=stored, columnar=columnar
    )
    assert out == "+I[a] -U[a] +U[a]"
