"""Rank: any cutting into tables sends what Flink sends row by row, and leaves the answer of a batch."""

from __future__ import annotations

import random
from collections import Counter
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firesteel.runtime.dataflow.chain import standing_clock
from firesteel.runtime.operators.rank import current_top_n
from firesteel.runtime.operators.rank.rank import build
from firesteel.runtime.spec.rank import RankSpec, RankStrategy
from firesteel.runtime.state.memory import memory_backend
from firesteel.runtime.state.order_codes import SortOrder
from firesteel.types.sql import DOUBLE, INT, STRING, SqlType, decimal
from tests.runtime.changes import Row, to_table
from tests.runtime.messages import all_rows
from tests.runtime.operators.rank.model import RankModel
from tests.scale import examples

APPEND, UPDATE, RETRACT = RankStrategy.APPEND, RankStrategy.UPDATE, RankStrategy.RETRACT

VALUES: dict[str, tuple[SqlType, list[Any]]] = {
    "int": (INT, [None, -3, 0, 1, 2]),
    "string": (STRING, [None, "", "a", "ab", "b\0", "é"]),
    "double": (DOUBLE, [None, -0.0, 0.0, 1.5, -2.0, float("inf")]),
    "decimal": (decimal(38, 0), [None, *map(Decimal, [-(10**30), 0, 10**30, 7])]),
}


def sort_key(orders: tuple[SortOrder, ...]) -> Any:
    """What a row is sorted by: its values, one by one."""

    class Key:
        def __init__(self, row: Row) -> None:
            self.values = row[2 : 2 + len(orders)]

        def __lt__(self, other: Key) -> bool:
            for mine, theirs, order in zip(self.values, other.values, orders, strict=True):
                if mine == theirs:
                    continue
                if mine is None or theirs is None:
                    return (theirs is None) == order.nulls_last
                return bool(mine > theirs) if order.descending else bool(mine < theirs)
            return False

        def __eq__(self, other: object) -> bool:
            return isinstance(other, Key) and not (self < other or other < self)

    return Key


def history(
    chance: random.Random, length: int, strategy: RankStrategy, values: list[list[Any]], unique: bool
) -> list[Row]:
    """Changes that the strategy allows: (partition, id, value, value). If `unique`, ids are there once."""
    there: list[Row] = []
    found: list[Row] = []
    for number in range(length):
        step = chance.choice("IIUD") if there else "I"
        if strategy is APPEND or (strategy is UPDATE and step == "D"):
            step = "I"
        own = [chance.choice(each) for each in values]
        if step == "I":
            row = (chance.choice(["a", "b", None]), number if unique else chance.randrange(6), *own)
            there.append(row)
            found.append(("+I", *row))
            continue
        at = chance.randrange(len(there))
        if strategy is RETRACT:
            found.append(("-U" if step == "U" else "-D", *there[at]))
        if step == "U":
            there[at] = (*there[at][:2], *own)
            found.append(("+U", *there[at]))
        else:
            del there[at]
    return found


ORDERS = st.builds(SortOrder, st.booleans(), st.booleans())


@settings(max_examples=examples(1200), deadline=None)
@given(
    st.sampled_from(list(RankStrategy)),
    st.lists(st.tuples(st.sampled_from(list(VALUES)), ORDERS), max_size=2),
    st.integers(0, 4), st.integers(1, 3), st.booleans(), st.booleans(), st.booleans(),
    st.booleans(), st.integers(0, 1 << 30), st.integers(1, 60),
)  # fmt: skip
def test_any_cutting_sends_the_changes_of_the_model(
    strategy: RankStrategy, sort: list[tuple[str, SortOrder]], end: int, start: int, with_number: bool,
    update_before: bool, partitioned: bool, unique: bool, seed: int, piece: int,
) -> None:  # fmt: skip
    kinds = [VALUES[name] for name, _ in sort] + [VALUES["int"]] * (2 - len(sort))
    types = (STRING, INT, *(kind for kind, _ in kinds))
    orders = tuple(order for _, order in sort)
    row_key = (0, 1) if strategy is UPDATE else (1,) if unique else ()
    of = RankSpec(
        types, (0,) if partitioned else (), tuple(range(2, 2 + len(sort))), orders, strategy, end,
        min(start, max(end, 1)), None, with_number, update_before, row_key,
    )  # fmt: skip
    chance = random.Random(seed)
    rows = history(chance, chance.randrange(30), strategy, [values for _, values in kinds], unique)
    model = RankModel(of, sort_key(orders))
    state = memory_backend()
    operator = build(of, state, standing_clock(1))
    at = 0
    left: Counter[Any] = Counter()
    table: dict[Any, Any] = {}
    key = upsert_key(of)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(current_top_n, "PIECE", piece)
        while at < len(rows):
            some = rows[at : at + chance.randrange(1, 8)]
            sent = all_rows(operator.changes(to_table(some, types, at)))
            assert list(map(repr, sent)) == list(map(repr, model.send(some)))
            at += len(some)
            if update_before:
                fold(left, sent)
            else:
                upsert(table, sent, key)
            if chance.random() < 0.3:
                all_rows(operator.barrier())
                state.commit()
                operator = build(of, state, standing_clock(1))
    if update_before and strategy is not UPDATE:
        assert +left == Counter(tuple(map(repr, row)) for row in model.left())
    if not update_before and key is not None:
        assert set(map(repr, table.values())) == set(map(repr, model.left()))


def upsert_key(of: RankSpec) -> tuple[int, ...] | None:
    """The fields by which a table takes the changes if there is no -U, None for none."""
    if of.with_number:
        return (*of.partition, len(of.input_types))
    if of.is_top1 and of.strategy is not RETRACT:
        return of.partition
    return of.row_key or None


def upsert(table: dict[Any, Any], sent: list[Row], key: tuple[int, ...] | None) -> None:
    """Apply changes without -U to a table with a primary key."""
    for kind, *row in sent if key is not None else ():
        name = tuple(row[i] for i in key or ())
        if kind == "-D":
            del table[name]
        else:
            table[name] = tuple(row)


def fold(left: Counter[Any], sent: list[Row]) -> None:
    """Apply changes. A row that is taken away has to be there."""
    for kind, *row in sent:
        left[tuple(map(repr, row))] += 1 if kind in ("+I", "+U") else -1
        assert left[tuple(map(repr, row))] >= 0, "a row is taken back that is not there"


@pytest.mark.parametrize("strategy", RankStrategy)
@pytest.mark.parametrize("with_number", [False, True])
def test_thousands_of_rows_in_one_table(strategy: RankStrategy, with_number: bool) -> None:
    """More places than one word of the second level of a set holds."""
    chance = random.Random(7)
    orders = (SortOrder(True, True),)
    of = RankSpec(
        (INT, INT, INT), (0,), (2,), orders, strategy, 5, with_number=with_number,
        row_key=(0, 1) if strategy is UPDATE else (),
    )  # fmt: skip
    rows: list[Row] = []
    there: list[Row] = []
    for number in range(9000):
        if strategy is RETRACT and there and chance.random() < 0.4:
            rows.append(("-D", *there.pop(chance.randrange(len(there)))))
            continue
        row = (chance.randrange(90), chance.randrange(40), chance.randrange(1000))
        there.append(row)
        rows.append(("+I" if number % 3 else "+U", *row))
    model = RankModel(of, sort_key(orders))
    operator = build(of, None, standing_clock(1))
    for start in range(0, len(rows), 6000):
        some = rows[start : start + 6000]
        assert all_rows(operator.changes(to_table(some, of.input_types, start))) == model.send(some)
