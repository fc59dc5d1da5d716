"""Contents of the states of one key group, read from a checkpoint without running its job."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from firesteel.runtime.columns.keys import Keys
from firesteel.runtime.state.codec import decode
from firesteel.runtime.state.levels import Level, Levels, Piece
from firesteel.runtime.state.manifest import StateEntry, read_manifest
from firesteel.runtime.state.merge import merge
from firesteel.runtime.state.oldest import oldest_time
from firesteel.runtime.state.runs import Index, Run
from firesteel.runtime.state.size import StateSize
from firesteel.runtime.state.times import times_of

WRITTEN = "written"
"""Name of the column with the time at which an entry with a time to live was written, in milliseconds."""
_TIME = "time"
_BY_HASH = ("value", "map", "ordered map")
"""Kinds of states whose entries are sorted by the hash of the key."""
_CODE = "code"
"""Name of an extra column in the runs of an ordered map whose sub-keys have several columns.

It has each sub-key as bytes that sort like the sub-key (order_codes.py). `Contents.table` leaves it out.
"""


@dataclass(frozen=True)
class Contents:
    """The states of one key group.

    Attributes:
        entries: Layout and levels of each state, by its name.
        load: Function that returns the bytes of a run by its id.
    """

    entries: dict[str, StateEntry]
    load: Callable[[str], bytes]

    @classmethod
    def read(cls, manifest: bytes, load: Callable[[str], bytes]) -> Contents:
        """Return the states that a manifest names. Raises JobError if this version cannot read them."""
        return cls(read_manifest(manifest), load)

    def kind(self, state: str) -> str:
        """Return the kind of a state.

        Kinds are `value`, `time`, `map`, `map by slices of <n> ms`, `ordered map`, and `ordered map by <sort
        orders>` for sub-keys of several columns.
        """
        return self.entries[state].kind

    def size(self, state: str) -> StateSize:
        """Return the size of a state, with its oldest time. Runs may be loaded to find this time.

        Replaced versions of an entry count until a merge drops them.
        """
        entry = self.entries[state]
        size = self.size_by_manifest(state)
        return size._replace(oldest=oldest_time(entry.kind, Levels(self._run, levels=entry.levels)))

    def size_by_manifest(self, state: str) -> StateSize:
        """Return the size of a state without its oldest time. No run is loaded."""
        pieces = [piece for level in self.entries[state].levels for piece in level]
        return StateSize(sum(piece.rows for piece in pieces), sum(piece.bytes for piece in pieces))

    def runs(self, state: str, key: Keys | None = None) -> list[str]:
        """Return the ids of the runs that `table` reads for the same arguments."""
        return [str(piece.id) for level in self._levels(state, key) for piece in level]

    def table(self, state: str, key: Keys | None = None) -> pa.Table:
        """Return the live entries of a state.

        Args:
            state: Name of the state.
            key: One key, whose entries are returned; None for those of all keys.

        Returns:
            One row for each entry, with these columns:

            - `time`: time of the timer, in a time state only
            - k0, k1, ...: fields of the key, in a value or time state; a map does not store its keys
            - `sub_key`: sub-key, in a map only
            - v0, v1, ...: the values
            - `written`: when the entry was written, if entries have a time to live
        """
        entry = self.entries[state]
        runs = [run for _, run in Levels(self._run, levels=self._levels(state, key)).clipped_runs()]
        if key is not None:
            runs = [run.take(_of_key(run, key)) for run in runs]
        names = [field.name for field in entry.schema]
        if not runs:
            return entry.schema.empty_table()
        whole = merge(runs, bottom=True, expiry=None)
        columns = dict(zip(names, whole.columns, strict=True))
        columns.pop(_CODE, None)
        if entry.kind == _TIME:
            columns = {_TIME: pa.array(times_of(whole.words[0])), **columns}
        if whole.time is not None:
            columns[WRITTEN] = pa.array(whole.time)
        return pa.table(columns)

    def _levels(self, state: str, key: Keys | None) -> list[Level]:
        """Return the levels of a state. With a key, they have only the pieces that may hold its entries."""
        entry = self.entries[state]
        if key is None or not entry.kind.startswith(_BY_HASH) or "slices" in entry.kind:
            return entry.levels
        first = int(key.hash1[0]) << 64
        last = first + (1 << 64)
        return [
            [piece for piece in level if piece.low < last and first < piece.high] for level in entry.levels
        ]

    def _run(self, piece: Piece) -> Run:
        assert piece.id is not None  # committed pieces have ids
        return decode(self.load(piece.id))


def _of_key(run: Run, key: Keys) -> Index:
    """Return the positions of the entries of one key in a run, int64[m], ascending.

    They are found by `hash2`, the second of the key's two 64-bit hashes. A sliced state has only a part of
    `hash1`. Two keys may have the same `hash2`, but this is very improbable.
    """
    hash2 = run.words[1] if len(run.words) == 2 else run.words[2]
    return np.flatnonzero(hash2 == key.hash2[0])
