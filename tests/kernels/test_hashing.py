"""The hashes, against numbers without bounds."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from firesteel.kernels import hashing
from firesteel.kernels.column_hashes import hash_columns
from firesteel.kernels.hashing import SEED, fold_words, hash_lists, hash_strings

WORD = (1 << 64) - 1
WORDS = st.integers(0, WORD)


def mix1(x: int) -> int:
    x ^= x >> 30
    x = x * 0xBF58476D1CE4E5B9 & WORD
    x ^= x >> 27
    x = x * 0x94D049BB133111EB & WORD
    return x ^ x >> 31


def mix2(x: int) -> int:
    x ^= x >> 33
    x = x * 0xFF51AFD7ED558CCD & WORD
    x ^= x >> 33
    x = x * 0xC4CEB9FE1A85EC53 & WORD
    return x ^ x >> 33


def folded(size: int, words1: list[int], words2: list[int]) -> tuple[int, int]:
    one, two = mix1(int(SEED[0]) ^ size), mix2(int(SEED[1]) ^ size)
    for word1, word2 in zip(words1, words2, strict=True):
        one, two = mix1(one ^ word1), mix2(two ^ word2)
    return one, two


def empty(rows: int):
    return np.empty(rows, np.uint64), np.empty(rows, np.uint64)


@settings(deadline=None)
@given(st.lists(st.binary(max_size=40), max_size=8), st.integers(0, 9))
def test_strings(values, padding):
    array = pa.array([b"", *values], pa.binary())
    offsets = np.frombuffer(array.buffers()[1], np.int32, len(array) + 1).astype(np.int64)
    data = np.frombuffer(b"".join(values) + b"x" * padding, np.uint8)
    hashes = empty(len(array))
    hash_strings(data, offsets, *hashes)
    for row, value in enumerate([b"", *values]):
        words = [int.from_bytes(value[i : i + 8], "little") for i in range(0, len(value), 8)]
        assert (hashes[0][row], hashes[1][row]) == folded(len(value), words, words)


@settings(deadline=None)
@given(st.lists(st.lists(st.tuples(WORDS, WORDS), max_size=4), max_size=5))
def test_lists(values):
    words = np.array([pair for each in values for pair in each], np.uint64).reshape(-1, 2)
    offsets = np.cumsum([0, *map(len, values)], dtype=np.int64)
    hashes = empty(len(values))
    hash_lists(words[:, 0].copy(), words[:, 1].copy(), offsets, *hashes)
    for row, value in enumerate(values):
        found = folded(len(value), [one for one, _ in value], [two for _, two in value])
        assert (hashes[0][row], hashes[1][row]) == found


@settings(deadline=None)
@given(st.lists(st.tuples(WORDS, WORDS, WORDS, WORDS), min_size=1, max_size=5))
def test_words(values):
    word1, word2, hash1, hash2 = np.array(values, np.uint64).T.copy()
    fold_words(word1, word2, hash1, hash2)
    assert hash1.tolist() == [mix1(row[2] ^ row[0]) for row in values]
    assert hash2.tolist() == [mix2(row[3] ^ row[1]) for row in values]


def test_strings_need_no_kernel_that_is_not_warm() -> None:
    hashing.warm()
    before = set(hash_strings.calls)  # type: ignore[attr-defined]
    buffers = [pa.py_buffer(np.array([0, 1, 3], np.int32)), pa.py_buffer(bytearray(b"abb"))]
    for column in (pa.array(["a", "bb"]), pa.Array.from_buffers(pa.string(), 2, [None, *buffers])):
        hash_columns([column], 2)
    assert set(hash_strings.calls) == before  # type: ignore[attr-defined]
