"""The order of changes is one, however the work is cut: into tables, packets, tasks and key groups."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firesteel.changelog import KIND, SEQUENCE, SUB_SEQUENCE
from firesteel.connectors.base import Split
from firesteel.errors import InternalError, JobError
from firesteel.runtime.dataflow import packets
from firesteel.runtime.dataflow.packets import Packer, Packet, merge
from firesteel.runtime.dataflow.sequence import (
    ROW_BITS,
    SubSequences,
    attributed,
    below,
    concat,
    derived,
    in_order,
    ranks,
    row_sequences,
    split_numbers,
    sub_sequence_bits,
)
from firesteel.spark.task.splits import numbered
from tests.scale import FULL, examples

Path = tuple[int, ...]
"""A change by what caused it: the number of the row, then its number among what each step made of it."""
Step = Callable[[Path], int]


def table(
    sequences: list[int], sub_sequences: list[int] | None = None, texts: list[str] | None = None
) -> pa.Table:
    columns = {
        KIND: pa.array([0] * len(sequences), pa.int8()),
        SEQUENCE: pa.array(sequences, pa.int64()),
        "f0": pa.array(texts if texts is not None else ["x"] * len(sequences), pa.string()),
    }
    return pa.table(
        columns if sub_sequences is None else columns | {SUB_SEQUENCE: pa.array(sub_sequences, pa.int64())}
    )


def origins(changes: pa.Table) -> list[tuple[int, int]]:
    whole = concat([changes, table([], [])])
    return list(zip(whole[SEQUENCE].to_pylist(), whole[SUB_SEQUENCE].to_pylist(), strict=True))


# --- the law -------------------------------------------------------------------------------------
class Work:
    """Rows through one exchange after another. Each step says how many changes a change causes; the key of a
    change is drawn from its path, so the changes of a row spread over the key groups."""

    def __init__(self, chance: random.Random, steps: list[Step], keys: int, groups: int) -> None:
        self._chance = chance
        self._steps = steps
        self._keys = keys
        self._groups = groups
        self._bits = sub_sequence_bits(len(steps))

    def run(self, splits: list[int]) -> list[Path]:
        """What comes out in the end, from splits of so many rows each."""
        tasks: list[Iterator[pa.Table]] = []
        done = 0
        for number, rows in enumerate(splits):
            paths = [str(row) for row in range(done, done + rows)]
            sequences = row_sequences(number, 0, rows).to_pylist()
            tasks.append(iter([table(sequences, texts=paths)]))
            done += rows
        for step in self._steps:
            sent = [packet for i, task in enumerate(tasks) for packet in self._packets(i, task, step)]
            self._chance.shuffle(sent)
            tasks = [merge(self._of(sent, group)) for group in range(self._groups)]
        last = [packet for i, task in enumerate(tasks) for packet in self._packets(i, task, None)]
        texts = [text for t in merge(self._of(last, 0)) for text in t["f0"].to_pylist()]
        return [tuple(map(int, text.split("."))) for text in texts]

    def _packets(self, number: int, tables: Iterator[pa.Table], step: Step | None) -> list[Packet]:
        keys, sub_sequences = ((1,), self._bits) if step is not None else ((), 0)
        packer = Packer(keys, self._groups, sub_sequences, number)
        sent = []
        for whole in tables:
            start = 0
            while start < whole.num_rows:
                rows = self._chance.randrange(1, 9)
                part = whole.slice(start, rows)
                sent += packer.add(part if step is None else self._multiplied(part, step))
                start += rows
        return sent + packer.flush()

    def _multiplied(self, changes: pa.Table, step: Step) -> pa.Table:
        texts = changes["f0"].to_pylist()
        counts = [step(tuple(map(int, text.split(".")))) for text in texts]
        paths = [f"{text}.{i}" for text, count in zip(texts, counts, strict=True) for i in range(count)]
        at = np.repeat(np.arange(len(texts)), counts)
        keys = [random.Random(path).randrange(self._keys) for path in paths]
        kinds = pa.array([0] * len(paths), pa.int8())
        return derived(changes, at, kinds, [pa.array(paths, pa.string()), pa.array(keys, pa.int64())])

    @staticmethod
    def _of(sent: list[Packet], target: int) -> list[Packet]:
        return sorted((p for p in sent if p.target == target), key=lambda p: p.first)


def up_to(most: int) -> Step:
    return lambda path: random.Random(str((most, *path))).randrange(most + 1)


@settings(max_examples=examples(60), deadline=None)
@given(
    st.integers(0, 10**6),
    st.lists(st.integers(1, 4), min_size=1, max_size=5),
    st.lists(st.integers(0, 12), min_size=1, max_size=4),
    st.sampled_from([1, 2, 7]),
    st.sampled_from([2, 5, 1000]),
)
def test_changes_come_as_if_one_task_had_done_all(
    seed: int, widths: list[int], splits: list[int], groups: int, pack_rows: int
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(packets, "PACK_ROWS", pack_rows)
        found = Work(random.Random(seed), [up_to(width) for width in widths], 5, groups).run(splits)
    assert found == sorted(found)
    assert found == Work(random.Random(0), [up_to(width) for width in widths], 1, 1).run([sum(splits)])


def test_a_deep_chain_of_exchanges_has_places_for_all() -> None:
    steps: list[Step] = [lambda path: 2 if len(path) % 2 else 1] * 12
    found = Work(random.Random(5), steps, 5, 4).run([2, 1])
    assert len(found) == 3 * 2**6
    assert found == sorted(found)


def test_a_row_that_causes_many_changes() -> None:
    count = 100_000 if FULL else 10_000
    many: list[Step] = [lambda path: count if path == (1,) else 1, lambda _: 1, lambda _: 1]
    found = Work(random.Random(1), many, 5, 2).run([3])
    assert len(found) == count + 2
    assert found == sorted(found)


def test_more_changes_than_places_come_in_one_order_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packets, "PACK_ROWS", 50)
    count = 3000 if FULL else 600
    many: list[Step] = [lambda _: count, *[lambda _: 1] * 5]
    runs = [Work(random.Random(seed), many, 5, 3).run([2]) for seed in range(2)]
    assert runs[0] == runs[1]
    assert sorted(runs[0]) == [(row, i, 0, 0, 0, 0, 0) for row in range(2) for i in range(count)]
    assert [path[0] for path in runs[0]] == [0] * count + [1] * count


# --- sub-sequences -------------------------------------------------------------------------------
def test_changes_of_one_origin_are_numbered_and_others_have_no_sub_sequences() -> None:
    assert SUB_SEQUENCE not in SubSequences(31)(table([3, 5, 8])).column_names
    assert origins(SubSequences(31)(table([3, 3, 5, 8, 8]))) == [(3, 0), (3, 1), (5, 0), (8, 0), (8, 1)]


def test_places_follow_those_of_the_cause() -> None:
    placed = SubSequences(4)(table([3, 3, 3, 5], [0, 2, 2, 0]))
    assert origins(placed) == [(3, 0), (3, 32), (3, 33), (5, 0)]


def test_an_origin_goes_on_in_the_next_table() -> None:
    sub_sequences = SubSequences(31)
    assert origins(sub_sequences(table([1, 3]))) == [(1, 0), (3, 0)]
    assert origins(sub_sequences(table([3, 3]))) == [(3, 1), (3, 2)]
    assert origins(sub_sequences(table([3, 4]))) == [(3, 3), (4, 0)]
    assert SUB_SEQUENCE not in sub_sequences(table([5])).column_names


def test_places_that_run_out_are_shared() -> None:
    assert origins(SubSequences(1)(table([3, 3, 3]))) == [(3, 0), (3, 1), (3, 1)]


def test_more_exchanges_than_counted_are_a_bug() -> None:
    with pytest.raises(InternalError, match="more exchanges"):
        SubSequences(31)(table([3], [1 << 31]))
    assert (
        sub_sequence_bits(0),
        sub_sequence_bits(1),
        sub_sequence_bits(2),
        sub_sequence_bits(3),
        sub_sequence_bits(2, 24),
    ) == (
        62,
        62,
        31,
        20,
        19,
    )


# --- tables --------------------------------------------------------------------------------------
def test_tables_with_and_without_places_go_together() -> None:
    both = concat([table([1, 2]), table([2, 2], [0, 1])])
    assert origins(both) == [(1, 0), (2, 0), (2, 0), (2, 1)]
    assert both.column_names == [KIND, SEQUENCE, "f0", SUB_SEQUENCE]
    assert concat([table([1]), table([2])]).column_names == [KIND, SEQUENCE, "f0"]


@given(st.lists(st.tuples(st.integers(0, 3), st.sampled_from([0, 1, 2, 1 << 40, 1 << 60]))))
def test_changes_are_sorted_by_order_then_place(pairs: list[tuple[int, int]]) -> None:
    texts = [str(i) for i in range(len(pairs))]
    changes = table([o << 58 for o, _ in pairs], [p for _, p in pairs], texts)
    by = sorted(range(len(pairs)), key=lambda i: pairs[i])
    found = in_order(changes)
    assert found["f0"].to_pylist() == [texts[i] for i in by]
    numbers = ranks(changes)
    for one, two in pairwise(by):
        assert (numbers[one] < numbers[two]) == (pairs[one] < pairs[two])
    for pair in pairs:
        assert below(found, (pair[0] << 58, pair[1])) == sum(other < pair for other in pairs)


def test_changes_take_the_causes_of_others() -> None:
    assert origins(attributed(table([1, 2, 2], [0, 0, 7]), np.array([2, 2, 0]))) == [(2, 7), (2, 7), (1, 0)]
    assert origins(attributed(table([1, 2]), np.array([1, 0]))) == [(2, 0), (1, 0)]


# --- numbers -------------------------------------------------------------------------------------
def test_sources_have_numbers_of_their_own() -> None:
    for sources in (1, 2, 3, 1000):
        shares = [split_numbers(source, sources) for source in range(sources)]
        assert all(before.stop <= after.start for before, after in pairwise(shares))
        last = row_sequences(shares[-1][-1], (1 << ROW_BITS) - 1, 1)
        assert 0 < last[0].as_py() < 1 << 62


def test_splits_and_rows_beyond_the_numbers_are_errors() -> None:
    assert [split.ordinal for split in numbered([Split(0, {}), Split(1, {})], range(7, 9))] == [7, 8]
    with pytest.raises(JobError, match="more than 2 tasks"):
        numbered([Split(i, {}) for i in range(3)], range(7, 9))
    with pytest.raises(JobError, match="more than 68,719,476,736 rows"):
        row_sequences(0, 1 << ROW_BITS, 1)
