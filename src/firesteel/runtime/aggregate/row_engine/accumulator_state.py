"""Accumulators of a GroupAggregate in keyed state: a row with the fields for each key, and the map views.

An accumulator has parts (slots): fields, such as a sum, and map views. The fields are stored as Arrow
columns, in the order of the parts, with one row for each key. Each map view is a state of its own. The row
handler and the prefix scans use the same state, so either can process a key.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from firesteel.runtime.aggregate.functions.declaration import AccumulatorField, MapView
from firesteel.runtime.aggregate.row_engine.handler_calls import Slot
from firesteel.runtime.columns.keys import Keys
from firesteel.runtime.spec.operators import GroupAggregateSpec
from firesteel.runtime.state.base import MapState, OrderedMapState, StateBackend
from firesteel.types.arrow import to_arrow


def map_name(spec: GroupAggregateSpec, slot: Slot) -> str:
    """Return the name of the state that holds a map view."""
    return f"{spec.state_id}/{slot.name}"


@dataclass(frozen=True)
class Stored:
    """Stored accumulators of the g keys of a batch.

    Attributes:
        found: bool[g], whether each key has a stored accumulator.
        fields: Column of each accumulator field, g rows, by name: `sum2` is field `sum` of call 2. NULL for a
            key without a stored accumulator.
    """

    found: NDArray[np.bool_]
    fields: Mapping[str, pa.Array]


class AccumulatorState:
    """Keyed state of a GroupAggregate's accumulators. `slots` are their parts: fields and map views."""

    def __init__(self, spec: GroupAggregateSpec, slots: Sequence[Slot], backend: StateBackend) -> None:
        self.fields = {s.name: s.kind for s in slots if isinstance(s.kind, AccumulatorField)}
        key_types = [to_arrow(spec.input_types[i]) for i in spec.keys]
        types = [to_arrow(kind.type) for kind in self.fields.values()]
        self._rows = backend.value(spec.state_id, key_types, types, spec.ttl)
        self.maps: dict[str, MapState] = {
            slot.name: (backend.ordered if slot.kind.sorted else backend.map)(
                map_name(spec, slot), to_arrow(slot.kind.key), [to_arrow(slot.kind.value)], spec.ttl
            )
            for slot in slots
            if isinstance(slot.kind, MapView)
        }

    def ordered(self, name: str) -> OrderedMapState:
        """Return the state of the map view `name`, which must be sorted (`MapView.sorted`)."""
        return cast("OrderedMapState", self.maps[name])

    def load(self, keys: Keys, now: int) -> Stored:
        """Return the stored fields of the accumulators of `keys`. `now` is the processing time."""
        found = self._rows.get(keys, now)
        return Stored(found.found, dict(zip(self.fields, found.columns, strict=True)))

    def save(
        self, keys: Keys, owners: NDArray[np.int64], fields: Mapping[str, pa.Array], now: int,
        live: NDArray[np.bool_],
    ) -> None:  # fmt: skip
        """Write the fields of m accumulators, or delete the accumulators.

        Args:
            keys: Keys of the batch.
            owners: int64[m], index in `keys` of each accumulator's key.
            fields: Column of each accumulator field, m rows, by name: `sum2` is field `sum` of call 2.
            now: Processing time.
            live: bool[m], False to delete an accumulator.
        """
        if len(owners):
            self._rows.put(keys, owners, [fields[name] for name in self.fields], now, live)

    def forget(self, keys: Keys, owners: NDArray[np.int64], now: int) -> None:
        """Delete the accumulators and all map entries of the keys with the indices `owners` in `keys`."""
        nothing = {name: pa.nulls(len(owners), to_arrow(kind.type)) for name, kind in self.fields.items()}
        self.save(keys, owners, nothing, now, np.zeros(len(owners), np.bool_))
        for state in self.maps.values():
            state.clear(keys, owners, now)
