"""Map views that a dict cannot serve: those with a time to live, and those in keyed state."""

from __future__ import annotations

from bisect import insort
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping, MutableMapping
from dataclasses import dataclass
from heapq import nlargest, nsmallest
from types import MappingProxyType
from typing import Any, TypeAlias


@dataclass
class Expiry:
    """Processing time and time to live in milliseconds. The operator sets `now` for each batch."""

    ttl: int
    now: int = 0


class ExpiringMap(MutableMapping[Any, Any]):
    """Dict in insertion order whose entries each have a time to live.

    An entry written at t expires when `now >= t + ttl`. Flink: MapState under StateTtlConfig with
    OnCreateAndWrite and NeverReturnExpired.
    """

    def added(self, key: Any) -> None:
        """Do nothing: this map does not track the order of its keys."""

    def __init__(self, expiry: Expiry) -> None:
        self._expiry = expiry
        self._entries: OrderedDict[Any, tuple[Any, int]] = OrderedDict()

    def __getitem__(self, key: Any) -> Any:
        value, written = self._entries[key]
        if self._expiry.now >= written + self._expiry.ttl:
            raise KeyError(key)
        return value

    def __setitem__(self, key: Any, value: Any) -> None:
        self._entries[key] = (value, self._expiry.now)

    def __delitem__(self, key: Any) -> None:
        del self._entries[key]

    def __iter__(self) -> Iterator[Any]:
        oldest = self._expiry.now - self._expiry.ttl
        return (key for key, (_, written) in self._entries.items() if written > oldest)

    def __reversed__(self) -> Iterator[Any]:
        oldest = self._expiry.now - self._expiry.ttl
        return (key for key, (_, written) in reversed(self._entries.items()) if written > oldest)

    def __len__(self) -> int:
        return sum(1 for _ in self)


_View: TypeAlias = "dict[Any, Any] | ExpiringMap"


class SortedMap(dict[Any, Any]):
    """Dict that finds its least key, or its greatest key, fast.

    It keeps an ascending list of the few least (or greatest) keys. Each new key must be passed to `added`. A
    deleted key may stay in the list until `end` finds it there and removes it.
    """

    __slots__ = ("_ends", "_least")

    def __init__(self, entries: Mapping[Any, Any] = MappingProxyType({})) -> None:
        super().__init__(entries)
        self._ends: list[Any] = []
        self._least = False

    def added(self, key: Any) -> None:
        """Add a new key of the dict to the list of least or greatest keys, if it belongs there."""
        if self._ends and (key < self._ends[-1] if self._least else key > self._ends[0]):
            insort(self._ends, key)

    def end(self, least: bool) -> Any:
        """Return the least or greatest key, None for an empty map. `least` must be the same in all calls."""
        at = 0 if least else -1
        while self._ends:
            if self._ends[at] in self:
                return self._ends[at]
            del self._ends[at]
        self._least = least
        self._ends = sorted((nsmallest if least else nlargest)(_ENDS, self.keys()))
        return self._ends[at] if self._ends else None


_ENDS = 1024
_FEW = 64


def min_key(view: _View) -> tuple[_View, Any]:
    """Return a map view and its least key. The key is None if the view is empty.

    If the view is a plain dict with many keys, a SortedMap with its entries is returned in its place.
    """
    if type(view) is dict:
        if len(view) < _FEW:
            return view, min(view, default=None)
        view = SortedMap(view)
    return view, view.end(True) if isinstance(view, SortedMap) else min(view, default=None)


def max_key(view: _View) -> tuple[_View, Any]:
    """Return a map view and its greatest key. The key is None if the view is empty.

    If the view is a plain dict with many keys, a SortedMap with its entries is returned in its place.
    """
    if type(view) is dict:
        if len(view) < _FEW:
            return view, max(view, default=None)
        view = SortedMap(view)
    return view, view.end(False) if isinstance(view, SortedMap) else max(view, default=None)


class StoredMap(SortedMap):
    """Entries of one key's map view that a batch needs, and their changes by the batch.

    Args:
        touches: Whether a write counts as a change if the entry has the written value already. True with a
            time to live, which each write restarts.
        rest: Function that reads all stored entries as (owner, map key, value). It is called when the map is
            iterated for the first time. None if all entries are loaded.
        outside: For a sorted view: function that reads the least or greatest stored key that is not loaded.
            Its arguments are the loaded entries, and True for the least key or False for the greatest one.
    """

    __slots__ = ("_loaded", "_next", "_outside", "_rest", "_touched")

    def __init__(
        self,
        touches: bool,
        rest: Callable[[], Iterable[tuple[int, Any, Any]]] | None,
        outside: Callable[[Mapping[Any, Any], bool], Any] | None = None,
    ) -> None:
        super().__init__()
        self._loaded: dict[Any, Any] = {}
        self._touched: set[Any] | None = set() if touches else None
        self._rest = rest
        self._outside = outside
        self._next: Any = None

    def restore(self, key: Any, value: Any) -> None:
        """Add an entry that was read from the state. This does not count as a change."""
        self._loaded[key] = _copy(value)
        super().__setitem__(key, value)

    def __setitem__(self, key: Any, value: Any) -> None:
        if self._touched is not None:
            self._touched.add(key)
        super().__setitem__(key, value)

    def __iter__(self) -> Iterator[Any]:
        self._complete()
        return super().__iter__()

    def __reversed__(self) -> Iterator[Any]:
        self._complete()
        return super().__reversed__()

    def end(self, least: bool) -> Any:
        # The least (or greatest) stored key that is not loaded is read from the state only once: the batch
        # changes loaded entries only, so this key stays the same.
        if self._outside is not None and self._rest is not None:
            self._next, self._outside = self._outside(self._loaded, least), None
        mine = super().end(least)
        if self._next is None or self._rest is None:
            return mine
        if mine is None or (self._next < mine if least else self._next > mine):
            return self._next
        return mine

    def changes(self) -> Iterator[tuple[Any, Any, bool]]:
        """Yield (key, value, True) for each written entry, (key, None, False) for each deleted one."""
        touched = self._touched or ()
        for key, value in self.items():
            if key in touched or key not in self._loaded or self._loaded[key] != value:
                yield key, value, True
        for key in self._loaded:
            if key not in self:
                yield key, None, False

    def _complete(self) -> None:
        """Add the entries of the state that no row of the batch has named."""
        if self._rest is None:
            return
        mine = dict(self.items())
        loaded, self._loaded = self._loaded, {key: _copy(value) for _, key, value in self._rest()}
        self._rest = None
        self._ends = []
        self.clear()
        for key, value in self._loaded.items():
            if key not in loaded or key in mine:
                super().__setitem__(key, mine.pop(key) if key in mine else _copy(value))
        for key, value in mine.items():
            super().__setitem__(key, value)


def _copy(value: Any) -> Any:
    """Return a copy of a value that the handler may change in place, such as a list."""
    return list(value) if isinstance(value, list) else value
