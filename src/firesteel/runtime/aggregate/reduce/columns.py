"""Accumulators as columns, which a local aggregate sends to the global one.

A row has the key fields, then one column for each part of the row handler's accumulator that a merge reads.
An accumulator field has the form of keyed state. A map view is a list of (key, value). Of a DISTINCT call,
the local aggregate sends only the values that the call has seen, and no fields such as a sum. The receiver
computes the fields, as only its state tells which of the values are new.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from firesteel.changelog import KIND, SEQUENCE, RowKind, field
from firesteel.runtime.aggregate.functions.declaration import AccumulatorField, MapView
from firesteel.runtime.aggregate.row_engine.handler import generate
from firesteel.runtime.aggregate.row_engine.handler_calls import Slot
from firesteel.runtime.columns.keys import one_array
from firesteel.runtime.dataflow.sequence import derived
from firesteel.runtime.spec.operators import GroupAggregateSpec
from firesteel.types.arrow import to_arrow
from firesteel.types.internal_values import from_key, from_list, to_keys, to_list
from firesteel.types.sql import SqlType


@dataclass(frozen=True)
class AccumulatorColumns:
    """Layout of a table of accumulators.

    Attributes:
        key_types: Types of the key fields, which come first.
        slots: Parts of the accumulator that follow.
    """

    key_types: tuple[SqlType, ...]
    slots: tuple[Slot, ...]

    @classmethod
    def of(cls, spec: GroupAggregateSpec) -> AccumulatorColumns:
        """Return the layout of a local aggregate's output: key fields and the parts that a merge reads."""
        handler = generate(spec)
        slots = tuple(slot for slot in handler.slots if slot.name in handler.merged)
        return cls(tuple(spec.input_types[i] for i in spec.keys), slots)

    @classmethod
    def increments(cls, spec: GroupAggregateSpec, final_keys: Sequence[int]) -> AccumulatorColumns:
        """Return the layout of the rows that an incremental aggregate sends to the global one.

        `final_keys` are the indices in `spec.keys` of the key fields in these rows. Of a DISTINCT call, the
        rows have the fields, such as a sum, but not the values that the call has seen. These values are in
        the state of the incremental aggregate.
        """
        handler = generate(spec)
        merged = generate(
            replace(spec, calls=tuple(replace(call, distinct=False) for call in spec.calls))
        ).merged
        slots = tuple(slot for slot in handler.slots if slot.call >= 0 and slot.name in merged)
        keys = tuple(spec.input_types[spec.keys[i]] for i in final_keys)
        return cls(keys, slots)

    @property
    def keys(self) -> tuple[int, ...]:
        """Return the positions of the key fields."""
        return tuple(range(len(self.key_types)))

    def position(self, slot: Slot) -> int:
        """Return the position of the field that holds `slot`, a part of the accumulators. Keys come first."""
        return len(self.key_types) + self.slots.index(slot)

    def schema(self) -> pa.Schema:
        """Return the schema of the changes table."""
        types = [*map(to_arrow, self.key_types), *map(arrow_type, self.slots)]
        fields = [pa.field(KIND, pa.int8()), pa.field(SEQUENCE, pa.int64())]
        return pa.schema(fields + [pa.field(field(i), kind) for i, kind in enumerate(types)])

    def table(
        self, changes: pa.Table, at: NDArray[np.int64], keys: Sequence[pa.Array], parts: Sequence[pa.Array]
    ) -> pa.Table:
        """Return a changes table with one insert for each accumulator, of columns `keys` and `parts`.

        `at` has, for each insert, the index of the row of `changes` that caused it.
        """
        return derived(changes, at, pa.array(np.full(len(at), RowKind.INSERT, np.int8)), [*keys, *parts])

    def from_rows(self, accs: Sequence[Sequence[Any]], slots: Sequence[Slot]) -> list[pa.Array]:
        """Return the columns of this layout from accumulator tuples `accs`, whose items are `slots`."""
        return [_column(slot, [acc[slots.index(slot)] for acc in accs]) for slot in self.slots]

    def to_rows(self, changes: pa.Table, slots: Sequence[Slot]) -> Iterator[tuple[Any, ...]]:
        """Yield the rows of `changes` as tuples with the parts `slots`. Missing parts get initial values."""
        parts: list[list[Any]] = []
        for slot in slots:
            if slot in self.slots:
                column = one_array(changes.column(field(self.position(slot))))
                parts.append(_values(slot, column))
            else:
                parts.append([initial(slot) for _ in range(changes.num_rows)])
        return zip(*parts, strict=True) if parts else iter([()] * changes.num_rows)


def arrow_type(slot: Slot) -> pa.DataType:
    """Return the Arrow type of the column that holds a part of the accumulators."""
    if isinstance(slot.kind, AccumulatorField):
        return to_arrow(slot.kind.type)
    return pa.list_(entry_type(slot.kind))


def entry_type(view: MapView) -> pa.DataType:
    """Return the Arrow type of one entry of a map view, a struct with the fields key and value."""
    return pa.struct([("key", to_arrow(view.key)), ("value", to_arrow(view.value))])


def initial(slot: Slot) -> Any:
    """Return the initial value of a part of an accumulator."""
    if isinstance(slot.kind, MapView):
        return {}
    value = slot.kind.initial
    return list(value) if isinstance(value, list) else value


def _column(slot: Slot, values: list[Any]) -> pa.Array:
    kind = slot.kind
    if isinstance(kind, AccumulatorField):
        return from_list(values, kind.type)
    ends = np.cumsum([0, *map(len, values)], dtype=np.int32)
    keys = from_list([from_key(key, kind.key) for view in values for key in view], kind.key)
    items = from_list([item for view in values for item in view.values()], kind.value)
    entries = pa.StructArray.from_arrays([keys, items], fields=list(entry_type(kind)))
    return pa.ListArray.from_arrays(pa.array(ends), entries, type=arrow_type(slot))


def _values(slot: Slot, column: pa.Array) -> list[Any]:
    kind = slot.kind
    if isinstance(kind, AccumulatorField):
        return to_list(column, kind.type)
    entries = column.flatten()
    keys, items = to_keys(entries.field(0), kind.key), to_list(entries.field(1), kind.value)
    lengths = column.value_lengths().to_numpy(zero_copy_only=False)
    ends = np.cumsum(lengths).tolist()
    starts = [0, *ends][: len(ends)]
    # The entries are sorted, so that the result does not depend on where accumulators were created. After
    # retractions without a matching row, MIN and MAX depend on this order (in Flink, on that of a HashMap).
    pairs = (zip(keys[a:b], items[a:b], strict=True) for a, b in zip(starts, ends, strict=True))
    if kind.ordered:
        return [OrderedDict(sorted(each)) for each in pairs]
    return [dict(sorted(each, key=_text_of_key)) for each in pairs]


def _text_of_key(entry: tuple[Any, Any]) -> str:
    return repr(entry[0])
