"""Lookup joins that take back what they sent, whatever the table has become since."""

from __future__ import annotations

import random
from itertools import pairwise
from typing import Any

import pytest

from firesteel.functions.duckdb.calc_spec import CalcSpec
from firesteel.runtime.dataflow.chain import standing_clock
from firesteel.runtime.operators.lookup_join.resolved_lookup_join import ResolvedLookupJoin
from firesteel.runtime.spec.lookup_join import LookupJoinSpec, ResolvedLookupJoinSpec
from firesteel.runtime.state.base import StateBackend
from firesteel.runtime.state.memory import memory_backend
from firesteel.types.sql import BIGINT, INT, STRING
from tests.runtime.changes import Row, show, to_rows, to_table
from tests.runtime.operators.lookup_join.tables import MemoryTable, table_spec

OWN = (BIGINT, INT)
TABLE = (INT, STRING)


class Join:
    """A join over a table that a test changes between batches."""

    def __init__(
        self,
        *rows: tuple[Any, ...],
        pads: bool = False,
        replaces: bool = False,
        state: StateBackend | None = None,
    ) -> None:
        self.table = MemoryTable(rows, TABLE)
        join = LookupJoinSpec(table_spec(TABLE), CalcSpec(("f1",), (INT,)), pads, TABLE)
        keys = (0,) if replaces else (0, 1)
        spec = ResolvedLookupJoinSpec(join, OWN, keys, replaces)
        self._operator = ResolvedLookupJoin(spec, self.table, state, standing_clock(1))

    def send(self, *rows: Row) -> str:
        return show(to_rows(self._operator.process(to_table(rows, OWN))))


def test_a_retraction_takes_back_what_was_sent() -> None:
    join = Join((1, "Ann"), (1, "An"), (2, "Bob"))
    assert join.send(("+I", 7, 1), ("+I", 8, 2)) == "+I[7,1,1,Ann] +I[7,1,1,An] +I[8,2,2,Bob]"
    join.table.rows = [(1, "Eve")]
    assert join.send(("-U", 7, 1), ("+U", 7, 2), ("-D", 8, 2)) == "-D[7,1,1,Ann] -D[7,1,1,An] -D[8,2,2,Bob]"
    assert join.send(("+I", 9, 1)) == "+I[9,1,1,Eve]"
    assert [sorted(keys) for keys in join.table.asked] == [[(1,), (2,)], [(2,)], [(1,)]]


def test_each_row_has_its_own_answer() -> None:
    """Flink forgets the answer of a lookup key with the first retraction of one of its rows."""
    join = Join((1, "Ann"))
    join.send(("+I", 7, 1))
    join.table.rows = [(1, "Eve")]
    assert join.send(("+I", 8, 1)) == "+I[8,1,1,Eve]"
    assert join.send(("-D", 7, 1), ("-D", 8, 1)) == "-D[7,1,1,Ann] -D[8,1,1,Eve]"


def test_left_takes_padded_rows_back() -> None:
    join = Join(pads=True)
    assert join.send(("+I", 7, 1), ("+I", 8, None)) == "+I[7,1,null,null] +I[8,null,null,null]"
    join.table.rows = [(1, "Ann")]
    assert join.send(("-U", 7, 1), ("+U", 7, 1), ("-D", 8, None)) == (
        "-D[7,1,null,null] +U[7,1,1,Ann] -D[8,null,null,null]"
    )
    assert join.send(("-D", 7, 1)) == "-D[7,1,1,Ann]"


def test_equal_rows_share_their_answer() -> None:
    join = Join((1, "Ann"))
    join.send(("+I", 7, 1))
    join.table.rows = [(1, "Eve")]
    assert join.send(("+I", 7, 1), ("-D", 7, 1)) == "+I[7,1,1,Ann] -D[7,1,1,Ann]"
    assert join.send(("-D", 7, 1), ("+I", 7, 1), ("-D", 7, 1)) == "-D[7,1,1,Ann] +I[7,1,1,Eve] -D[7,1,1,Eve]"
    assert join.send(("-D", 7, 1)) == ""


def test_a_retraction_of_an_unknown_row_finds_nothing() -> None:
    assert Join((1, "Ann")).send(("-D", 7, 1)) == ""
    padded = Join((1, "Ann"), pads=True)
    assert padded.send(("-D", 7, 1), ("+I", 7, 1)) == "-D[7,1,null,null] +I[7,1,1,Ann]"


def test_upserts_replace_the_row_of_their_key() -> None:
    join = Join((1, "Ann"), (2, "Bob"), replaces=True)
    assert join.send(("+I", 7, 1)) == "+I[7,1,1,Ann]"
    join.table.rows = [(1, "Eve")]
    assert join.send(("+U", 7, 1)) == "+U[7,1,1,Eve]"
    join.table.rows = []
    assert join.send(("-D", 7, 1), ("-D", 7, 1)) == "-D[7,1,1,Eve]"


@pytest.mark.parametrize("pads", [False, True])
@pytest.mark.parametrize("seed", range(5))
def test_whatever_the_cutting_each_copy_is_taken_back_as_it_was_sent(seed: int, pads: bool) -> None:
    """The table stands still, so that all cuttings see the same."""
    chance = random.Random(seed)
    rows: list[Row] = []
    there: list[tuple[int, int]] = []
    for _ in range(120):
        if there and chance.random() < 0.45:
            rows.append(("-D", *there.pop(chance.randrange(len(there)))))
        else:
            row = (chance.randrange(4), chance.randrange(3))
            there.append(row)
            rows.append(("+I", *row))
    table = [(chance.randrange(3), str(n)) for n in range(4)]
    whole = Join(*table, pads=pads).send(*rows)
    cuts = sorted(chance.sample(range(1, len(rows)), 12))
    join = Join(*table, pads=pads)
    parts = [join.send(*rows[start:end]) for start, end in pairwise([0, *cuts, len(rows)])]
    assert " ".join(filter(None, parts)) == whole


def test_copies_that_the_table_changed_between_cancel_out() -> None:
    chance = random.Random(3)
    balance: dict[str, int] = {}
    join = Join((0, "a"), pads=True)
    there: list[tuple[int, int]] = []
    for _ in range(60):
        rows: list[Row] = []
        for _ in range(chance.randrange(1, 6)):
            if there and chance.random() < 0.5:
                rows.append(("-D", *there.pop(chance.randrange(len(there)))))
            else:
                there.append((chance.randrange(3), chance.randrange(3)))
                rows.append(("+I", *there[-1]))
        join.table.rows = [(chance.randrange(3), str(n)) for n in range(chance.randrange(4))]
        for sent in join.send(*rows).split():
            balance[sent[2:]] = balance.get(sent[2:], 0) + (1 if sent[0] == "+" else -1)
        assert min(balance.values()) >= 0
    for row in join.send(*(("-D", *row) for row in there)).split():
        balance[row[2:]] -= 1
    assert set(balance.values()) == {0}


def test_a_later_micro_batch_takes_back_what_an_earlier_one_found() -> None:
    """Each micro-batch has operators of its own, over one state."""
    backend = memory_backend()
    first = Join((1, "Ann"), (1, "An"), state=backend)
    assert first.send(("+I", 7, 1)) == "+I[7,1,1,Ann] +I[7,1,1,An]"
    backend.commit()
    second = Join((1, "Eve"), (2, "Bob"), state=backend)
    assert second.send(("-U", 7, 1), ("+U", 7, 2)) == "-D[7,1,1,Ann] -D[7,1,1,An] +U[7,2,2,Bob]"
    backend.commit()
    assert Join(state=backend).send(("-D", 7, 2), ("-D", 7, 1)) == "-D[7,2,2,Bob]"
