"""GroupAggregate, record by record. Flink: GroupAggFunction.

The first row of a key gives +I; a result that stays the same gives nothing (unless the state has a time
to live); any other change gives -U, where it is wanted, and +U; the last row that goes gives -D. A
retraction for a key without state is dropped. The output is the keys, then the results of the calls.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from firesteel.changelog import RowKind
from firesteel.runtime.handler import GeneratedHandler, generate
from firesteel.runtime.keys import find_keys
from firesteel.runtime.map_view import Expiry
from firesteel.runtime.spec import KIND, ORDER, GroupAggregateSpec, field
from firesteel.runtime.state.base import StateBackend
from firesteel.runtime.values import from_list, one_chunk, to_keys, to_list
from firesteel.types.arrow import to_arrow
from firesteel.types.sql import SqlType

_KINDS = np.array([RowKind.INSERT, RowKind.INSERT, RowKind.UPDATE_AFTER, RowKind.DELETE], np.int8)
"""By outcome, the kind of the last row that goes out."""


class GroupAggregate:
    """One accumulator for each key, and each change of result sent on.

    state: None keeps the accumulators in this process, for as long as the operator lives. clock gives
    the processing time in milliseconds; it is read once for each batch.
    """

    def __init__(
        self, spec: GroupAggregateSpec, state: StateBackend | None, clock: Callable[[], int]
    ) -> None:
        self._spec = spec
        self._clock = clock
        self._expiry = Expiry(spec.ttl)
        self._generated = generate(spec)
        self._handler = self._generated.create(self._expiry)
        self._accumulators = Accumulators(self._expiry)

    @property
    def handler(self) -> GeneratedHandler:
        """The row handler, for EXPLAIN."""
        return self._generated

    def process(self, changes: pa.Table) -> pa.Table:
        """The changes of result that these rows cause, in the order of the rows."""
        self._expiry.now = self._clock()
        keys = find_keys([changes.column(field(i)) for i in self._spec.keys], changes.num_rows)
        names = list(zip(keys.hash1.tolist(), keys.hash2.tolist(), strict=True))
        accs = self._accumulators.load(names)
        kinds = to_list_of_kinds(changes)
        columns = [self._column(changes, each.position, each.key) for each in self._generated.inputs]
        with no_collections():
            outcomes, values = self._handler.process(kinds, keys.codes.tolist(), accs, *columns)
            self._accumulators.store(names, accs)
            return self._output(changes, np.frombuffer(outcomes, np.uint8), values)

    def finish(self) -> pa.Table | None:
        """Nothing is held back."""
        return None

    def _column(self, changes: pa.Table, position: int, key: bool) -> list[Any]:
        convert = to_keys if key else to_list
        return convert(changes.column(field(position)), self._spec.input_types[position])

    def _output(self, changes: pa.Table, outcomes: NDArray[np.uint8], values: list[Any]) -> pa.Table:
        kinds, rows = expand(outcomes, self._spec.emit_update_before)
        take = pa.array(rows)
        columns = [pa.array(kinds), one_chunk(changes.column(ORDER)).take(take)]
        columns += [one_chunk(changes.column(field(i))).take(take) for i in self._spec.keys]
        results = zip(*values, strict=True) if values else ([] for _ in self._spec.calls)
        columns += [
            from_list(result, call.type) for call, result in zip(self._spec.calls, results, strict=True)
        ]
        return pa.Table.from_arrays(columns, schema=self._schema())

    def _schema(self) -> pa.Schema:
        kinds: list[SqlType] = [self._spec.input_types[i] for i in self._spec.keys]
        kinds += [call.type for call in self._spec.calls]
        fields = [pa.field(KIND, pa.int8()), pa.field(ORDER, pa.int64())]
        return pa.schema(fields + [pa.field(field(i), to_arrow(kind)) for i, kind in enumerate(kinds)])


class Accumulators:
    """Accumulators in this process, by the hashes of their keys."""

    def __init__(self, expiry: Expiry) -> None:
        self._expiry = expiry
        self._rows: dict[tuple[int, int], Any] = {}
        self._written: dict[tuple[int, int], int] = {}

    def load(self, keys: list[tuple[int, int]]) -> list[Any]:
        """The accumulator of each key, None where there is none or it has expired."""
        get = self._rows.get
        if not self._expiry.ttl:
            return [get(key) for key in keys]
        oldest = self._expiry.now - self._expiry.ttl
        return [get(key) if self._written.get(key, oldest) > oldest else None for key in keys]

    def store(self, keys: list[tuple[int, int]], accs: list[Any]) -> None:
        """Keep what the batch left of each key."""
        for key, acc in zip(keys, accs, strict=True):
            if acc is not None:
                self._rows[key] = acc
            else:
                self._rows.pop(key, None)
        if self._expiry.ttl:
            for key, acc in zip(keys, accs, strict=True):
                if acc is not None:
                    self._written[key] = self._expiry.now
                else:
                    self._written.pop(key, None)


@contextmanager
def no_collections() -> Iterator[None]:
    """Without Python's cycle collector, which otherwise takes half of the time: a batch makes millions of
    tuples, and none of them is ever part of a cycle."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def to_list_of_kinds(changes: pa.Table) -> list[int]:
    """The row kinds' bytes."""
    kinds: list[int] = one_chunk(changes.column(KIND)).to_numpy().tolist()
    return kinds


def expand(outcomes: NDArray[np.uint8], update_before: bool) -> tuple[NDArray[np.int8], NDArray[np.int64]]:
    """The row kinds that go out, and the number of the input row that caused each.

    outcomes: one a row, as the handler gives them (nothing, insert, update, delete).
    """
    counts = np.array([0, 1, 2 if update_before else 1, 1])[outcomes]
    rows = np.repeat(np.arange(len(outcomes)), counts)
    kinds = _KINDS[outcomes[rows]]
    if update_before:
        kinds[:-1][rows[:-1] == rows[1:]] = RowKind.UPDATE_BEFORE
    return kinds, rows
