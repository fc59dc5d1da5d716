"""An interval join against a model that takes one row at a time, wherever the input is cut."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firesteel.changelog import SEQUENCE
from firesteel.changelog import field as column
from firesteel.runtime.dataflow.chain import standing_clock
from firesteel.runtime.dataflow.operator import (
    BEFORE_ALL,
    MIN_WATERMARK,
    PortBatch,
    Watermark,
    WatermarkedBatch,
)
from firesteel.runtime.operators.interval_join import meeting, places
from firesteel.runtime.operators.interval_join.interval_join import IntervalJoin
from firesteel.runtime.spec.interval_join import IntervalJoinSpec
from firesteel.runtime.spec.join import JoinKind
from firesteel.runtime.state.backend import SortedRunBackend
from firesteel.runtime.state.memory import MemoryStore
from tests.runtime.changes import parse, to_table
from tests.runtime.messages import one_by_one
from tests.runtime.operators.interval_join.specs import LESS, TYPES, spec
from tests.scale import examples

Event = tuple[int, Any]
"""(port, a row (id, k, ts), or a watermark)."""
Sent = list[tuple[int, Any]]
"""(number of the event that causes it, a row or a watermark)."""
NOTHING = (None, None, None)


@dataclass
class Kept:
    row: tuple[Any, ...]
    matched: bool


@dataclass
class Model:
    """One row at a time, as docs/guide/interval-joins.md says it."""

    of: IntervalJoinSpec
    marks: list[int] = field(default_factory=lambda: [MIN_WATERMARK, MIN_WATERMARK])
    kept: list[list[Kept]] = field(default_factory=lambda: [[], []])

    def run(self, events: list[Event]) -> Sent:
        sent: Sent = []
        for number, (port, what) in enumerate(events):
            found = self.watermark(port, what) if isinstance(what, int) else self.row(port, what)
            sent += [(number, each) for each in found]
        return sent

    def row(self, port: int, row: tuple[Any, ...]) -> list[Any]:
        sent, time, matched = [], row[2], False
        for other in self.kept[1 - port]:
            pair = (row, other.row) if port == 0 else (other.row, row)
            if self.joins(*pair):
                sent.append((*pair[0], *pair[1]))
                other.matched = matched = True
        if self.of.has_pairs and min(self.marks) < time + self.of.reach(port):
            self.kept[port].append(Kept(row, matched))
        elif not matched and self.of.kind.pads(port):
            sent.append(padded(port, row))
        return sent

    def joins(self, left: tuple[Any, ...], right: tuple[Any, ...]) -> bool:
        if not (self.of.lower <= left[2] - right[2] <= self.of.upper):
            return False
        if self.of.condition is not None and not left[0] < right[0]:
            return False
        return left[1] == right[1] and (left[1] is not None or self.of.null_safe[0])

    def watermark(self, port: int, time: int) -> list[Any]:
        before = min(self.marks)
        self.marks[port] = max(self.marks[port], time)
        now, sent = min(self.marks), []
        if now <= before:
            return []
        for side in (0, 1):
            gone = [each for each in self.kept[side] if each.row[2] + self.of.expiry(side) <= now]
            self.kept[side] = [each for each in self.kept[side] if each not in gone]
            if self.of.kind.pads(side):
                sent += [padded(side, each.row) for each in gone if not each.matched]
        return [*sent, now - self.of.delay]


def padded(port: int, row: tuple[Any, ...]) -> tuple[Any, ...]:
    return (*row, *NOTHING) if port == 0 else (*NOTHING, *row)


def history(chance: random.Random, length: int) -> list[Event]:
    """Rows out of order, and watermarks that some of them come behind."""
    events: list[Event] = []
    at, marks = 0, [0, 0]
    for number in range(length):
        port = chance.randrange(2)
        at += chance.choice([0, 1, 1, 3, 40])
        if chance.random() < 0.3:
            marks[port] = max(marks[port], at - chance.choice([0, 5, 20]))
            events.append((port, marks[port]))
        else:
            time = at - chance.choice([0, 0, 2, 10, 30])
            events.append((port, (number, chance.choice([None, "a", "a", "b"]), time)))
    return [*events, (0, 10_000), (1, 10_000)]


def cut(chance: random.Random, of: IntervalJoinSpec, events: list[Event]) -> Sent:
    """Run the operator over pieces of the events, from one micro-batch to the next."""
    store, sent, start = MemoryStore(), [], 0
    marks = [MIN_WATERMARK, MIN_WATERMARK]
    while start < len(events):
        backend = SortedRunBackend.open(store)
        operator = IntervalJoin(of, backend, standing_clock(1))
        for port, time in enumerate(marks):
            if time > MIN_WATERMARK:
                told = [*one_by_one(operator.watermark(Watermark(time, BEFORE_ALL), port))]
                assert all(isinstance(each, Watermark) for each in told)
        for _ in range(chance.randrange(1, 4)):
            stop = min(len(events), start + chance.randrange(1, 12))
            sent += numbered(operator.ports(batch(events, start, stop, marks)))
            start = stop
        list(operator.barrier())
        backend.commit()
    return sent


def batch(events: list[Event], start: int, stop: int, marks: list[int]) -> PortBatch:
    parts = []
    for port in (0, 1):
        own = [(n, what) for n, (of, what) in enumerate(events[start:stop], start) if of == port]
        rows = [(n, what) for n, what in own if not isinstance(what, int)]
        table = to_table([("+I", *values(what)) for _, what in rows], TYPES)
        table = table.set_column(1, SEQUENCE, [np.array([n for n, _ in rows], np.int64)])
        times = [(n, what) for n, what in own if isinstance(what, int)]
        marks[port] = max([marks[port], *(time for _, time in times)])
        sequences, moments = (np.array([each[i] for each in times], np.int64) for i in (0, 1))
        parts.append(WatermarkedBatch(table, moments, sequences) if own else None)
    return PortBatch(tuple(parts))


def values(row: tuple[Any, ...]) -> tuple[Any, ...]:
    ((_, *found),) = parse(f"+I {row[0]} {'null' if row[1] is None else row[1]} {row[2]}", TYPES)
    return tuple(found)


def numbered(messages: Any) -> Sent:
    sent: Sent = []
    for message in one_by_one(messages):
        if isinstance(message, Watermark):
            sent.append((message.sequence, message.time))
            continue
        fields = [message.column(column(i)) for i in range(6)]
        fields = [f.cast("int64") if f.type == fields[2].type else f for f in fields]
        columns = [[None if v is None else v // 1000 for v in f.to_pylist()] if i in (2, 5) else f.to_pylist()
                   for i, f in enumerate(fields)]  # fmt: skip
        sent += zip(message.column(SEQUENCE).to_pylist(), zip(*columns, strict=True), strict=True)
    return sent


def ordered(sent: Sent) -> list[Any]:
    """By event; what one event causes has no order, but its watermark comes last."""
    assert [number for number, _ in sent] == sorted(number for number, _ in sent)
    return sorted(sent, key=lambda each: (each[0], isinstance(each[1], int), str(each[1])))


BOUNDS = st.sampled_from([(-5, 5), (0, 0), (-10, -7), (0, 9), (4, 20), (-300, 10), (3, 1)])


@settings(max_examples=examples(300), deadline=None)
@given(
    st.sampled_from(list(JoinKind)), BOUNDS, st.sampled_from([0, 0, 7]), st.booleans(), st.booleans(),
    st.integers(0, 1 << 30), st.integers(1, 9),
)  # fmt: skip
def test_any_cutting_sends_what_one_row_at_a_time_sends(
    kind: JoinKind, bounds: tuple[int, int], min_cleanup: int, residual: bool, null_safe: bool,
    seed: int, piece: int,
) -> None:  # fmt: skip
    of = spec(
        kind, *bounds, min_cleanup=min_cleanup, condition=LESS if residual else None, null_safe=null_safe
    )
    chance = random.Random(seed)
    events = history(chance, chance.randrange(1, 60))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(meeting, "PIECE", piece)
        patch.setattr(places, "_WIDEST", chance.choice([0, 1 << 62]))
        found = cut(chance, of, events)
    assert ordered(found) == ordered(Model(of).run(events))
