"""Two independent 64-bit hashes of the rows of key columns, without a loop over rows.

Equality is Flink's binary one: 0.0 and -0.0 differ, all NaN are one value, NULL is a value. The
functions are this file's own and fixed: a checkpoint may be read by another version of NumPy, Arrow
or DuckDB. `FINGERPRINT` changes whenever they do.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

U64 = NDArray[np.uint64]

_SEED = (np.uint64(0x9E3779B97F4A7C15), np.uint64(0xC2B2AE3D27D4EB4F))
_NULL = (np.uint64(0x6A09E667F3BCC909), np.uint64(0xBB67AE8584CAA73B))
_BLOCK = 32_768
"""Rows at a time: what is computed on the way stays in the processor's cache."""
_LONG = 256
"""Strings of more bytes are hashed one by one: the columnar fold takes a step for every 8 bytes."""


def hash_columns(columns: Sequence[pa.Array], rows: int) -> tuple[U64, U64]:
    """Both hashes of each row of `columns`; with no columns all rows are equal."""
    hash1, hash2 = np.full(rows, _SEED[0]), np.full(rows, _SEED[1])
    for start in range(0, rows, _BLOCK):
        part = slice(start, min(start + _BLOCK, rows))
        for column in columns:
            word1, word2 = _words(column.slice(start, part.stop - start))
            hash1[part], hash2[part] = _mix1(hash1[part] ^ word1), _mix2(hash2[part] ^ word2)
    return hash1, hash2


def sub_key_words(sub_keys: pa.Array, salt: U64) -> tuple[U64, U64]:
    """Two words a row for the sub-keys of a map. With the same salt (the owner's hash), the first words
    of equal sub-keys are equal, and for a type of one word (`is_one_word`) only those."""
    word1, word2 = _words(sub_keys)
    return _mix1(word1 ^ salt), _mix2(word2)


def is_one_word(kind: pa.DataType) -> bool:
    """Whether one word tells all values of a type, NULL among them, apart: types of up to 32 bits."""
    if pa.types.is_boolean(kind) or pa.types.is_null(kind):
        return True
    simple = pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_temporal(kind)
    return bool(simple and kind.bit_width <= 32)


def _mix1(x: U64) -> U64:
    """A bijection of 64 bits (the finalizer of splitmix64)."""
    x = x ^ (x >> np.uint64(30))
    x *= np.uint64(0xBF58476D1CE4E5B9)
    x ^= x >> np.uint64(27)
    x *= np.uint64(0x94D049BB133111EB)
    x ^= x >> np.uint64(31)
    return x


def _mix2(x: U64) -> U64:
    """Another bijection of 64 bits (the finalizer of MurmurHash3)."""
    x = x ^ (x >> np.uint64(33))
    x *= np.uint64(0xFF51AFD7ED558CCD)
    x ^= x >> np.uint64(33)
    x *= np.uint64(0xC4CEB9FE1A85EC53)
    x ^= x >> np.uint64(33)
    return x


def _words(array: pa.Array) -> tuple[U64, U64]:
    """One word a row for each hash; rows of one type have the same words only if they are equal
    (types of at most 8 bytes) or their own 128-bit hashes are."""
    kind = array.type
    if pa.types.is_null(kind):
        return np.full(len(array), _NULL[0]), np.full(len(array), _NULL[1])
    if pa.types.is_struct(kind):
        children = [array.field(i) for i in range(kind.num_fields)]
        words = hash_columns(children, len(array))
    elif pa.types.is_decimal(kind):
        pairs = fixed_width(array, np.dtype((np.uint64, (kind.byte_width // 8,))))
        words = _fold_fixed(pairs)
    elif _is_bytes(kind):
        words = _hash_bytes(array)
    elif pa.types.is_list(kind) or pa.types.is_large_list(kind):
        words = _hash_lists(array)
    else:
        word = simple_words(array)
        words = (word, word)
    if not array.null_count:
        return words
    null = null_mask(array)
    return np.where(null, _NULL[0], words[0]), np.where(null, _NULL[1], words[1])


def null_mask(array: pa.Array) -> NDArray[np.bool_]:
    """Which rows are NULL."""
    mask: NDArray[np.bool_] = array.is_null().to_numpy(zero_copy_only=False)
    return mask


def fixed_width(array: pa.Array, dtype: np.dtype[np.generic]) -> NDArray[np.generic]:
    """The values buffer of a fixed-width array, seen as `dtype`; rows that are NULL hold anything."""
    buffer = array.buffers()[1]
    if buffer is None or not len(array):
        return np.zeros(len(array), dtype)
    base, shape = dtype.subdtype if dtype.subdtype is not None else (dtype, (1,))
    width = int(np.prod(shape))
    flat = np.frombuffer(buffer, base, len(array) * width, array.offset * width * base.itemsize)
    return flat.reshape(len(array), *shape) if dtype.subdtype is not None else flat


def simple_words(array: pa.Array) -> U64:
    """The 64 bits that stand for each value of a type of at most 8 bytes: equal where, in binary form,
    the values are. Rows that are NULL hold anything."""
    kind = array.type
    if pa.types.is_boolean(kind):
        return np.asarray(array.fill_null(False).to_numpy(zero_copy_only=False)).astype(np.uint64)
    if pa.types.is_floating(kind):
        floats = fixed_width(array, np.dtype(f"f{kind.bit_width // 8}")).astype(np.float64)
        nan = np.isnan(floats)
        if nan.any():
            floats[nan] = np.nan
        return floats.view(np.uint64)
    integers = fixed_width(array, np.dtype(f"i{kind.bit_width // 8}"))
    return integers.astype(np.int64).view(np.uint64)


def _fold_fixed(pairs: NDArray[np.generic]) -> tuple[U64, U64]:
    hash1, hash2 = np.full(len(pairs), _SEED[0]), np.full(len(pairs), _SEED[1])
    for i in range(pairs.shape[1]):
        word = np.ascontiguousarray(pairs[:, i]).view(np.uint64)
        hash1, hash2 = _mix1(hash1 ^ word), _mix2(hash2 ^ word)
    return hash1, hash2


def _is_bytes(kind: pa.DataType) -> bool:
    return bool(
        pa.types.is_string(kind)
        or pa.types.is_binary(kind)
        or pa.types.is_large_string(kind)
        or pa.types.is_large_binary(kind)
    )


def offsets_of(array: pa.Array) -> NDArray[np.int64]:
    """The n + 1 offsets of a string, binary or list array, as int64."""
    wide = pa.types.is_large_string(array.type) or pa.types.is_large_binary(array.type)
    wide = wide or pa.types.is_large_list(array.type)
    buffer, dtype = array.buffers()[1], np.dtype(np.int64 if wide else np.int32)
    if buffer is None or not len(array):
        return np.zeros(len(array) + 1, np.int64)
    return np.frombuffer(buffer, dtype, len(array) + 1, array.offset * dtype.itemsize).astype(np.int64)


def _hash_bytes(array: pa.Array) -> tuple[U64, U64]:
    """Fold the length of each string and its 8-byte words, the last one cut."""
    offsets = offsets_of(array)
    starts, lengths = offsets[:-1], np.diff(offsets)
    buffer = array.buffers()[2]
    low, high = (int(offsets[0]), int(offsets[-1])) if len(array) else (0, 0)
    data = np.zeros(high - low + 8, np.uint8)
    if buffer is not None and high > low:
        data[: high - low] = np.frombuffer(buffer, np.uint8, high - low, low)
    words = np.ndarray((high - low + 1,), np.uint64, data, 0, (1,))
    starts = starts - low
    long = np.flatnonzero(lengths > _LONG)
    folded = np.where(lengths > _LONG, 0, lengths) if len(long) else lengths
    hash1, hash2 = _fold(words, starts, folded, 8)
    for row in long:  # rare, and a digest is faster than its words
        digest = hashlib.blake2b(data[starts[row] : starts[row] + lengths[row]].tobytes(), digest_size=16)
        hash1[row], hash2[row] = np.frombuffer(digest.digest(), "<u8")
    return hash1, hash2


def _hash_lists(array: pa.Array) -> tuple[U64, U64]:
    """Fold the hashes of each list's elements."""
    offsets = offsets_of(array)
    both = [_fold(words, offsets[:-1], np.diff(offsets), 1) for words in _words(array.values)]
    return both[0][0], both[1][1]


def _fold(words: U64, starts: NDArray[np.int64], lengths: NDArray[np.int64], stride: int) -> tuple[U64, U64]:
    """Both hashes of runs of words, `stride` places apart, `lengths` places in all.

    Where the last word is cut (stride 8, bytes), its missing bytes count as zero.
    """
    size = lengths.astype(np.uint64)
    hash1, hash2 = _mix1(_SEED[0] ^ size), _mix2(_SEED[1] ^ size)
    at, done = np.flatnonzero(lengths > 0), 0
    while len(at):
        every = len(at) == len(starts)  # no need to pick rows
        word = words[starts + done] if every else words[starts[at] + done]
        if stride == 8:
            rest = (lengths if every else lengths[at]) - done
            missing = np.maximum(8 - rest, 0).astype(np.uint64) * np.uint64(8)
            word <<= missing
            word >>= missing
        if every:
            hash1, hash2 = _mix1(hash1 ^ word), _mix2(hash2 ^ word)
        else:
            hash1[at], hash2[at] = _mix1(hash1[at] ^ word), _mix2(hash2[at] ^ word)
        done += stride
        at = np.flatnonzero(lengths > done)
    return hash1, hash2


@lru_cache(maxsize=1)
def fingerprint() -> str:
    """The hashes of fixed values, one of every type class: a change of the functions changes it."""
    probes: list[pa.Array] = [
        pa.array([1, None, -7]),
        pa.array([True, None, False]),
        pa.array([0.5, float("nan"), -0.0]),
        pa.array(["", "firesteel", "x" * 300]),
        pa.array([[1, 2], [], None]),
        pa.array([{"a": 1}, None, {"a": 3}]),
        pa.array([1, None, 3]).cast(pa.decimal128(38, 2)),
    ]
    digest = hashlib.blake2b(digest_size=8)
    for hashes in hash_columns(probes, 3):
        digest.update(hashes.astype("<u8").tobytes())
    return digest.hexdigest()
