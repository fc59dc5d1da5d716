"""Rows that are met block by block: the changes stay the same, and no block is large."""

from __future__ import annotations

import random
from collections.abc import Iterator

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firesteel.changelog import KIND, SEQUENCE
from firesteel.runtime.dataflow.chain import standing_clock
from firesteel.runtime.dataflow.operator import TwoInputOperator
from firesteel.runtime.operators.join import blocks, pairs
from firesteel.runtime.operators.join.delta import Delta
from firesteel.runtime.operators.join.regular_join import RegularJoin
from firesteel.runtime.operators.join.semi_join import SemiJoin
from firesteel.runtime.operators.join.side import JoinSide
from firesteel.runtime.spec.join import JoinInput, JoinKind, JoinSpec, SemiJoinSpec
from firesteel.runtime.state.memory import memory_backend
from firesteel.types.sql import INT, STRING
from tests.runtime.changes import Row, to_rows, to_table
from tests.runtime.operators.join.histories import LESS, TYPES, history
from tests.scale import examples

Spec = JoinSpec | SemiJoinSpec


def operator(of: Spec) -> TwoInputOperator:
    made = SemiJoin if isinstance(of, SemiJoinSpec) else RegularJoin
    return made(of, None, standing_clock(1))  # type: ignore[arg-type]


def sent(of: Spec, inputs: list[list[Row]], seed: int) -> list[tuple[int, Row]]:
    """Return all changes with their origins, the inputs cut into batches at random places."""
    chance, drive = random.Random(seed), operator(of)
    found: list[tuple[int, Row]] = []
    at, order = [0, 0], 0
    while at != [len(rows) for rows in inputs]:
        port = chance.choice([p for p in (0, 1) if at[p] < len(inputs[p])])
        some = inputs[port][at[port] : at[port] + chance.randrange(1, 8)]
        at[port] += len(some)
        for message in drive.changes(to_table(some, TYPES, order), port):
            assert isinstance(message, pa.Table)
            found += zip(message.column(SEQUENCE).to_pylist(), to_rows(message), strict=True)
        order += len(some)
    return found


@st.composite
def specs(draw: st.DrawFn) -> Spec:
    unique = (0,) if draw(st.booleans()) else None
    side = JoinInput(TYPES, draw(st.sampled_from([(1,), ()])), unique)
    condition = LESS if draw(st.booleans()) else None
    null_safe = (draw(st.booleans()),) * len(side.keys)
    kind = draw(st.sampled_from([*JoinKind, "semi", "anti"]))
    if isinstance(kind, JoinKind):
        return JoinSpec(kind, (side, side), null_safe, condition)
    return SemiJoinSpec(kind == "anti", (side, side), null_safe, condition)


@settings(max_examples=examples(400), deadline=None)
@given(specs(), st.integers(0, 1 << 30), st.integers(0, 9), st.integers(1, 4), st.integers(1, 4))
def test_blocks_of_any_size_give_the_same_changes(
    of: Spec, seed: int, read: int, part: int, piece: int
) -> None:
    chance = random.Random(seed)
    unique = of.inputs[0].unique_key is not None
    inputs = [history(chance, chance.randrange(20), unique) for _ in range(2)]
    expected = sent(of, inputs, seed)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(blocks, "READ_ROWS", read)
        patch.setattr(blocks, "PART_ROWS", part)
        patch.setattr(pairs, "PIECE", piece)
        assert sent(of, inputs, seed) == expected


def rows_of_keys(keys: np.ndarray, first: int = 0) -> pa.Table:
    """Return +I of rows (number, key, 5)."""
    numbers = np.arange(first, first + len(keys))
    columns = [numbers, keys, np.full(len(keys), 5)]
    fields = {f"f{i}": pa.array(column.astype(np.int32)) for i, column in enumerate(columns)}
    return pa.table({KIND: np.zeros(len(keys), np.int8), SEQUENCE: numbers, **fields})


def delta_of(keys: list[int]) -> Delta:
    table = to_table([("+I", n, key, 9) for n, key in enumerate(keys)], TYPES)
    return Delta.of(table, JoinInput(TYPES, (1,)), (False,))


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> Iterator[JoinSide]:
    """A side with 3000 rows of key 0, 400 rows of each of the keys 1 to 9, and limits of 1000 and 100."""
    monkeypatch.setattr(blocks, "READ_ROWS", 1000)
    monkeypatch.setattr(blocks, "PART_ROWS", 100)
    side = JoinSide(JoinInput(TYPES, (1,), (0,)), memory_backend(), "s", False)
    keys = np.concatenate([np.zeros(3000), np.arange(3600) % 9 + 1])
    for start in range(0, len(keys), 500):
        table = rows_of_keys(keys[start : start + 500], start)
        side.apply(Delta.of(table, JoinInput(TYPES, (1,)), (False,)), np.empty(0, np.int64), 1)
    return side


def met(keys: list[int], side: JoinSide) -> list[tuple[int, int, int]]:
    """Return (first change, number of changes, number of rows) of each block."""
    found = blocks.blocks(delta_of(keys), side, 1)
    return [(block.begin, block.end - block.begin, len(block.rows.owners)) for block in found]


def test_one_block_serves_changes_whose_keys_have_few_rows(small: JoinSide) -> None:
    assert met([1, 2, 1, 2, 1, 2, 77], small) == [(0, 7, 800)]


def test_changes_are_cut_where_their_keys_have_many_rows(small: JoinSide) -> None:
    assert met([1, 2, 1, 3, 4, 3, 1], small) == [(0, 3, 800), (3, 3, 800), (6, 1, 400)]


def test_a_key_with_more_rows_is_read_in_parts_for_each_change(small: JoinSide) -> None:
    found = met([1, 0, 0, 1], small)
    assert found[0] == (0, 1, 400)
    assert found[-1] == (3, 1, 400)
    for change in (1, 2):
        parts = [rows for begin, changes, rows in found if begin == change and changes == 1]
        assert len(parts) == 30
        assert sum(parts) == 3000
        assert max(parts) < 160


def test_counts_of_partners_are_written_once_for_changes_of_a_large_key(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """An update of the one row that all padded rows may join under a condition: -U and +U. What each row has
    had before it has behind it, so nothing is written."""
    monkeypatch.setattr(blocks, "READ_ROWS", 100)
    monkeypatch.setattr(blocks, "PART_ROWS", 100)
    side = JoinInput((INT, INT, INT), (1,), (0,))
    join = RegularJoin(JoinSpec(JoinKind.LEFT, (side, side), (False,), LESS), None, standing_clock(1))
    list(join.changes(rows_of_keys(np.zeros(1000)), 0))
    list(join.changes(to_table([("+I", 1, 0, 9)], TYPES), 1))
    puts: list[int] = []
    state = join._sides[0]._rows
    put = state.put
    monkeypatch.setattr(
        state, "put", lambda keys, owners, *rest: puts.append(len(owners)) or put(keys, owners, *rest)
    )
    update = to_table([("-U", 1, 0, 9), ("+U", 1, 0, 8)], TYPES)
    out = [row for message in join.changes(update, 1) for row in to_rows(message)]  # type: ignore[arg-type]
    assert [kind for kind, *_ in out] == ["-U", "+I"] * 1000 + ["-D", "+I"] * 1000
    assert puts == []
    gone = [row for m in join.changes(to_table([("-D", 1, 0, 8)], TYPES), 1) for row in to_rows(m)]  # type: ignore[arg-type]
    assert len(gone) == 2000
    assert sum(puts) == 1000


TEXTS = (INT, INT, STRING)


def side_of(unique: bool = True) -> JoinInput:
    return JoinInput(TEXTS, (1,), (0,) if unique else None)


def wide_rows(width: int, keys: list[int], first: int = 0, kind: str = "+I") -> pa.Table:
    return to_table([(kind, first + n, key, "x" * width) for n, key in enumerate(keys)], TEXTS, first)


def sizes_sent(operator: TwoInputOperator, table: pa.Table, port: int) -> list[tuple[int, int]]:
    """Return the rows and bytes of each table that an operator sends."""
    sent = [message for message in operator.changes(table, port) if isinstance(message, pa.Table)]
    return [(each.num_rows, each.nbytes) for each in sent]


@pytest.mark.parametrize(("own", "other"), [(10, 4000), (4000, 10), (2000, 2000)])
@pytest.mark.parametrize("kind", [JoinKind.INNER, JoinKind.FULL])
def test_what_one_change_sends_goes_on_in_pieces_of_bounded_bytes(
    own: int, other: int, kind: JoinKind, monkeypatch: pytest.MonkeyPatch
) -> None:
    """3000 partners of a change are 12 MB: the limits of rows alone would make one table of them."""
    monkeypatch.setattr(pairs, "PIECE_BYTES", 1 << 20)
    monkeypatch.setattr(blocks, "READ_BYTES", 1 << 20)
    monkeypatch.setattr(blocks, "PART_BYTES", 1 << 18)
    join = operator(JoinSpec(kind, (side_of(), side_of()), (False,)))
    for first in range(0, 3000, 500):
        sizes_sent(join, wide_rows(other, [7] * 500, first), 1)
    sent = sizes_sent(join, wide_rows(own, [7], 9000), 0)
    rows = 3000 * (2 if kind is JoinKind.FULL else 1)  # padded rows are taken back
    assert sum(rows for rows, _ in sent) == rows
    assert max(size for _, size in sent) < 3 << 20
    assert len(sent) > 8


@pytest.mark.parametrize("anti", [False, True])
def test_what_a_semi_join_sends_goes_on_in_pieces(anti: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pairs, "PIECE_BYTES", 1 << 20)
    monkeypatch.setattr(blocks, "READ_BYTES", 1 << 20)
    join = operator(SemiJoinSpec(anti, (side_of(), side_of()), (False,)))
    for first in range(0, 3000, 500):
        sizes_sent(join, wide_rows(4000, [7] * 500, first), 0)
    sent = sizes_sent(join, wide_rows(10, [7], 9000), 1)
    assert sum(rows for rows, _ in sent) == 3000
    assert max(size for _, size in sent) < 2 << 20


def test_a_row_that_is_there_many_times_is_sent_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pairs, "PIECE", 100)
    monkeypatch.setattr(pairs, "PIECE_BYTES", 100_000)
    join = operator(JoinSpec(JoinKind.INNER, (side_of(False), side_of(False)), (False,)))
    same = to_table([("+I", 1, 7, "x" * 1000)] * 2000, TEXTS)
    sizes_sent(join, same, 1)
    sent = sizes_sent(join, wide_rows(10, [7, 7], 9000), 0)
    assert sum(rows for rows, _ in sent) == 4000
    assert max(size for _, size in sent) < 200_000


def test_narrow_rows_beside_one_wide_row_are_not_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    """The bytes of each change count, not the widest of all."""
    monkeypatch.setattr(pairs, "PIECE_BYTES", 1 << 20)
    join = operator(JoinSpec(JoinKind.INNER, (side_of(), side_of()), (False,)))
    sizes_sent(join, wide_rows(10, list(range(500))), 1)
    changes = pa.concat_tables([wide_rows(10, list(range(1, 500)), 1000), wide_rows(500_000, [0], 2000)])
    sent = sizes_sent(join, changes, 0)
    assert sum(rows for rows, _ in sent) == 500
    assert len(sent) <= 2
