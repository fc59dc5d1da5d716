"""Aggregate functions against what Flink answered: numbers, NULLs, order and orphan retractions."""

from __future__ import annotations

from decimal import Decimal

import pytest

from firesteel.errors import JobError, NotSupportedError
from firesteel.runtime.aggregate.row_engine.handler import generate
from firesteel.runtime.operators.group.group_aggregate import GroupAggregate
from firesteel.runtime.spec.operators import AggregateSpec, GroupAggregateSpec
from firesteel.runtime.state.memory import memory_backend
from firesteel.types.sql import (
    BIGINT,
    BOOLEAN,
    DOUBLE,
    FLOAT,
    INT,
    SMALLINT,
    STRING,
    TINYINT,
    SqlType,
    decimal,
)
from tests.runtime.changes import to_rows, to_table
from tests.runtime.driven_operators import COUNT_STAR, call, run, spec

both_ways = pytest.mark.parametrize("columnar", [True, False])


def last(out: str) -> str:
    """The values of the last row."""
    return out.rsplit("[", 1)[1].rstrip("]").split(",", 1)[1]


def after_each(calls: list[AggregateSpec], values: list[object], columnar: bool) -> list[tuple[object, ...]]:
    """The results after each row, of rows that are inserted."""
    what = GroupAggregateSpec((), tuple(calls), (STRING, calls[0].arg_types[0]), False, False)
    operator = GroupAggregate(what, None, lambda: 0, columnar)
    out = operator.process(to_table([("+I", "a", value) for value in values], what.input_types))
    return [tuple(row[1:]) for row in to_rows(out)]


def single(call: AggregateSpec, values: list[object], columnar: bool) -> list[object]:
    return [value for (value,) in after_each([call], values, columnar)]


@both_ways
@pytest.mark.parametrize(
    ("kind", "most"), [(TINYINT, 127), (SMALLINT, 32767), (INT, 2**31 - 1), (BIGINT, 2**63 - 1)]
)
def test_integer_sums_wrap(kind: SqlType, most: int, columnar: bool) -> None:
    assert single(call("SUM", False, kind=kind), [most, 1], columnar) == [most, -most - 1]
    out = run(spec([call("SUM", kind=kind)], kind=kind), f"+I a {most}, +I a 1, -D a 1", columnar=columnar)
    assert out == f"+I[a,{most}] -U[a,{most}] +U[a,{-most - 1}] -U[a,{-most - 1}] +U[a,{most}]"


@both_ways
def test_averages_of_integers(columnar: bool) -> None:
    assert single(call("AVG", False), [-3, 0, 10], columnar) == [-3, -1, 2]
    assert single(call("AVG", False, kind=TINYINT), [127, 1], columnar) == [127, 64]
    assert single(call("AVG", False, kind=BIGINT), [2**63 - 1, 1], columnar) == [
        2**63 - 1,
        -4611686018427387904,
    ]


@both_ways
def test_decimal_sum_that_overflows_is_null_and_starts_again(columnar: bool) -> None:
    kind = decimal(38, 0)
    most = Decimal("9" * 38)
    assert single(call("SUM", False, kind=kind), [most, Decimal(1), Decimal(1)], columnar) == [
        most, None, Decimal(1),
    ]  # fmt: skip
    assert single(call("AVG", False, kind=kind, result=decimal(38, 6)), [most], columnar) == [None]
    assert single(call("$SUM0", False, kind=kind), [most, Decimal(1), Decimal(1)], columnar) == [most, None]


@both_ways
def test_averages_of_decimals_round_half_up(columnar: bool) -> None:
    values = [Decimal(1), Decimal(1), Decimal(0)]
    average = call("AVG", False, kind=decimal(10, 2), result=decimal(38, 6))
    assert single(average, values, columnar)[-1] == Decimal("0.666667")
    average = call("AVG", False, kind=decimal(20, 8), result=decimal(38, 8))
    assert single(average, values, columnar)[-1] == Decimal("0.66666667")


@both_ways
def test_floats(columnar: bool) -> None:
    assert single(call("SUM", False, kind=FLOAT), [16777216.0, 1.0], columnar) == [16777216.0]
    # In FLOAT the sum would stay 16777216.
    assert single(call("AVG", False, kind=FLOAT), [16777216.0, 1.0, 1.0], columnar)[-1] == 5592406.0


@both_ways
def test_plain_extremes_keep_the_first_unless_it_is_beaten(columnar: bool) -> None:
    nan = float("nan")
    assert single(call("MAX", False, kind=DOUBLE), [1.0, nan], columnar) == [1.0]
    assert str(single(call("MAX", False, kind=DOUBLE), [nan, 1.0], columnar)[-1]) == "nan"
    assert str(single(call("MIN", False, kind=DOUBLE), [0.0, -0.0], columnar)) == "[0.0]"
    assert single(call("MAX", False, kind=STRING), ["", "～", "😀", "a"], columnar) == ["", "～", "😀"]
    assert single(call("MAX", False, kind=BOOLEAN), [False, True, False], columnar) == [False, True]


@both_ways
@pytest.mark.parametrize("batch", [1, 100])
def test_retracting_extremes_compare_as_java_does(batch: int, columnar: bool) -> None:
    calls = [call("MIN", kind=DOUBLE), call("MAX", kind=DOUBLE)]
    out = run(spec(calls, kind=DOUBLE), "+I a 0.0, +I a -0.0, +I a nan", batch, columnar)
    assert out == "+I[a,0.0,0.0] -U[a,-0.0,0.0] +U[a,-0.0,NaN]"


@both_ways
@pytest.mark.parametrize("batch", [1, 2, 100])
def test_extremes_under_retraction(batch: int, columnar: bool) -> None:
    calls = [call("MAX"), call("MIN"), COUNT_STAR]
    text = "+I a 3, +I a 3, +I a 2, -D a 3, -D a 3, -D a 2, -D a 2, +I a 1"
    assert run(spec(calls, update_before=False), text, batch, columnar) == (
        "+I[a,3,3,1] +U[a,3,3,2] +U[a,3,2,3] +U[a,3,2,2] +U[a,2,2,1] -D[a,2,2,1] +I[a,1,1,1]"
    )


@both_ways
@pytest.mark.parametrize("batch", [1, 2, 100])
def test_the_search_for_an_extreme_sees_values_that_were_only_retracted(batch: int, columnar: bool) -> None:
    out = run(spec([call("MAX")]), "+I a 3, +I a 2, -D a 9, +I a 1, -D a 3", batch, columnar)
    assert last(out) == "9"


@both_ways
@pytest.mark.parametrize("batch", [1, 2, 100])
def test_a_value_that_cancels_its_own_retraction_may_become_the_extreme(batch: int, columnar: bool) -> None:
    out = run(spec([call("MAX")]), "+I a 3, +I a 2, -D a 9, +I a 9", batch, columnar)
    assert last(out) == "9"


@both_ways
def test_nulls(columnar: bool) -> None:
    functions = ["SUM", "AVG", "MIN", "MAX", "FIRST_VALUE", "LAST_VALUE", "STDDEV_POP", "VAR_SAMP", "COUNT"]
    calls = [call(name) for name in functions] + [call("COUNT", distinct=True), COUNT_STAR]
    nothing = "null,null,null,null,null,null,null,null,0,0"
    assert last(run(spec(calls), "+I a null, +I a null", columnar=columnar)) == f"{nothing},2"
    assert last(run(spec(calls), "+I a 5, +I a null, -D a 5", columnar=columnar)) == f"{nothing},1"


@both_ways
@pytest.mark.parametrize("batch", [1, 3, 100])
def test_first_and_last_value(batch: int, columnar: bool) -> None:
    calls = [call("FIRST_VALUE"), call("LAST_VALUE")]
    text = "+I a 1, +I a 2, +I a 1, -D a 2, -D a 9, -D a 1, -D a 1, +I a null, +I a 7"
    assert run(spec(calls, update_before=False), text, batch, columnar) == (
        "+I[a,1,1] +U[a,1,2] +U[a,1,1] -D[a,1,1] +I[a,null,null] +U[a,7,7]"
    )


@both_ways
@pytest.mark.parametrize("batch", [1, 3, 100])
def test_a_retraction_takes_the_first_of_equal_values_for_last_value_too(batch: int, columnar: bool) -> None:
    text = "+I a 5, +I a 1, +I a 5, -D a 5"
    out = run(spec([call("LAST_VALUE"), COUNT_STAR], update_before=False), text, batch, columnar)
    assert out == "+I[a,5,1] +U[a,1,2] +U[a,5,3] +U[a,5,2]"


@both_ways
@pytest.mark.parametrize("batch", [1, 3, 100])
def test_count_distinct(batch: int, columnar: bool) -> None:
    what = spec([call("COUNT", distinct=True, kind=DOUBLE)], kind=DOUBLE)
    assert (
        last(run(what, "+I a 0.0, +I a -0.0, +I a nan, +I a nan, +I a 1, +I a null", batch, columnar)) == "4"
    )
    orphan = "+I a 1, +I a 2, -D a 7, +I a 7"
    assert run(spec([call("COUNT", distinct=True), COUNT_STAR]), orphan, batch, columnar) == (
        "+I[a,1,1] -U[a,1,1] +U[a,2,2] -U[a,2,2] +U[a,2,1] -U[a,2,1] +U[a,2,2]"
    )


@both_ways
def test_variances(columnar: bool) -> None:
    names = ["VAR_POP", "VAR_SAMP", "STDDEV_POP", "STDDEV_SAMP"]
    calls = [call(name, False) for name in names]
    assert after_each(calls, [-3, 0, 10], columnar)[-1] == (30, 46, 5, 6)
    assert after_each(calls, [1], columnar) == [(0, None, 0, None)]
    welford = call("$WELFORD_M2$1", False, result=DOUBLE)
    # 92.66666666666667 is what the order of operations gives; the exact sum is 92 2/3.
    assert single(welford, [-3, 0, 10], columnar)[-1] == pytest.approx(92.6666666, abs=1e-6)


@pytest.mark.parametrize(
    ("debt", "values", "more", "m2"),
    [(2, [5, 9], [1, 3], 2.0), (2, [5, 9], [], None), (3, [5, 9], [1, 3], -6.0), (1, [5, 9], [], -90.0)],
)
def test_variances_merge_into_retractions_that_came_first(
    debt: int, values: list[int], more: list[int], m2: float | None
) -> None:
    """Flink: WelfordM2AggFunction.merge. Counts that add up to 0 divide by it there and are then set back;
    what is owed has the mean 0."""
    generated = generate(spec([call("$WELFORD_M2$1", result=DOUBLE)]))
    one = generated.create()
    one.reset_accumulators()
    for _ in range(debt):
        one.retract(7)
    for part in (values, more):
        other = generated.create()
        other.reset_accumulators()
        for value in part:
            other.accumulate(value)
        one.merge(other.get_accumulators())
    count, _mean, kept = one.get_accumulators()[:3]
    assert count == len(values) + len(more) - debt
    assert kept == (m2 or 0.0)
    assert one.get_value()[0] == (None if m2 is None or m2 < 0 else m2)


def listagg(retract: bool = True, distinct: bool = False) -> GroupAggregateSpec:
    """LISTAGG(v, s) by k, with a COUNT(*), over (k, v, s)."""
    call = AggregateSpec("LISTAGG", (1, 2), (STRING, STRING), STRING, retract, distinct)
    return GroupAggregateSpec(
        (0,), (call, COUNT_STAR), (STRING, STRING, STRING), retract, False, 1 if retract else None
    )


@both_ways
def test_listagg(columnar: bool) -> None:
    rows = [("+I", "a", None), ("+I", "a", "x"), ("+I", "a", ""), ("+I", "a", "k"), ("+I", "a", "x")]
    operator = GroupAggregate(listagg(retract=False), None, lambda: 0, columnar)
    out = to_rows(operator.process(to_table([(*row, "; ") for row in rows], (STRING, STRING, STRING))))
    assert [row[2] for row in out] == [None, "x", "x; ", "x; ; k", "x; ; k; x"]


@pytest.mark.parametrize("stored", [True, False])
def test_listagg_does_not_match_a_retraction_that_came_first(stored: bool) -> None:
    rows = [("+I", "x"), ("+I", "k"), ("-D", "q"), ("+I", "q"), ("+I", "x"), ("-D", "x"), ("-D", None)]
    operator = GroupAggregate(listagg(), memory_backend() if stored else None, lambda: 0)
    out = []
    for kind, text in rows:
        out += to_rows(operator.process(to_table([(kind, "a", text, ",")], (STRING, STRING, STRING))))
    texts = ["x", "x,k", "x,k", "x,k,q", "x,k,q,x", "k,q,x", "k,q,x"]
    assert [row[2] for row in out] == texts


def test_listagg_merges() -> None:
    for distinct, expected in ((False, "x|y|y"), (True, "x|y")):
        generated = generate(listagg(distinct=distinct))
        one, other = generated.create(), generated.create()
        for handler, texts in ((one, "xzy"), (other, "y")):
            handler.reset_accumulators()
            for text in texts:
                handler.accumulate(text, "|")
        other.retract("z", "|")
        one.merge(other.get_accumulators())
        assert one.get_value() == (expected, 3)


def test_single_value() -> None:
    what = spec([call("SINGLE_VALUE")], keys=())
    assert run(what, "+I a 1, -D a 1, +I a null") == "+I[1] -D[1] +I[null]"
    with pytest.raises(JobError, match=r"received more than one element\. Row \+I\[a, 2\]"):
        run(what, "+I a 1, +I a 2")


def test_filter_is_true_or_the_row_only_counts() -> None:
    calls = (
        AggregateSpec("SUM", (1,), (INT,), INT, True, False, 2),
        AggregateSpec("COUNT", (1,), (INT,), BIGINT, True, False, 2),
    )
    what = GroupAggregateSpec((0,), calls, (STRING, INT, BOOLEAN), True, False)
    for columnar in (True, False):
        operator = GroupAggregate(what, None, lambda: 0, columnar)
        rows = [("+I", "a", 1, False), ("+I", "a", 2, None), ("+I", "a", 3, True), ("-D", "a", 3, True)]
        assert to_rows(operator.process(to_table(rows, what.input_types))) == [
            ("+I", "a", None, 0), ("+U", "a", 3, 1), ("+U", "a", None, 0),
        ]  # fmt: skip


def test_more_than_64_distinct_calls_over_one_argument() -> None:
    calls = tuple(
        AggregateSpec("SUM" if i % 2 else "COUNT", (1,), (INT,), INT if i % 2 else BIGINT, False, True)
        for i in range(70)
    )
    what = GroupAggregateSpec((), calls, (STRING, INT), False, False)
    out = GroupAggregate(what, None, lambda: 0).process(
        to_table([("+I", "a", 5), ("+I", "a", 5)], (STRING, INT))
    )
    assert to_rows(out) == [("+I", *([1, 5] * 35))]


def test_unknown_function() -> None:
    with pytest.raises(NotSupportedError, match="NTILE is not supported yet"):
        GroupAggregate(spec([call("NTILE")]), None, lambda: 0)
