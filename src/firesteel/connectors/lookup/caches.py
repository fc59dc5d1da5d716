"""Choice of the cache for a lookup."""

from __future__ import annotations

from collections.abc import Callable

from firesteel.connectors.lookup.full_cache import FullCached
from firesteel.connectors.lookup.options import FullCache, PartialCache
from firesteel.connectors.lookup.partial_cache import PartialCached
from firesteel.connectors.lookup.row_index import RowIndex
from firesteel.runtime.operators.lookup_join.lookup import Lookup


def cached(lookup: Lookup, read: Callable[[], RowIndex], cache: PartialCache | FullCache | None) -> Lookup:
    """Return the lookup with the requested cache, or `lookup` itself if no cache is requested.

    Args:
        lookup: Lookup in the table, without a cache.
        read: Function that reads the whole table.
        cache: Settings of the cache, None for no cache.
    """
    if isinstance(cache, PartialCache):
        return PartialCached(lookup, cache)
    return lookup if cache is None else FullCached(read, cache)
