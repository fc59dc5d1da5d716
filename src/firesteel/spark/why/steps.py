"""Run one operator again over recorded rows, step by step. Read the operator's state after each step."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from dataclasses import field as dataclass_field

import numpy as np
import pyarrow as pa

from firesteel.changelog import KIND, SEQUENCE, field
from firesteel.runtime.dataflow.chain import standing_clock
from firesteel.runtime.dataflow.late_rows import LateRows, LateTable
from firesteel.runtime.dataflow.operator import (
    BEFORE_ALL,
    Message,
    Operator,
    PortBatch,
    Watermark,
    WatermarkedBatch,
)
from firesteel.runtime.dataflow.operator_registry import build
from firesteel.runtime.dataflow.sequence import concat, in_order
from firesteel.runtime.spec.operators import OperatorSpec
from firesteel.runtime.state.backend import SortedRunBackend
from firesteel.runtime.state.contents import Contents
from firesteel.runtime.state.memory import MemoryStore
from firesteel.spark.why.micro_batches import PastBatch
from firesteel.spark.why.recorder import NONE, Event
from firesteel.types.arrow import to_arrow

State = Mapping[str, pa.Table]
"""Live entries of each state of an operator, by the state's name (runtime/state/contents.py)."""


@dataclass(frozen=True)
class Input:
    """A row, or rows, that an operator gets.

    Attributes:
        port: Input of the operator.
        rows: Changes table.
    """

    port: int
    rows: pa.Table


@dataclass(frozen=True)
class Step:
    """One message to an operator that runs again, with its state before and after, and the rows that it sent.

    Attributes:
        batch: Index of the micro-batch.
        inputs: Rows that the operator gets; empty for a watermark or the end of the micro-batch.
        watermark: Watermark that the operator gets, in milliseconds; None for none.
        sent: Rows that the operator sends.
        late: Rows that the operator drops because they came too late.
        before: State of the operator before the message.
        after: State of the operator after the message.
    """

    batch: int
    inputs: Sequence[Input]
    sent: Sequence[pa.Table]
    before: State
    after: State
    watermark: int | None = None
    late: Sequence[LateTable] = ()


@dataclass(frozen=True)
class _Piece:
    """Input of one step: rows of one port, or watermarks.

    A piece without both stands for the end of the micro-batch, at which timers may fire. If `whole` is not
    None, the piece is a whole micro-batch: `whole` contains all its rows and watermarks.
    """

    inputs: tuple[Input, ...] = ()
    watermarks: Mapping[int, Watermark] = dataclass_field(default_factory=dict)
    whole: PortBatch | None = None


class OperatorSteps:
    """An operator that runs again, without the rest of its job.

    Args:
        spec: Settings of the operator.
        batches: The past micro-batches of the job. The operator gets their processing times.
        keeps_state: Whether the operator gets a state. Only operators behind an exchange have one.
        ports: Number of inputs.
        whole: Whether the operator takes the rows of a micro-batch together, in one step.
    """

    def __init__(
        self, spec: OperatorSpec, batches: Sequence[PastBatch], *, keeps_state: bool, ports: int, whole: bool
    ) -> None:
        self._spec, self._batches, self._ports, self._whole = spec, batches, ports, whole
        self._store = MemoryStore() if keeps_state else None
        self._known: dict[int, int] = {}
        self._state: State = {}

    def run(self, events: Mapping[int, Sequence[Event]], single: int) -> Iterator[Step]:
        """Run the operator again over recorded messages, and yield its steps (Step).

        A message (Event) has rows and watermarks of one port in one micro-batch. Each watermark, and the end
        of a micro-batch if the operator sets timers, is a step if the operator sends or drops rows then. The
        last `single` rows have one step each. Earlier rows share steps, to save time: the rows of a message
        between two watermarks are one step.

        If the OperatorSteps were created with `whole`, each micro-batch is one step instead.

        Args:
            events: For each port, the messages in the order in which they came.
            single: How many of the last rows, counted over all ports in the order in which the operator takes
                them, have a step each. Not used with `whole`.
        """
        self._schemas = {
            port: next(each.rows.schema for each in found if each.rows is not None)
            for port, found in events.items()
            if any(each.rows is not None for each in found)
        }
        left = sum(each.rows.num_rows for port in events.values() for each in port if each.rows is not None)
        for batch in range(len(self._batches)):
            pieces = (
                self._whole_batch(batch, events)
                if self._whole
                else list(_without_passed(self._pieces(batch, events)))
            )
            for piece in pieces:
                rows = sum(each.rows.num_rows for each in piece.inputs)
                if self._whole or rows <= 1 or left - rows >= single:
                    yield from self._step(batch, piece)
                else:
                    yield from self._one_by_one(batch, piece, max(0, left - single))
                left -= rows
            if self._spec.sets_timers:
                yield from self._step(batch, _Piece())

    def _pieces(self, batch: int, events: Mapping[int, Sequence[Event]]) -> Iterator[_Piece]:
        """Yield the rows and watermarks of a micro-batch, in the order in which the operator takes them."""
        for port in self._spec.port_order if self._ports > 1 else (0,):
            for event in events.get(port, ()):
                if event.batch == batch:
                    yield from _pieces_of(port, event)

    def _one_by_one(self, batch: int, piece: _Piece, together: int) -> Iterator[Step]:
        (each,) = piece.inputs
        if together:
            first = Input(each.port, each.rows.slice(0, together))
            yield from self._step(batch, _Piece((first,)))
        for row in range(together, each.rows.num_rows):
            yield from self._step(batch, _Piece((Input(each.port, each.rows.slice(row, 1)),)))

    def _whole_batch(self, batch: int, events: Mapping[int, Sequence[Event]]) -> Iterator[_Piece]:
        """Yield all rows and watermarks of a micro-batch as one piece."""
        own = {port: [each for each in found if each.batch == batch] for port, found in events.items()}
        if not any(own.values()):
            return
        parts: list[WatermarkedBatch | None] = [None] * self._ports
        for port, found in own.items():
            if found:
                parts[port] = _together(found, self._empty(port))
        inputs = tuple(
            Input(port, part.table) for port, part in enumerate(parts) if part and part.table.num_rows
        )
        marks = {port: _last(part) for port, part in enumerate(parts) if part is not None and len(part.times)}
        yield _Piece(inputs, marks, PortBatch(tuple(parts)))

    def _empty(self, port: int) -> pa.Table:
        """Return a changes table of a port without rows."""
        if port in self._schemas:
            return self._schemas[port].empty_table()
        types = self._spec.inputs[port].types  # type: ignore[attr-defined]
        names = {field(at): pa.array([], to_arrow(kind)) for at, kind in enumerate(types)}
        return pa.table({KIND: pa.array([], pa.int8()), SEQUENCE: pa.array([], pa.int64()), **names})

    def _step(self, batch: int, piece: _Piece) -> Iterator[Step]:
        """Process a piece, and yield one step.

        Yield no step if the piece has no rows, and the operator neither sends nor drops rows because of it.
        """
        state = None if self._store is None else SortedRunBackend.open(self._store)
        operator = build(self._spec, state, standing_clock(self._batches[batch].now))
        late = operator.late_rows = LateRows()
        sent = list(self._sent(operator, piece))
        before, after = self._state, self._state
        if state is not None:
            state.commit()
            after = self._state = self._read()
        self._known |= {port: mark.time for port, mark in piece.watermarks.items()}
        watermark = max((mark.time for mark in piece.watermarks.values()), default=None)
        dropped = late.take()
        if piece.inputs or sent or dropped:
            yield Step(batch, piece.inputs, sent, before, after, watermark, dropped)

    def _sent(self, operator: Operator, piece: _Piece) -> Iterator[pa.Table]:
        for port, time in sorted(self._known.items()):
            yield from _rows(operator.watermark(Watermark(time, BEFORE_ALL), port))
        if self._ports > 1:
            yield from _rows(operator.ports(self._port_batch(piece)))
        elif piece.whole is not None:
            (part,) = piece.whole.inputs
            assert part is not None
            yield from _rows(operator.watermarked(part))
        else:
            for each in piece.inputs:
                yield from _rows(operator.changes(each.rows, each.port))
        if piece.whole is None:
            for port, mark in piece.watermarks.items():
                yield from _rows(operator.watermark(mark, port))
        yield from _rows(operator.barrier())

    def _port_batch(self, piece: _Piece) -> PortBatch:
        """Return a piece as one batch with an entry for each port; the entry is None for a port without rows.

        If the piece is a whole micro-batch, the result has its rows and watermarks. Otherwise, the result has
        only the rows of the piece: `_sent` gives the operator the watermarks after them.
        """
        if piece.whole is not None:
            return piece.whole
        parts: list[WatermarkedBatch | None] = [None] * self._ports
        for each in piece.inputs:
            parts[each.port] = WatermarkedBatch(each.rows, NONE, NONE)
        return PortBatch(tuple(parts))

    def _read(self) -> State:
        assert self._store is not None
        manifest = self._store.manifest()
        if manifest is None:
            return {}
        contents = Contents.read(manifest, lambda run: self._store.runs[run])  # type: ignore[union-attr]
        found = {name: contents.table(name) for name in sorted(contents.entries)}
        return {name: table for name, table in found.items() if table.num_rows}


def _pieces_of(port: int, event: Event) -> Iterator[_Piece]:
    if event.rows is None or not event.rows.num_rows:
        if len(event.times):
            last = Watermark(int(event.times[-1]), int(event.sequences[-1]), event.sub_sequence)
            yield _Piece(watermarks={port: last})
        return
    whole = WatermarkedBatch(in_order(event.rows), event.times, event.sequences, event.sub_sequence)
    for piece in whole.pieces():
        if isinstance(piece, Watermark):
            yield _Piece(watermarks={port: piece})
        else:
            yield _Piece((Input(port, piece),))


def _together(events: Sequence[Event], empty: pa.Table) -> WatermarkedBatch:
    """Return the rows and watermarks of several messages as one message."""
    held = [each.rows for each in events if each.rows is not None and each.rows.num_rows]
    order = np.argsort(np.concatenate([each.sequences for each in events]), kind="stable")
    times, sequences = (
        np.concatenate([getattr(each, name) for each in events]).astype(np.int64)[order]
        for name in ("times", "sequences")
    )
    sub = max(each.sub_sequence for each in events)
    return WatermarkedBatch(in_order(concat(held)) if held else empty, times, sequences, sub)


def _last(part: WatermarkedBatch) -> Watermark:
    return Watermark(int(part.times[-1]), int(part.sequences[-1]), part.sub_sequence)


def _without_passed(pieces: Iterable[_Piece]) -> Iterator[_Piece]:
    """Yield the pieces. Of several watermarks of a port without rows between them, yield only the last."""
    held: dict[int, Watermark] = {}
    for piece in pieces:
        if piece.inputs:
            yield from (_Piece(watermarks={port: mark}) for port, mark in held.items())
            held = {}
            yield piece
        else:
            held |= piece.watermarks
    yield from (_Piece(watermarks={port: mark}) for port, mark in held.items())


def _rows(messages: Iterable[Message]) -> Iterator[pa.Table]:
    for message in messages:
        table = message.table if isinstance(message, WatermarkedBatch) else message
        if isinstance(table, pa.Table) and table.num_rows:
            yield table
