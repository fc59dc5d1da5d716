"""Two 64-bit hashes of words and byte strings, used by kernels/column_hashes.py."""

from __future__ import annotations

import numpy as np

from firesteel.kernels.compiler import compiled, inlined
from firesteel.kernels.types import Bytes, Integers, Words
from firesteel.kernels.words import load_word

SEED = (np.uint64(0x9E3779B97F4A7C15), np.uint64(0xC2B2AE3D27D4EB4F))
_SEED1, _SEED2 = SEED


@inlined
def mix1(x: np.uint64) -> np.uint64:
    """Return a bijection of 64 bits (the finalizer of splitmix64)."""
    x ^= x >> np.uint64(30)
    x *= np.uint64(0xBF58476D1CE4E5B9)
    x ^= x >> np.uint64(27)
    x *= np.uint64(0x94D049BB133111EB)
    x ^= x >> np.uint64(31)
    return x


@inlined
def mix2(x: np.uint64) -> np.uint64:
    """Return a bijection of 64 bits (the finalizer of MurmurHash3), different from `mix1`."""
    x ^= x >> np.uint64(33)
    x *= np.uint64(0xFF51AFD7ED558CCD)
    x ^= x >> np.uint64(33)
    x *= np.uint64(0xC4CEB9FE1A85EC53)
    x ^= x >> np.uint64(33)
    return x


@compiled
def fold_words(word1: Words, word2: Words, hash1: Words, hash2: Words) -> None:
    """Mix one word for each row into both hashes."""
    for row in range(len(hash1)):
        hash1[row] = mix1(hash1[row] ^ word1[row])
        hash2[row] = mix2(hash2[row] ^ word2[row])


@compiled
def hash_lists(words1: Words, words2: Words, offsets: Integers, hash1: Words, hash2: Words) -> None:
    """Write two hashes of each of n lists to `hash1` and `hash2`.

    Args:
        words1, words2: Two words of each element of all lists.
        offsets: int64[n + 1]. List i has the elements offsets[i]:offsets[i + 1].
        hash1, hash2: uint64[n], receive the hashes.
    """
    for row in range(len(hash1)):
        start, end = offsets[row], offsets[row + 1]
        size = np.uint64(end - start)
        one, two = mix1(_SEED1 ^ size), mix2(_SEED2 ^ size)
        for at in range(start, end):
            one, two = mix1(one ^ words1[at]), mix2(two ^ words2[at])
        hash1[row], hash2[row] = one, two


@compiled
def hash_strings(data: Bytes, offsets: Integers, hash1: Words, hash2: Words) -> None:
    """Hash each string by its length and its bytes, as zero-padded words of eight bytes.

    `offsets` is int64[n + 1].
    """
    for row in range(len(hash1)):
        at, end = int(offsets[row]), int(offsets[row + 1])
        size = np.uint64(end - at)
        one, two = mix1(_SEED1 ^ size), mix2(_SEED2 ^ size)
        while at < end:
            word = _word(data, at, end)
            one, two = mix1(one ^ word), mix2(two ^ word)
            at += 8
        hash1[row], hash2[row] = one, two


@inlined
def _word(data: Bytes, at: int, end: int) -> np.uint64:
    """Return the eight bytes of `data` from `at` as a word, with zeros from `end` on."""
    left = end - at
    if at + 8 <= len(data):
        word = load_word(data, at)
        return word if left >= 8 else word & ((np.uint64(1) << np.uint64(8 * left)) - np.uint64(1))
    word = np.uint64(0)
    for place in range(left):
        word |= np.uint64(data[at + place]) << np.uint64(8 * place)
    return word


def warm() -> None:
    """Load the kernels, or compile them."""
    data, words, offsets = np.zeros(8, np.uint8), np.empty(0, np.uint64), np.zeros(1, np.int64)
    data.flags.writeable = False
    fold_words(words, words, words, words)
    hash_strings(data, offsets, words, words)
    hash_lists(words, words, offsets, words, words)
