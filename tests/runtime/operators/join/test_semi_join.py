"""Semi and anti joins: Flink's changes row by row, and any cutting leaves the right rows."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firesteel.functions.duckdb.calc_spec import CalcSpec
from firesteel.runtime.dataflow.chain import standing_clock
from firesteel.runtime.operators.join import pairs
from firesteel.runtime.operators.join.semi_join import SemiJoin
from firesteel.runtime.spec.join import JoinInput, SemiJoinSpec
from tests.runtime.changes import to_table
from tests.runtime.messages import Driver, all_rows
from tests.runtime.operators.join.histories import LESS, TYPES, history
from tests.scale import examples


def spec(
    anti: bool,
    unique: tuple[int, ...] | None = None,
    condition: CalcSpec | None = None,
    null_safe: bool = False,
    ttl: int = 0,
) -> SemiJoinSpec:
    side = JoinInput(TYPES, (1,), unique, ttl)
    return SemiJoinSpec(anti, (side, side), (null_safe,), condition)


def driver(of: SemiJoinSpec) -> Driver:
    return Driver(SemiJoin(of, None, standing_clock(1)), TYPES, TYPES)


def test_changes_of_either_input_go_on_with_their_own_kind() -> None:
    """As Flink 2.3 sends them."""
    drive = driver(spec(anti=False))
    assert drive.changes("+I 1 1 10") == ""
    sent = ["+I 7 1 70", "-U 7 1 70", "+U 7 1 71", "+I 8 1 80", "-D 7 1 71", "-D 8 1 80"]
    found = [drive.changes(change, port=1) for change in sent]
    assert found == ["+I[1,1,10]", "-U[1,1,10]", "+U[1,1,10]", "", "", "-D[1,1,10]"]
    drive.changes("+I 7 1 70", port=1)
    assert drive.changes("-U 1 1 10, +U 1 1 11") == "-U[1,1,10] +U[1,1,11]"


def test_an_anti_join_deletes_and_inserts() -> None:
    drive = driver(spec(anti=True))
    assert drive.changes("+I 1 1 10, +I 2 null 20") == "+I[1,1,10] +I[2,null,20]"
    found = [drive.changes(change, port=1) for change in ("+I 7 1 70", "-U 7 1 70", "+U 7 1 71", "-D 7 1 71")]
    assert found == ["-D[1,1,10]", "+I[1,1,10]", "-D[1,1,10]", "+I[1,1,10]"]
    assert drive.changes("+I 9 null 90", port=1) == ""


def test_updates_without_the_row_before_count_once() -> None:
    """As in an outer join: Flink keeps the left row after an update and a delete of its only partner."""
    side = JoinInput(TYPES, (1,), (1,))
    drive = driver(SemiJoinSpec(False, (JoinInput(TYPES, (1,)), side), (False,)))
    drive.changes("+I 1 1 10")
    sent = ["+I 7 1 70", "+U 7 1 71", "-D 7 1 71"]
    assert [drive.changes(change, port=1) for change in sent] == ["+I[1,1,10]", "", "-D[1,1,10]"]


def expected(of: SemiJoinSpec, left: Counter[Any], right: Counter[Any]) -> Counter[Any]:
    def meets(one: Any, two: Any) -> bool:
        same = one[1] == two[1] and (one[1] is not None or of.null_safe[0])
        known = one[2] is not None and two[2] is not None
        return same and (of.condition is None or (known and one[2] < two[2]))

    return Counter({row: n for row, n in left.items() if any(meets(row, two) for two in right) != of.anti})


@settings(max_examples=examples(300), deadline=None)
@given(
    st.booleans(), st.booleans(), st.booleans(), st.booleans(), st.integers(0, 1 << 30), st.integers(1, 7),
    st.sampled_from([0, 1 << 40]),
)  # fmt: skip
def test_any_cutting_leaves_the_rows(
    anti: bool, unique: bool, residual: bool, null_safe: bool, seed: int, piece: int, ttl: int
) -> None:
    of = spec(anti, (0,) if unique else None, LESS if residual else None, null_safe, ttl)
    chance = random.Random(seed)
    inputs = [history(chance, chance.randrange(12), unique) for _ in range(2)]
    operator = SemiJoin(of, None, standing_clock(1))
    there: list[Counter[Any]] = [Counter(), Counter()]
    found: Counter[Any] = Counter()
    at, order = [0, 0], 0
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pairs, "PIECE", piece)
        while at != [len(rows) for rows in inputs]:
            port = chance.choice([p for p in (0, 1) if at[p] < len(inputs[p])])
            some = inputs[port][at[port] : at[port] + chance.randrange(1, 6)]
            at[port] += len(some)
            for sign, *row in some:
                there[port][tuple(row)] += 1 if sign in ("+I", "+U") else -1
            table = to_table(some, TYPES, order)
            order += len(some)
            for sign, *row in all_rows(operator.changes(table, port)):
                found[tuple(row)] += 1 if sign in ("+I", "+U") else -1
                assert found[tuple(row)] >= 0, "a row is taken back that is not there"
            assert +found == expected(of, +there[0], +there[1])
