"""State backend over sorted runs, with or without durable storage."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence, Set
from functools import partial
from typing import Protocol

import pyarrow as pa

from firesteel.errors import InternalError, JobError
from firesteel.runtime.state.codec import decode, encode
from firesteel.runtime.state.levels import Levels, Piece
from firesteel.runtime.state.manifest import StateEntry, read_manifest, write_manifest
from firesteel.runtime.state.oldest import oldest_time
from firesteel.runtime.state.order_codes import SortOrder
from firesteel.runtime.state.ordered import SortedOrderedMapState
from firesteel.runtime.state.run_store import RunStore
from firesteel.runtime.state.runs import Run, bounds
from firesteel.runtime.state.size import StateSize
from firesteel.runtime.state.sliced import SHORTEST, SortedSlicedState
from firesteel.runtime.state.states import SortedMapState, SortedValueState
from firesteel.runtime.state.times import SortedTimeState

_LARGE = 1 << 20
"""Maximum bytes of a run that stays in memory after its commit. Larger runs are mapped from the cache."""


class Cache(Protocol):
    """Cache of runs on this machine (runtime/state/cache.py).

    `get` returns None for a run that it does not hold.
    """

    def get(self, name: str) -> Run | None: ...

    def put(self, name: str, run: Run) -> None:
        """Add a run that was created in this process."""
        ...

    def load(self, name: str, data: bytes) -> Run:
        """Add a run that came from the store, and return it."""
        ...

    def spill(self, run: Run) -> Run:
        """Write a run to an unnamed file and return it mapped from there, or `run` if the disk is full."""
        ...

    def live(self, names: Set[str]) -> None:
        """Set the ids of all runs that the state has now. The cache closes runs that are no longer used."""
        ...


class SortedRunBackend:
    """`StateBackend` over sorted runs.

    Args:
        store: Durable storage. None keeps the state only as long as this object lives.
        cache: Cache of runs on this machine, None for no cache.
    """

    def __init__(self, store: RunStore | None = None, cache: Cache | None = None) -> None:
        self._store = store
        self._cache = cache
        self._states: dict[str, tuple[StateEntry, Levels]] = {}
        self._manifest = store.manifest() if store is not None else None
        saved = read_manifest(self._manifest) if self._manifest is not None else {}
        for name, entry in saved.items():
            self._states[name] = (entry, self._new_levels(entry, 0))
        self._stored = self._now_live()

    @classmethod
    def open(cls, store: RunStore, cache: Cache | None = None) -> SortedRunBackend:
        """Return the state that a store holds.

        Raises:
            JobError: This version cannot read the state.
        """
        return cls(store, cache)

    def value(
        self, name: str, key_types: Sequence[pa.DataType], types: Sequence[pa.DataType], ttl: int = 0
    ) -> SortedValueState:
        columns = [(f"k{i}", kind) for i, kind in enumerate(key_types)]
        columns += [(f"v{i}", kind) for i, kind in enumerate(types)]
        return SortedValueState(self._levels(name, "value", pa.schema(columns), ttl), key_types, types)

    def map(
        self, name: str, sub_type: pa.DataType, types: Sequence[pa.DataType], ttl: int = 0
    ) -> SortedMapState:
        columns = [("sub_key", sub_type), *((f"v{i}", kind) for i, kind in enumerate(types))]
        return SortedMapState(self._levels(name, "map", pa.schema(columns), ttl), sub_type, types)

    def ordered(
        self, name: str, sub_type: pa.DataType, types: Sequence[pa.DataType], ttl: int = 0,
        orders: Sequence[SortOrder] = (),
    ) -> SortedOrderedMapState:  # fmt: skip
        code = [("code", pa.binary())] if orders else []
        columns = [*code, ("sub_key", sub_type), *((f"v{i}", kind) for i, kind in enumerate(types))]
        kind = f"ordered map by {', '.join(map(str, orders))}" if orders else "ordered map"
        return SortedOrderedMapState(
            self._levels(name, kind, pa.schema(columns), ttl), sub_type, types, orders
        )

    def times(
        self, name: str, key_types: Sequence[pa.DataType], types: Sequence[pa.DataType] = ()
    ) -> SortedTimeState:
        columns = [(f"k{i}", kind) for i, kind in enumerate(key_types)]
        columns += [(f"v{i}", kind) for i, kind in enumerate(types)]
        return SortedTimeState(self._levels(name, "time", pa.schema(columns), 0), key_types, types)

    def sliced(self, name: str, types: Sequence[pa.DataType], length: int) -> SortedSlicedState:
        length = max(length, SHORTEST)
        columns = [("number", pa.int64()), *((f"v{i}", kind) for i, kind in enumerate(types))]
        kind = f"map by slices of {length} ms"
        return SortedSlicedState(self._levels(name, kind, pa.schema(columns), 0), types, length)

    @property
    def entries(self) -> int:
        """Return the number of entries of all states. Replaced versions of an entry count, as in `sizes`."""
        return sum(size.entries for size in self.sizes().values())

    def sizes(self) -> dict[str, StateSize]:
        """Return the size of each state by its name. Runs since the last commit count 0 bytes.

        Older versions of an entry count until a merge drops them.
        """
        return {name: _size(entry.kind, levels) for name, (entry, levels) in self._states.items()}

    def commit(self) -> None:
        """Write new runs and the manifest to the store, and remove the runs that are no longer live."""
        if self._store is None:
            return
        save = partial(self._save, self._store)
        for _, levels in self._states.values():
            levels.gather_fresh(save)
            levels.split()
            for level in levels.levels:
                for piece in level:
                    if piece.id is None:
                        save(piece)
        manifest = write_manifest({name: entry for name, (entry, _) in self._states.items()})
        if manifest != self._manifest:
            self._store.set_manifest(manifest)
            self._manifest = manifest
        live = self._now_live()
        dead = self._stored - live
        if dead:
            self._store.remove(sorted(dead))
        self._stored = live

    def _levels(self, name: str, kind: str, schema: pa.Schema, ttl: int) -> Levels:
        known = self._states.get(name)
        if known is None:
            entry = StateEntry(kind, schema, ttl > 0)
            known = self._states[name] = (entry, self._new_levels(entry, ttl))
        entry, levels = known
        wanted = StateEntry(kind, schema, ttl > 0)
        if _words(entry) != _words(wanted):
            raise JobError(
                f"The state {name} is {_words(entry)}, the query needs {_words(wanted)}",
                hint="The query has changed since the checkpoint was made: start from an empty checkpoint.",
            )
        levels.ttl = ttl
        return levels

    def _new_levels(self, entry: StateEntry, ttl: int) -> Levels:
        spill = None if self._cache is None else self._cache.spill
        return Levels(self._load, ttl, entry.levels, entry.merges, spill=spill)

    def _now_live(self) -> set[str]:
        every = (p.id for _, levels in self._states.values() for level in levels.levels for p in level)
        names = {name for name in every if name is not None}
        if self._cache is not None:
            self._cache.live(names)
        return names

    def _load(self, piece: Piece) -> Run:
        if piece.id is None or self._store is None:
            raise InternalError("A run that was never written is not in memory")
        run = self._cache.get(piece.id) if self._cache is not None else None
        if run is not None:
            return run
        data = self._store.get(piece.id)
        if data is None:
            raise JobError(f"The run {piece.id} of the state is not in the store")
        return decode(data) if self._cache is None else self._cache.load(piece.id, data)

    def _save(self, store: RunStore, piece: Piece) -> None:
        """Write a run to the store. Its id is a digest of its content.

        If a task is repeated, its run may differ from that of the first attempt, which may be in the cache.
        Then the digests differ, so the cached file is not read for the new run.
        """
        run = piece.run
        if run is None:
            raise InternalError("A run that was never written is not in memory")
        run = piece.run = run.slice(*bounds(run, piece.low, piece.high))
        data = encode(run)
        piece.rows, piece.bytes = len(run), len(data)
        piece.first = int(run.words[0][0]) if len(run) else None
        piece.id = hashlib.blake2b(data, digest_size=16).hexdigest()
        store.put(piece.id, data)
        if self._cache is not None:
            self._cache.put(piece.id, run)
            if run.bytes > _LARGE:
                piece.run = None


def _size(kind: str, levels: Levels) -> StateSize:
    pieces = [piece for level in levels.levels for piece in level]
    oldest = oldest_time(kind, levels)
    return StateSize(sum(piece.rows for piece in pieces), sum(piece.bytes for piece in pieces), oldest)


def _words(entry: StateEntry) -> str:
    fields = ", ".join(str(field.type) for field in entry.schema)
    article = "an" if entry.kind[0] == "o" else "a"
    return f"{article} {entry.kind} state of ({fields}){' with a time to live' if entry.ttl else ''}"
