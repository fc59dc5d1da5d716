"""Places: numbers made of a row's key and time, which compare like the pairs of key and time.

The rows of a key in a time range have a range of places.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Index = NDArray[np.int64]
_WIDEST = 1 << 62


class Places:
    """Conversion of pairs of key and time to one int64, the place. Places compare like the pairs.

    If keys and times have small ranges, the place is key * width + time - least time. Otherwise, the distinct
    times are numbered first, and the number of a time replaces time - least time.

    Args:
        codes: Number of keys.
        times: int64[n], times of the rows to sort.
    """

    def __init__(self, codes: int, times: Index) -> None:
        self._least = int(times.min()) if len(times) else 0
        self._width = int(times.max()) - self._least + 2 if len(times) else 1
        self._times: Index | None = None
        if codes * self._width >= _WIDEST:
            self._times = sorted_distinct(times)
            self._width = len(self._times) + 1

    def from_(self, codes: Index, times: Index) -> Index:
        """Return the lowest place of a row of each key at the given time or later, int64[m].

        A place is a number made of key and time. Earlier rows of the key have lower places.

        Args:
            codes: int64[m], key numbers.
            times: int64[m], a time for each key.
        """
        if self._times is None:
            return self._at(codes, times - self._least)
        return codes * self._width + np.searchsorted(self._times, times, side="left")

    def behind(self, codes: Index, times: Index) -> Index:
        """Return a place above those of all rows of each key up to the given time, int64[m].

        A place is a number made of key and time. Later rows of the key have at least the returned place.

        Args:
            codes: int64[m], key numbers.
            times: int64[m], a time for each key.
        """
        if self._times is None:
            return self._at(codes, times - self._least + 1)
        return codes * self._width + np.searchsorted(self._times, times, side="right")

    def _at(self, codes: Index, offsets: Index) -> Index:
        places: Index = codes * self._width + np.clip(offsets, 0, self._width - 1)
        return places


def sorted_distinct(values: Index) -> Index:
    """Return the distinct values in ascending order (np.unique hashes them first, which takes longer)."""
    found = np.sort(values)
    new = np.ones(len(found), np.bool_)
    new[1:] = found[1:] != found[:-1]
    return found[new]


def distinct_pairs(codes: Index, values: Index, count: int) -> tuple[Index, Index]:
    """Return the distinct pairs of a key and a value, int64[m] each.

    Args:
        codes: int64[n], below `count`.
        values: int64[n].
        count: Number of keys.
    """
    if not len(values):
        return codes, values
    least = int(values.min())
    width = int(values.max()) - least + 1
    if count * width < _WIDEST:
        of, at = np.divmod(sorted_distinct(codes * width + (values - least)), width)
        return of, at + least
    order = np.lexsort((values, codes))
    of, at = codes[order], values[order]
    new = np.ones(len(order), np.bool_)
    new[1:] = (of[1:] != of[:-1]) | (at[1:] != at[:-1])
    return of[new], at[new]
