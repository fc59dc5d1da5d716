"""Storage of the row handler's accumulators between batches: in this process, or in keyed state.

Each of the two storages loads the accumulators as tuples for the handler's `process`. Afterwards it stores
the new tuples.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any, Protocol, cast

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from firesteel.runtime.aggregate.functions.declaration import AccumulatorField, MapView
from firesteel.runtime.aggregate.row_engine.accumulator_state import AccumulatorState
from firesteel.runtime.aggregate.row_engine.handler_calls import Slot
from firesteel.runtime.aggregate.row_engine.map_bounds import MapBounds
from firesteel.runtime.aggregate.row_engine.map_state import Expiry, StoredMap
from firesteel.runtime.aggregate.row_engine.result_sizes import column_bytes, value_bytes
from firesteel.runtime.columns.keys import Keys
from firesteel.runtime.spec.operators import GroupAggregateSpec
from firesteel.runtime.state.base import MapState, OrderedMapState, StateBackend
from firesteel.runtime.state.memory import memory_backend
from firesteel.types.internal_values import from_key, from_list, to_keys, to_list

Named = Callable[[Slot], tuple[NDArray[np.int64], pa.Array] | None]
"""Function that returns which entries of a map view a batch needs, or None for all entries of its keys.

The result is a pair of arrays with one item for each entry: the key's index (ascending), and the map key.
"""


class Accumulators(Protocol):
    """Storage of accumulator tuples by key."""

    def load(self, keys: Keys, named: Named) -> list[Any]:
        """Return the accumulator of each key, None if there is none or it has expired."""
        ...

    def store(self, keys: Keys, accs: list[Any]) -> None:
        """Store the accumulator of each key. None deletes it."""
        ...

    def forget(self, keys: Keys) -> None:
        """Delete the accumulators of some keys."""
        ...

    def sizes(self, keys: Keys, parts: Sequence[int]) -> NDArray[np.int64]:
        """Return for each key about how many bytes some slots of its accumulator have together, int64[g].

        `parts` are the indices of these slots. A key without an accumulator has 0 bytes.
        """
        ...


class HeapAccumulators:
    """Accumulators in this process, by the hashes of their keys.

    Maps of map views are not copied: the row handler changes the stored maps in place.
    """

    def __init__(self, expiry: Expiry) -> None:
        self._expiry = expiry
        self._rows: dict[tuple[int, int], Any] = {}
        self._written: dict[tuple[int, int], int] = {}

    def load(self, keys: Keys, named: Named) -> list[Any]:
        names, get = _names(keys), self._rows.get
        if not self._expiry.ttl:
            return [get(name) for name in names]
        oldest = self._expiry.now - self._expiry.ttl
        return [get(name) if self._written.get(name, oldest) > oldest else None for name in names]

    def store(self, keys: Keys, accs: list[Any]) -> None:
        for name, acc in zip(_names(keys), accs, strict=True):
            if acc is None:
                self._rows.pop(name, None)
                self._written.pop(name, None)
            else:
                self._rows[name] = acc
                if self._expiry.ttl:
                    self._written[name] = self._expiry.now

    def forget(self, keys: Keys) -> None:
        self.store(keys, [None] * len(keys))

    def sizes(self, keys: Keys, parts: Sequence[int]) -> NDArray[np.int64]:
        found = map(self._rows.get, _names(keys))
        sizes = (0 if acc is None else sum(value_bytes(acc[part]) for part in parts) for acc in found)
        return np.fromiter(sizes, np.int64, len(keys))


def _names(keys: Keys) -> Iterator[tuple[int, int]]:
    return zip(keys.hash1.tolist(), keys.hash2.tolist(), strict=True)


class StoredAccumulators:
    """Accumulators in keyed state.

    Of a map view, only the entries whose map keys occur in the rows of the batch are read. If the handler
    iterates over the view, the other entries are read, too.
    """

    def __init__(self, state: AccumulatorState, slots: Sequence[Slot], expiry: Expiry) -> None:
        self._state = state
        self._slots = slots
        self._expiry = expiry
        self._found: NDArray[np.bool_] = np.zeros(0, np.bool_)

    def load(self, keys: Keys, named: Named) -> list[Any]:
        stored = self._state.load(keys, self._expiry.now)
        self._found = stored.found
        parts: list[list[Any]] = []
        for slot in self._slots:
            if isinstance(slot.kind, AccumulatorField):
                parts.append(to_list(stored.fields[slot.name], slot.kind.type))
            else:
                parts.append(
                    stored_maps(
                        self._state.maps[slot.name], slot.kind, keys, self._found, named(slot), self._expiry
                    )
                )
        rows: Sequence[Any] = list(zip(*parts, strict=True)) if parts else [()] * len(keys)
        return [row if found else None for row, found in zip(rows, stored.found.tolist(), strict=True)]

    def store(self, keys: Keys, accs: list[Any]) -> None:
        live = np.fromiter((acc is not None for acc in accs), np.bool_, len(accs))
        owners = np.flatnonzero(live | self._found)
        kept = [accs[owner] for owner in owners.tolist()]
        fields = {
            slot.name: from_list([None if acc is None else acc[i] for acc in kept], slot.kind.type)
            for i, slot in enumerate(self._slots)
            if isinstance(slot.kind, AccumulatorField)
        }
        self._state.save(keys, owners, fields, self._expiry.now, live[owners])
        for i, slot in enumerate(self._slots):
            if isinstance(slot.kind, MapView):
                views = [None if acc is None else acc[i] for acc in kept]
                write_maps(
                    self._state.maps[slot.name], slot.kind, keys, owners, views,
                    self._found[owners], self._expiry.now,
                )  # fmt: skip

    def forget(self, keys: Keys) -> None:
        self._state.forget(keys, np.arange(len(keys)), self._expiry.now)

    def sizes(self, keys: Keys, parts: Sequence[int]) -> NDArray[np.int64]:
        sizes, stored = np.zeros(len(keys), np.int64), self._state.load(keys, self._expiry.now)
        for slot in (self._slots[part] for part in parts):
            if isinstance(slot.kind, AccumulatorField):
                sizes += column_bytes(stored.fields[slot.name])
            else:
                view = self._state.maps[slot.name]
                sizes += view.sizes(keys, np.arange(len(keys))) * view.entry_bytes()
        return sizes


def accumulators(
    spec: GroupAggregateSpec,
    slots: Sequence[Slot],
    state: StateBackend | None,
    columnar: bool,
    expiry: Expiry,
) -> tuple[AccumulatorState | None, Accumulators]:
    """Return the keyed state of an operator's accumulators, and the row handler's access to them.

    If `state` is None, the accumulators stay in this process. With `columnar`, they are then in a memory
    backend. Without `columnar`, they are Python objects, and None is returned for the keyed state.
    """
    if state is None and not columnar:
        return None, HeapAccumulators(expiry)
    keyed = AccumulatorState(spec, slots, memory_backend() if state is None else state)
    return keyed, StoredAccumulators(keyed, slots, expiry)


def stored_maps(
    state: MapState, view: MapView, keys: Keys, known: NDArray[np.bool_],
    named: tuple[NDArray[np.int64], pa.Array] | None, expiry: Expiry,
) -> list[StoredMap | None]:  # fmt: skip
    """Return the map of each key, None for a key without state (where `known` is False).

    The maps have the entries `named` (the result of a function `Named`), or all entries if it is None.
    """
    maps: list[StoredMap | None] = [None] * len(keys)
    owners = np.flatnonzero(known)
    ends = MapBounds(cast("OrderedMapState", state), view, keys, owners, expiry.now) if view.sorted else None
    for owner in owners.tolist():
        rest = outside = None
        if named is not None:
            rest = partial(_entries, state, view, keys, np.array([owner]), expiry.now)
            if ends is not None:
                outside = partial(ends.outside, owner)
        maps[owner] = StoredMap(bool(expiry.ttl), rest, outside)
    if named is None:
        entries = _entries(state, view, keys, owners, expiry.now)
    else:
        rows = np.flatnonzero(known[named[0]])
        owners, sub_keys = named[0][rows], named[1].take(pa.array(rows))
        found = state.get(keys, owners, sub_keys, expiry.now)
        there = np.flatnonzero(found.found)
        at = pa.array(there)
        entries = zip(
            owners[there].tolist(),
            to_keys(sub_keys.take(at), view.key),
            to_list(found.columns[0].take(at), view.value),
            strict=True,
        )
    for owner, name, value in entries:
        mine = maps[owner]
        assert mine is not None
        mine.restore(name, value)
    return maps


def _entries(
    state: MapState, view: MapView, keys: Keys, owners: NDArray[np.int64], now: int
) -> Iterable[tuple[int, Any, Any]]:
    """Yield all entries of the maps of the keys with indices `owners` as (owner, map key, value).

    If the view is ordered, they are sorted by map key.
    """
    entries = state.entries(keys, owners, now)
    names, values = to_keys(entries.sub_keys, view.key), to_list(entries.columns[0], view.value)
    rows = zip(entries.owners.tolist(), names, values, strict=True)
    return sorted(rows, key=lambda row: row[1]) if view.ordered else rows


def write_maps(
    state: MapState, view: MapView, keys: Keys, owners: NDArray[np.int64], views: list[Any],
    known: NDArray[np.bool_], now: int,
) -> None:  # fmt: skip
    """Write the changed map entries of m keys to the state.

    Of a StoredMap, the changed entries are written. A map of another class is new: the entries of its key in
    the state are deleted, and all entries of the map are written.

    Args:
        state: The state.
        view: The map view.
        keys: Keys of the batch.
        owners: int64[m], indices into `keys`.
        views: The map of each of the m keys, None for a deleted key.
        known: bool[m], whether the state may have entries of each key. Where it is False, nothing is deleted.
        now: Processing time in milliseconds.
    """
    is_new = np.fromiter((not isinstance(each, StoredMap) for each in views), np.bool_, len(views))
    cleared = owners[is_new & known]
    if len(cleared):
        state.clear(keys, cleared, now)
    changes: list[tuple[int, Any, Any, bool]] = []
    for owner, each in zip(owners.tolist(), views, strict=True):
        if isinstance(each, StoredMap):
            changes += [(owner, *change) for change in each.changes()]
        elif each is not None:
            changes += [(owner, name, value, True) for name, value in each.items()]
    if changes:
        at, names, values, live = zip(*changes, strict=True)
        sub_keys = from_list([from_key(name, view.key) for name in names], view.key)
        columns = [from_list(values, view.value)]
        state.put(keys, np.array(at, np.int64), sub_keys, columns, now, np.array(live, np.bool_))
