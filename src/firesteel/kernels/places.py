"""Sets of integers (places) that find the next member below or above a place in a few steps.

A set is stored in levels of 64-bit words. Level 0 has one bit for each possible place, set if the place is
in the set. Each higher level has one bit for each word of the level below, set if that word is not 0. The
highest level is a single word. A search reads at most two words of each level.
"""

from __future__ import annotations

import numpy as np

from firesteel.kernels.compiler import inlined
from firesteel.kernels.types import Flags, Integers, Words
from firesteel.kernels.words import highest_bit, low_zeros

_ONE = np.uint64(1)


def no_places(size: int) -> tuple[Words, Integers]:
    """Return the empty set for places below `size`: its words, and where each level begins."""
    begins, words = [], 0
    while True:
        size = (size + 63) >> 6
        begins.append(words)
        words += max(size, 1)
        if size <= 1:
            return np.zeros(words, np.uint64), np.array(begins, np.int64)


def places_of(mask: Flags) -> tuple[Words, Integers]:
    """Return the set of the places where a mask is True: its words, and where each level begins."""
    words, begins = no_places(len(mask))
    for level, begin in enumerate(begins):
        end = begins[level + 1] if level + 1 < len(begins) else len(words)
        padded = np.zeros(64 * (end - begin), np.bool_)
        padded[: len(mask)] = mask
        words[begin:end] = np.packbits(padded, bitorder="little").view(np.uint64)
        mask = words[begin:end] != 0
    return words, begins


def mask_of(words: Words, size: int) -> Flags:
    """Return which of the places below `size` are in a set, bool[size]."""
    return np.unpackbits(words.view(np.uint8), count=size, bitorder="little").view(np.bool_)


@inlined
def put(words: Words, begins: Integers, place: int) -> None:
    """Add a place to a set."""
    for begin in begins:
        at = begin + (place >> 6)
        before = words[at]
        words[at] = before | (_ONE << np.uint64(place & 63))
        if before:
            return
        place >>= 6


@inlined
def remove(words: Words, begins: Integers, place: int) -> None:
    """Remove a place from a set, if it is in the set."""
    for begin in begins:
        at = begin + (place >> 6)
        words[at] &= ~(_ONE << np.uint64(place & 63))
        if words[at]:
            return
        place >>= 6


@inlined
def below(words: Words, begins: Integers, place: int) -> int:
    """Return the greatest member of the set below a place, -1 if there is none."""
    for level in range(len(begins)):
        word = words[begins[level] + (place >> 6)] & ((_ONE << np.uint64(place & 63)) - _ONE)
        if word:
            found = (place >> 6 << 6) + highest_bit(word)
            for lower in range(level - 1, -1, -1):
                found = (found << 6) + highest_bit(words[begins[lower] + found])
            return found
        place >>= 6
    return -1


@inlined
def above(words: Words, begins: Integers, place: int) -> int:
    """Return the smallest member of the set above a place, -1 if there is none."""
    for level in range(len(begins)):
        at = begins[level] + (place >> 6)
        word = words[at] & ~((_ONE << np.uint64(place & 63)) | ((_ONE << np.uint64(place & 63)) - _ONE))
        if word:
            found = (place >> 6 << 6) + low_zeros(word)
            for lower in range(level - 1, -1, -1):
                found = (found << 6) + low_zeros(words[begins[lower] + found])
            return found
        place >>= 6
    return -1
