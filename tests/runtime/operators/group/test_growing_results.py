"""Results that grow with their key go out in messages of bounded size."""

from __future__ import annotations

from itertools import product

import numpy as np
import pyarrow as pa
import pytest

from firesteel.changelog import KIND, SEQUENCE, RowKind, field
from firesteel.runtime.aggregate.row_engine import result_sizes
from firesteel.runtime.dataflow.operator import Watermark, WatermarkedBatch
from firesteel.runtime.operators.group.group_aggregate import GroupAggregate
from firesteel.runtime.spec.operators import AggregateSpec
from firesteel.runtime.state.base import StateBackend
from firesteel.runtime.state.memory import memory_backend
from firesteel.types.sql import INT, STRING, SqlType, TypeRoot, array
from tests.runtime.driven_operators import COUNT_STAR, call, spec
from tests.scale import part

LISTAGG = AggregateSpec("LISTAGG", (1,), (STRING,), STRING)
LISTAGG_RETRACT = call("LISTAGG", kind=STRING)
ARRAY_AGG = AggregateSpec("ARRAY_AGG", (1,), (STRING,), array(STRING))
MULTISET = SqlType(TypeRoot.MULTISET, children=(STRING,))
COLLECT = AggregateSpec("COLLECT", (1,), (STRING,), MULTISET, True)
CALLS = ([LISTAGG], [LISTAGG_RETRACT, COUNT_STAR], [ARRAY_AGG, LISTAGG], [COLLECT, COUNT_STAR])


def changes(keys: list[str], texts: list[str], first: int = 0) -> pa.Table:
    return pa.table(
        {
            KIND: pa.array(np.zeros(len(keys), np.int8)),
            SEQUENCE: pa.array(np.arange(first, first + len(keys))),
            field(0): keys,
            field(1): texts,
        }
    )


def operator(
    calls: list[AggregateSpec], backend: StateBackend | None, kind: SqlType = STRING
) -> GroupAggregate:
    retracts = any(each.retract for each in calls)
    return GroupAggregate(spec(calls, kind=kind, retracts=retracts), backend, lambda: 0)


def test_listagg_of_many_values_of_one_key_is_sent_in_bounded_messages() -> None:
    count, text = 3000, "0123456789"
    made = operator([LISTAGG], memory_backend())
    sent = list(made.changes(changes(["a"] * count, [text] * count)))
    assert sum(each.num_rows for each in sent) == 2 * count - 1
    assert sum(each.nbytes for each in sent) > 90 << 20
    # keys, kinds and sequences come on top of the results
    assert max(each.nbytes for each in sent) < 1.1 * result_sizes.RESULT_BYTES
    assert sent[-1].column(field(1))[-1].as_py() == ",".join([text] * count)


def test_a_stored_result_counts_in_the_next_batch() -> None:
    long = "x" * 3_000_000
    made = operator([LISTAGG], memory_backend())
    assert len(list(made.changes(changes(["a"], [long])))) == 1
    sent = list(made.changes(changes(["a", "b"] * 10, ["y"] * 20, first=1)))
    assert max(each.nbytes for each in sent) < 1.1 * result_sizes.RESULT_BYTES
    assert sum(each.num_rows for each in sent) == 39


@pytest.mark.parametrize(("calls", "stored"), part(list(product(CALLS, [True, False])), 4))
def test_pieces_have_the_changes_of_the_whole(
    monkeypatch: pytest.MonkeyPatch, calls: list[AggregateSpec], stored: bool
) -> None:
    rng = np.random.default_rng(5)
    keys = [f"k{each}" for each in rng.integers(0, 5, 600)]
    texts = [f"{each:x}" for each in rng.integers(0, 1 << 30, 600)]
    batches = [changes(keys[i : i + 200], texts[i : i + 200], i) for i in (0, 200, 400)]
    whole = operator(calls, memory_backend() if stored else None)
    wanted = pa.concat_tables([whole.process(each) for each in batches])
    monkeypatch.setattr(result_sizes, "RESULT_BYTES", 10_000)
    pieces = operator(calls, memory_backend() if stored else None)
    sent = [message for each in batches for message in pieces.changes(each)]
    assert len(sent) > 30
    assert pa.concat_tables(sent).equals(wanted)


def test_watermarks_stay_behind_their_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(result_sizes, "RESULT_BYTES", 100)
    table = changes(["a"] * 12, ["12345678"] * 12)
    batch = WatermarkedBatch(table, np.array([5, 10, 20, 30]), np.array([-1, 3, 3, 11]))
    sent = list(operator([LISTAGG], memory_backend()).watermarked(batch))
    assert len(sent) > 6
    seen: list[int] = []
    marks: dict[int, int] = {}
    for message in sent:
        assert isinstance(message, WatermarkedBatch)
        for piece in message.pieces():
            if isinstance(piece, Watermark):
                marks[piece.time] = max(seen, default=-1)
            else:
                seen += piece.column(SEQUENCE).to_pylist()
    assert marks == {5: -1, 10: 3, 20: 3, 30: 11}
    assert seen == sorted(seen)


def test_results_of_one_value_are_not_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(result_sizes, "RESULT_BYTES", 100)
    last = AggregateSpec("LAST_VALUE", (1,), (STRING,), STRING)
    assert len(list(operator([last], memory_backend()).changes(changes(["a"] * 50, ["x"] * 50)))) == 1
    total = AggregateSpec("SUM", (1,), (INT,), INT)
    numbers = changes(["a"] * 50, ["x"] * 50).set_column(3, field(1), pa.array([1] * 50, pa.int32()))
    assert len(list(operator([total], memory_backend(), INT).changes(numbers))) == 1


def test_an_empty_table_sends_nothing_but_its_watermarks() -> None:
    table = changes([], []).cast(changes(["a"], ["b"]).schema)
    made = operator([LISTAGG], memory_backend())
    assert list(made.changes(table)) == []
    (sent,) = made.watermarked(WatermarkedBatch(table, np.array([7]), np.array([0])))
    assert isinstance(sent, WatermarkedBatch)
    assert sent.times.tolist() == [7]


def test_kinds_of_a_cut_key_go_on() -> None:
    long = "z" * 5_000_000
    made = operator([LISTAGG], None)
    sent = list(made.changes(changes(["a"] * 3, [long] * 3)))
    kinds = [kind for each in sent for kind in each.column(KIND).to_pylist()]
    before, after = int(RowKind.UPDATE_BEFORE), int(RowKind.UPDATE_AFTER)
    assert kinds == [int(RowKind.INSERT), before, after, before, after]
    assert len(sent) == 3
