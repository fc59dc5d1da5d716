"""Two independent 64-bit hashes of the rows of key columns, computed by kernels.

Keys are compared in binary form, as in Flink: 0.0 and -0.0 differ, all NaN are one value, NULL is a value.
The functions are Firesteel's own and never change, since a process with another version of NumPy, Arrow or
DuckDB may read a checkpoint. `fingerprint` identifies them. The driver does not import kernels.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

U64 = NDArray[np.uint64]
Words = tuple[U64, U64]
"""Both hashes of n values, uint64[n] each."""

_NULL = (np.uint64(0x6A09E667F3BCC909), np.uint64(0xBB67AE8584CAA73B))
_FINGERPRINT = "8bdaf6c552634459"
_LONG = 256
"""Length in bytes above which strings are hashed by a digest."""


def hash_columns(columns: Sequence[pa.Array], rows: int) -> Words:
    """Return both hashes of each row, uint64[n] each. Without columns, all rows are equal."""
    from firesteel.kernels.hashing import SEED, fold_words

    hash1, hash2 = np.full(rows, SEED[0]), np.full(rows, SEED[1])
    for column in columns:
        fold_words(*value_words(column), hash1, hash2)
    return hash1, hash2


def sub_key_words(sub_keys: pa.Array, salt: U64, words: Words | None = None) -> Words:
    """Return two hashes for each sub-key of an aggregate's map state, uint64[n] each.

    The hash of the key is mixed in as a salt. If two sub-keys have the same salt, equal sub-keys have equal
    hashes. If also `is_one_word` is True for their type, different sub-keys differ in the first hash.

    Args:
        sub_keys: The sub-keys, n rows.
        salt: uint64[n], for each sub-key the hash of the key to which the map belongs.
        words: `value_words(sub_keys)` if the caller has it. None: compute it.
    """
    from firesteel.kernels.hashing import fold_words

    hash1, hash2 = salt.copy(), np.zeros(len(salt), np.uint64)
    fold_words(*(value_words(sub_keys) if words is None else words), hash1, hash2)
    return hash1, hash2


def is_one_word(kind: pa.DataType) -> bool:
    """Return whether one word distinguishes all values of a type, including NULL.

    Such types have at most 32 bits.
    """
    if pa.types.is_boolean(kind) or pa.types.is_null(kind):
        return True
    simple = pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_temporal(kind)
    return bool(simple and kind.bit_width <= 32)


def value_words(array: pa.Array) -> Words:
    """Return two words for each of n values, uint64[n] each. Equal values have equal words.

    For numbers, BOOLEAN, dates and times of at most 8 bytes, both words are the value in 64 bits, so
    different values have different words. For other types, the words are two independent hashes, so different
    values have equal words only if all 128 bits collide. NULL has two fixed words.
    """
    kind = array.type
    if pa.types.is_null(kind):
        return np.full(len(array), _NULL[0]), np.full(len(array), _NULL[1])
    if pa.types.is_struct(kind):
        children = [array.field(i) for i in range(kind.num_fields)]
        words = hash_columns(children, len(array))
    elif pa.types.is_decimal(kind):
        words = _decimal_words(array)
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
    """Return which rows are NULL, bool[n]."""
    mask: NDArray[np.bool_] = array.is_null().to_numpy(zero_copy_only=False)
    return mask


def fixed_width(array: pa.Array, dtype: np.dtype[np.generic]) -> NDArray[np.generic]:
    """Return the values buffer of a fixed-width array as a NumPy array. NULL rows have arbitrary values."""
    buffer = array.buffers()[1]
    if buffer is None or not len(array):
        return np.zeros(len(array), dtype)
    base, shape = dtype.subdtype if dtype.subdtype is not None else (dtype, (1,))
    width = int(np.prod(shape))
    flat = np.frombuffer(buffer, base, len(array) * width, array.offset * width * base.itemsize)
    return flat.reshape(len(array), *shape) if dtype.subdtype is not None else flat


def simple_words(array: pa.Array) -> U64:
    """Return 64 bits for each value of a type of at most 8 bytes, equal for values equal in binary form.

    NULL rows have arbitrary bits.
    """
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


def _decimal_words(array: pa.Array) -> Words:
    from firesteel.kernels.hashing import SEED, fold_words

    parts = fixed_width(array, np.dtype((np.uint64, (array.type.byte_width // 8,)))).view(np.uint64)
    hash1, hash2 = np.full(len(array), SEED[0]), np.full(len(array), SEED[1])
    for part in parts.T:
        word = part.copy()
        fold_words(word, word, hash1, hash2)
    return hash1, hash2


def _is_bytes(kind: pa.DataType) -> bool:
    return bool(
        pa.types.is_string(kind)
        or pa.types.is_binary(kind)
        or pa.types.is_large_string(kind)
        or pa.types.is_large_binary(kind)
    )


def offsets_of(array: pa.Array) -> NDArray[np.int64]:
    """Return the n + 1 offsets of a string, binary or list array as int64."""
    wide = pa.types.is_large_string(array.type) or pa.types.is_large_binary(array.type)
    wide = wide or pa.types.is_large_list(array.type)
    buffer, dtype = array.buffers()[1], np.dtype(np.int64 if wide else np.int32)
    if buffer is None or not len(array):
        return np.zeros(len(array) + 1, np.int64)
    return np.frombuffer(buffer, dtype, len(array) + 1, array.offset * dtype.itemsize).astype(np.int64)


def _hash_bytes(array: pa.Array) -> Words:
    """Hash each string by its length and its zero-padded words of 8 bytes, long strings by a digest."""
    from firesteel.kernels.hashing import hash_strings

    hash1, hash2 = np.empty(len(array), np.uint64), np.empty(len(array), np.uint64)
    if not len(array):
        return hash1, hash2
    offsets, buffer = offsets_of(array), array.buffers()[2]
    data = np.frombuffer(b"" if buffer is None else buffer, np.uint8)
    # Always pass read-only bytes, so that tests with FIRESTEEL_KERNELS=checked compile the kernel only once:
    # Numba compiles separately for writable and for read-only arrays.
    data.flags.writeable = False
    hash_strings(data, offsets, hash1, hash2)
    rows = np.flatnonzero(np.diff(offsets) > _LONG)
    if len(rows):
        hash1[rows], hash2[rows] = _digests(data.data, offsets[rows], offsets[rows + 1])
    return hash1, hash2


def _digests(data: memoryview, begins: NDArray[np.int64], ends: NDArray[np.int64]) -> Words:
    """Return the BLAKE2b digest of each string, as two words."""
    pieces = (data[begin:end] for begin, end in zip(begins.tolist(), ends.tolist(), strict=True))
    digests = b"".join([blake2b(piece, digest_size=16).digest() for piece in pieces])
    words = np.frombuffer(digests, "<u8").reshape(-1, 2)
    return words[:, 0], words[:, 1]


def _hash_lists(array: pa.Array) -> Words:
    """Hash each list by its length and the hashes of its elements."""
    from firesteel.kernels.hashing import hash_lists

    hash1, hash2 = np.empty(len(array), np.uint64), np.empty(len(array), np.uint64)
    hash_lists(*value_words(array.values), offsets_of(array), hash1, hash2)
    return hash1, hash2


def fingerprint() -> str:
    """Return the fingerprint of the hash functions, a hash of fixed values (test_keys.py)."""
    return _FINGERPRINT
