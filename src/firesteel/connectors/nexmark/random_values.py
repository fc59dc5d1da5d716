"""Random values that depend only on a seed, a stream and an event number.

A stream is one property of events, such as the price of bids. Its name is hashed into the start of a sequence
of SplitMix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators, 2014):

    start = mix(seed * 2^32 XOR crc32(stream))
    value = mix(start + number * gamma)

No value depends on an earlier one. So any range of events can be generated again, and in parallel.
"""

from __future__ import annotations

from zlib import crc32

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.int64]
Words = NDArray[np.uint64]

_GAMMA = np.uint64(0x9E3779B97F4A7C15)
_FIRST, _SECOND = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)


def _mixed(words: Words) -> Words:
    """Scramble words in place: each bit of the result depends on all bits of the word."""
    words ^= words >> np.uint64(30)
    words *= _FIRST
    words ^= words >> np.uint64(27)
    words *= _SECOND
    words ^= words >> np.uint64(31)
    return words


class RandomValues:
    """Random values of n events, or of n chunks of events. Each method returns one value for each of them.

    Args:
        seed: Seed of the table.
        numbers: Number of each event or chunk, int64[n], counted from 0 for the first one of the table.
    """

    def __init__(self, seed: int, numbers: Integers) -> None:
        self._seed = seed
        self._steps: Words = numbers.astype(np.uint64) * _GAMMA

    def words(self, stream: str) -> Words:
        """Return 64 random bits of each event, uint64[n]."""
        start = np.array([(self._seed << 32 ^ crc32(stream.encode())) % (1 << 64)], np.uint64)
        return _mixed(self._steps + _mixed(start))

    def uniform(self, stream: str) -> NDArray[np.float64]:
        """Return numbers in [0, 1), float64[n]."""
        return (self.words(stream) >> np.uint64(11)).astype(np.float64) * 2.0**-53

    def below(self, stream: str, bound: int | Integers) -> Integers:
        """Return integers in [0, bound), int64[n]; 0 if the bound is below 1.

        Args:
            stream: Name of the property.
            bound: One bound, or int64[n].
        """
        words, bounds = self.words(stream), np.maximum(bound, 1)
        if np.max(bounds, initial=1) < 1 << 32:
            return ((words >> np.uint64(32)) * bounds.astype(np.uint64) >> np.uint64(32)).astype(np.int64)
        return (words % bounds.astype(np.uint64)).astype(np.int64)

    def is_hot(self, stream: str, ratio: int) -> NDArray[np.bool_]:
        """Return which events refer to a hot person, auction or channel, bool[n]: all but one in `ratio`."""
        return self.below(stream, ratio) > 0
