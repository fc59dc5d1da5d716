"""Joins of two changing inputs: Flink's changes row by row, and any cutting leaves the join."""

from __future__ import annotations

import random
from collections import Counter
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firesteel.functions.duckdb.calc_spec import CalcSpec
from firesteel.runtime.dataflow.chain import standing_clock
from firesteel.runtime.operators.join import pairs
from firesteel.runtime.operators.join.regular_join import RegularJoin
from firesteel.runtime.operators.join.side import floored_sums
from firesteel.runtime.spec.join import JoinInput, JoinKind, JoinSpec
from tests.runtime.changes import to_table
from tests.runtime.messages import Driver, all_rows
from tests.runtime.operators.join.histories import LESS, TYPES, history
from tests.scale import examples


def spec(
    kind: JoinKind,
    unique: tuple[int, ...] | None = None,
    condition: CalcSpec | None = None,
    null_safe: bool = False,
    bundle: int = 0,
    ttl: int = 0,
) -> JoinSpec:
    side = JoinInput(TYPES, (1,), unique, ttl)
    return JoinSpec(kind, (side, side), (null_safe,), condition, folds=(bundle, bundle))


def driver(of: JoinSpec) -> Driver:
    return Driver(RegularJoin(of, None, standing_clock(1)), TYPES, TYPES)


# --- as Flink 2.3 sends them, row by row -----------------------------------------------------------
STEPS = [
    "l+I 1 1 10",
    "l+I 2 1 20",
    "r+I 7 1 70",
    "l-U 1 1 10",
    "l+U 1 1 11",
    "r-U 7 1 70",
    "r+U 7 1 71",
    "l-D 2 1 20",
    "r-D 7 1 71",
]
SENT = {
    JoinKind.INNER: [
        "", "", "+I[1,1,10,7,1,70] +I[2,1,20,7,1,70]", "-U[1,1,10,7,1,70]", "+U[1,1,11,7,1,70]",
        "-U[1,1,11,7,1,70] -U[2,1,20,7,1,70]", "+U[1,1,11,7,1,71] +U[2,1,20,7,1,71]", "-D[2,1,20,7,1,71]",
        "-D[1,1,11,7,1,71]",
    ],
    JoinKind.LEFT: [
        "+I[1,1,10,null,null,null]", "+I[2,1,20,null,null,null]",
        "-D[1,1,10,null,null,null] +I[1,1,10,7,1,70] -D[2,1,20,null,null,null] +I[2,1,20,7,1,70]",
        "-D[1,1,10,7,1,70]", "+I[1,1,11,7,1,70]",
        "-U[1,1,11,7,1,70] +I[1,1,11,null,null,null] -U[2,1,20,7,1,70] +I[2,1,20,null,null,null]",
        "-D[1,1,11,null,null,null] +I[1,1,11,7,1,71] -D[2,1,20,null,null,null] +I[2,1,20,7,1,71]",
        "-D[2,1,20,7,1,71]", "-D[1,1,11,7,1,71] +I[1,1,11,null,null,null]",
    ],
    JoinKind.RIGHT: [
        "", "", "+I[1,1,10,7,1,70] +I[2,1,20,7,1,70]", "-U[1,1,10,7,1,70]", "+I[1,1,11,7,1,70]",
        "-D[1,1,11,7,1,70] -D[2,1,20,7,1,70]", "+I[1,1,11,7,1,71] +I[2,1,20,7,1,71]", "-D[2,1,20,7,1,71]",
        "-D[1,1,11,7,1,71]",
    ],
}  # fmt: skip


@pytest.mark.parametrize("unique", [None, (0,)])
@pytest.mark.parametrize("kind", SENT)
def test_row_by_row_the_changes_are_flinks(kind: JoinKind, unique: tuple[int, ...] | None) -> None:
    drive = driver(spec(kind, unique))
    for step, sent in zip(STEPS, SENT[kind], strict=True):
        found = drive.changes(step[1:], port="lr".index(step[0]))
        assert by_left_row(found) == by_left_row(sent)


def by_left_row(sent: str) -> dict[str, list[str]]:
    """Changes in their order for each row of the left input: across rows Flink's come in a map's order."""
    found: dict[str, list[str]] = {}
    for change in sent.split():
        found.setdefault(change[3:].split(",")[0], []).append(change)
    return found


def test_padding_stands_beside_its_pair() -> None:
    drive = driver(spec(JoinKind.LEFT))
    drive.changes("+I 1 1 10")
    assert drive.changes("+I 7 1 70", port=1) == "-D[1,1,10,null,null,null] +I[1,1,10,7,1,70]"
    assert drive.changes("-D 7 1 70", port=1) == "-D[1,1,10,7,1,70] +I[1,1,10,null,null,null]"


def test_a_row_that_is_there_twice_has_two_pairs() -> None:
    drive = driver(spec(JoinKind.LEFT))
    assert drive.changes("+I 1 1 10, +I 1 1 10") == "+I[1,1,10,null,null,null] +I[1,1,10,null,null,null]"
    both = "-D[1,1,10,null,null,null] +I[1,1,10,7,1,70]"
    assert drive.changes("+I 7 1 70", port=1) == f"{both} {both}"
    assert drive.changes("-D 1 1 10") == "-D[1,1,10,7,1,70]"
    assert drive.changes("-D 7 1 70", port=1) == "-D[1,1,10,7,1,70] +I[1,1,10,null,null,null]"


def test_null_keys_have_no_partner() -> None:
    drive = driver(spec(JoinKind.FULL))
    assert drive.changes("+I 1 null 10") == "+I[1,null,10,null,null,null]"
    assert drive.changes("+I 7 null 70", port=1) == "+I[null,null,null,7,null,70]"
    assert drive.changes("-D 1 null 10") == "-D[1,null,10,null,null,null]"
    safe = driver(spec(JoinKind.FULL, null_safe=True))
    assert safe.changes("+I 1 null 10") == "+I[1,null,10,null,null,null]"
    assert safe.changes("+I 7 null 70", port=1) == "-D[1,null,10,null,null,null] +I[1,null,10,7,null,70]"


def test_a_condition_is_part_of_the_match() -> None:
    drive = driver(spec(JoinKind.LEFT, condition=LESS))
    drive.changes("+I 7 1 70", port=1)
    assert drive.changes("+I 1 1 10") == "+I[1,1,10,7,1,70]"
    assert drive.changes("-U 1 1 10, +U 1 1 90") == "-D[1,1,10,7,1,70] +I[1,1,90,null,null,null]"
    assert drive.changes("+I 8 1 95", port=1) == "-D[1,1,90,null,null,null] +I[1,1,90,8,1,95]"
    assert drive.changes("+I 9 1 96, -D 8 1 95", port=1) == "+I[1,1,90,9,1,96] -D[1,1,90,8,1,95]"
    assert drive.changes("-D 9 1 96", port=1) == "-D[1,1,90,9,1,96] +I[1,1,90,null,null,null]"


def test_updates_without_the_row_before_count_once() -> None:
    """An upsert input whose key is the join key. Flink counts each +U as one more partner: after an update
    and a delete of the partner the padded row never comes back."""
    side = JoinInput(TYPES, (1,), (1,))
    drive = driver(JoinSpec(JoinKind.LEFT, (JoinInput(TYPES, (1,)), side), (False,)))
    drive.changes("+I 1 1 10")
    drive.changes("+I 7 1 70", port=1)
    assert drive.changes("+U 7 1 71", port=1) == "+I[1,1,10,7,1,71]"
    assert drive.changes("-D 7 1 71", port=1) == "-D[1,1,10,7,1,71] +I[1,1,10,null,null,null]"


# --- any cutting --------------------------------------------------------------------------------
def joined(of: JoinSpec, left: Counter[Any], right: Counter[Any]) -> Counter[Any]:
    """The answer over the rows that are left."""
    found: Counter[Any] = Counter()
    none = (None,) * 3
    partners = {0: Counter[Any](), 1: Counter[Any]()}
    for (one, n), (two, m) in product(left.items(), right.items()):
        same = one[1] == two[1] and (one[1] is not None or of.null_safe[0])
        holds = of.condition is None or (one[2] is not None and two[2] is not None and one[2] < two[2])
        if same and holds:
            found[(*one, *two)] += n * m
            partners[0][one] += 1
            partners[1][two] += 1
    for row, n in left.items():
        if of.kind.pads(0) and not partners[0][row]:
            found[(*row, *none)] += n
    for row, n in right.items():
        if of.kind.pads(1) and not partners[1][row]:
            found[(*none, *row)] += n
    return +found


KINDS = st.sampled_from(list(JoinKind))


@settings(max_examples=examples(400), deadline=None)
@given(
    KINDS, st.booleans(), st.booleans(), st.booleans(), st.integers(0, 1 << 30), st.integers(1, 7),
    st.sampled_from([0, 0, 2, 3, 9]), st.sampled_from([0, 1 << 40]),
)  # fmt: skip
def test_any_cutting_leaves_the_join(
    kind: JoinKind,
    unique: bool,
    residual: bool,
    null_safe: bool,
    seed: int,
    piece: int,
    bundle: int,
    ttl: int,
) -> None:
    of = spec(kind, (0,) if unique else None, LESS if residual else None, null_safe, bundle, ttl)
    chance = random.Random(seed)
    inputs = [history(chance, chance.randrange(12), unique) for _ in range(2)]
    operator = RegularJoin(of, None, standing_clock(1))
    left: list[Counter[Any]] = [Counter(), Counter()]
    found: Counter[Any] = Counter()
    at, order = [0, 0], 0
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pairs, "PIECE", piece)
        while at != [len(rows) for rows in inputs]:
            port = chance.choice([p for p in (0, 1) if at[p] < len(inputs[p])])
            some = inputs[port][at[port] : at[port] + chance.randrange(1, 6)]
            at[port] += len(some)
            for sign, *row in some:
                left[port][tuple(row)] += 1 if sign in ("+I", "+U") else -1
            table = to_table(some, TYPES, order)
            order += len(some)
            for sign, *row in all_rows(operator.changes(table, port)):
                found[tuple(row)] += 1 if sign in ("+I", "+U") else -1
                assert found[tuple(row)] >= 0, "a row is taken back that is not there"
            assert +found == joined(of, +left[0], +left[1])


@settings(max_examples=examples(200), deadline=None)
@given(st.lists(st.tuples(st.integers(0, 3), st.lists(st.sampled_from([1, -1]), min_size=1))))
def test_counts_have_a_floor(groups: list[tuple[int, list[int]]]) -> None:
    before = np.array([start for start, _ in groups], np.int64)
    steps = np.array([step for _, steps in groups for step in steps], np.int64)
    starts = np.cumsum([0, *(len(steps) for _, steps in groups)], dtype=np.int64)[:-1]
    expected = []
    for count, own in groups:
        for step in own:
            count = max(0, count + step)
        expected.append(count)
    assert floored_sums(before, steps, starts).tolist() == expected
