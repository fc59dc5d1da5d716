"""Least or greatest keys of many ordered maps, for a row handler that reads them key by key."""

from __future__ import annotations

from collections.abc import Container
from typing import Any

import numpy as np
from numpy.typing import NDArray

from firesteel.runtime.aggregate.functions.declaration import MapView
from firesteel.runtime.columns.keys import Keys
from firesteel.runtime.state.base import OrderedMapState
from firesteel.types.internal_values import to_keys

_ALONE = 8
"""Number of keys of a batch whose maps are read one by one.

From the next key on, one read fetches the maps of several keys. Reading the map of one key costs nearly as
much as reading those of a hundred keys.
"""
_AT_ONCE = 1024
"""Number of keys in a combined read: the wanted key and the keys after it, which are likely to be next."""
_ENTRIES = 8
"""Number of sub-keys (keys of a map) that are read at first of one key's map.

`MapBounds.outside` looks for a sub-key that is not in the caller's `known`. If all that were read are in it,
eight times as many are read, and so on.
"""


class MapBounds:
    """Reader of the least or greatest sub-keys of ordered maps in the state.

    The maps in the state must not change while the reader is used, as it keeps what it has read.

    Args:
        state: The maps in keyed state.
        view: Declaration of the map view.
        keys: Keys of the batch.
        owners: Indices of the keys for which `outside` may be called, ascending.
        now: Processing time.
    """

    def __init__(
        self, state: OrderedMapState, view: MapView, keys: Keys, owners: NDArray[np.int64], now: int
    ) -> None:
        self._state, self._view, self._keys, self._now = state, view, keys, now
        self._owners = owners
        self._asked = 0
        self._read: dict[int, list[Any]] = {}

    def outside(self, owner: int, known: Container[Any], least: bool) -> Any:
        """Return the least or greatest of the stored sub-keys of key `owner` that are not in `known`.

        None if there is no such sub-key. `least` must be the same in all calls.
        """
        names = self._read.pop(owner, None)
        if names is None:
            names = self._first(owner, least)
        count = _ENTRIES
        while True:
            found = next((name for name in names if name not in known), None)
            if found is not None or len(names) < count:
                return found
            count *= _ENTRIES
            names = self._of(np.array([owner]), count, least)[owner]

    def _first(self, owner: int, least: bool) -> list[Any]:
        self._asked += 1
        if self._asked <= _ALONE:
            return self._of(np.array([owner]), _ENTRIES, least)[owner]
        start = int(np.searchsorted(self._owners, owner))
        self._read = self._of(self._owners[start : start + _AT_ONCE], _ENTRIES, least)
        return self._read.pop(owner)

    def _of(self, owners: NDArray[np.int64], count: int, least: bool) -> dict[int, list[Any]]:
        """Return the `count` least or greatest sub-keys of each of the keys `owners`, by key index."""
        read = self._state.first if least else self._state.last
        entries = read(self._keys, owners, np.full(len(owners), count), self._now)
        names = to_keys(entries.sub_keys, self._view.key)
        at = np.searchsorted(entries.owners, np.append(owners, len(self._keys))).tolist()
        return {owner: names[at[i] : at[i + 1]] for i, owner in enumerate(owners.tolist())}
