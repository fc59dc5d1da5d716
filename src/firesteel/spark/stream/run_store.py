"""Storage of the runs of a key group in Spark's state store, with few calls.

A call goes through a socket and takes about half a millisecond. Each small micro-batch writes new runs and
removes old ones, for each of its key groups. Small runs are therefore packed into one value with the
manifest, which is read and written once. Larger runs, and all runs of earlier versions, have own entries.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Callable, Iterable, Set
from typing import TYPE_CHECKING

from firesteel.runtime.state.cache import RunCache
from firesteel.runtime.state.codec import decode
from firesteel.runtime.state.runs import Run

if TYPE_CHECKING:
    from pyspark.sql.streaming.stateful_processor import MapState, ValueState

_MARK = b"firesteel 1\n"
"""Prefix of a packed value. A value without it holds only a manifest and is from an earlier version."""
_LENGTH = struct.Struct("<I")

SMALL, BESIDE = 8 << 10, 32 << 10
"""Most bytes of one small run, and of all small runs of a key group together.

The limits are low, because Spark gets all small runs again if one of them is added or removed.
"""


class SparkRunStore:
    """The runs of the current key group (runtime/state/base.py: RunStore).

    Larger runs are written to Spark's state store at once, small runs and the manifest by `flush`.

    Args:
        runs: Function that returns Spark's map state of larger runs.
        manifest: Spark's value state of the manifest and the small runs.
    """

    def __init__(self, runs: Callable[[], MapState], manifest: ValueState) -> None:
        self._runs = runs
        self._value = manifest
        found = manifest.get()
        self._manifest: bytes | None = None
        self.small: dict[str, bytes] = {}
        if found is not None:
            self._manifest, self.small = unpacked(bytes(found[0]))
        self._bytes = sum(map(len, self.small.values()))
        self._is_changed = False

    def get(self, run: str) -> bytes | None:
        if run in self.small:
            return self.small[run]
        if not self._runs().containsKey((run,)):
            return None
        value = self._runs().getValue((run,))
        return None if value is None else bytes(value[0])

    def put(self, run: str, data: bytes) -> None:
        if len(data) > SMALL or self._bytes + len(data) > BESIDE:
            self._runs().updateValue((run,), (data,))
            return
        self.small[run] = data
        self._bytes += len(data)
        self._is_changed = True

    def remove(self, runs: Iterable[str]) -> None:
        for run in runs:
            if run in self.small:
                self._bytes -= len(self.small.pop(run))
                self._is_changed = True
            else:
                self._runs().removeKey((run,))

    def manifest(self) -> bytes | None:
        return self._manifest

    def set_manifest(self, data: bytes) -> None:
        self._manifest = data
        self._is_changed = True

    def flush(self) -> None:
        """Write the manifest and all small runs to Spark's state store, if any of them has changed.

        A small run is one of at most SMALL bytes, if all small runs together have at most BESIDE bytes.
        """
        if self._is_changed:
            self._value.update((packed(self._manifest or b"", self.small),))
            self._is_changed = False


class RunsAtHand:
    """Cache of the runs of a store on this machine (runtime/state/backend.py: Cache).

    A small run gets no file in the cache, because it is read with the manifest anyway. A worker keeps the
    small runs that it has decoded in memory, for later micro-batches.

    Args:
        store: The store of the runs.
        cache: The cache of this executor.
        state: Key that identifies this state among all users of the cache.
    """

    def __init__(self, store: SparkRunStore, cache: RunCache, state: object) -> None:
        self._store = store
        self._cache = cache
        self._state = state

    def get(self, name: str) -> Run | None:
        return self._cache.known(name) if name in self._store.small else self._cache.get(name)

    def put(self, name: str, run: Run) -> None:
        # A new small run is not cached. Its arrays may be slices of a large batch, which would stay in memory
        # with them. `load` caches the run when a later micro-batch has decoded it.
        if name not in self._store.small:
            self._cache.put(name, run)

    def load(self, name: str, data: bytes) -> Run:
        if name not in self._store.small:
            return self._cache.load(name, data)
        run = decode(data)
        self._cache.keep(name, run)
        return run

    def spill(self, run: Run) -> Run:
        return self._cache.spill(run)

    def live(self, names: Set[str]) -> None:
        self._cache.live(names, self._state)


def packed(manifest: bytes, runs: dict[str, bytes]) -> bytes:
    """Return a manifest and runs packed into one value."""
    sizes = json.dumps([len(manifest), {name: len(data) for name, data in runs.items()}]).encode()
    return b"".join((_MARK, _LENGTH.pack(len(sizes)), sizes, manifest, *runs.values()))


def unpacked(value: bytes) -> tuple[bytes, dict[str, bytes]]:
    """Return the manifest and the runs in a packed value."""
    if not value.startswith(_MARK):
        return value, {}
    at = len(_MARK) + _LENGTH.size
    (length,) = _LENGTH.unpack(value[len(_MARK) : at])
    size, sizes = json.loads(value[at : at + length])
    at += length
    manifest, runs = value[at : at + size], {}
    at += size
    for name, length in sizes.items():
        runs[name] = value[at : at + length]
        at += length
    return manifest, runs
