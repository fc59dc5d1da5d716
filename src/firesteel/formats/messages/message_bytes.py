"""MessageBytes, a column of messages as NumPy arrays of bytes and offsets."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from firesteel.formats.base import Flags, Indices

Bytes = npt.NDArray[np.uint8]

_PIECE = 1 << 17
"""Number of bytes to process at once.

They and their results fit into a core's cache, which is much faster.
"""


@dataclass(frozen=True)
class MessageBytes:
    """A column of n messages as bytes. Message i is data[offsets[i]:offsets[i + 1]]."""

    data: Bytes
    """uint8[...], all messages one after the other."""
    offsets: Indices
    """int64[n + 1], start of each message, and the end of the last one."""

    @classmethod
    def of(cls, messages: pa.BinaryArray) -> MessageBytes:
        """Return the bytes of a column without NULLs. The data is not copied."""
        _, offsets, data = messages.buffers()
        count = len(messages)
        if not count:
            return cls(np.empty(0, dtype=np.uint8), np.zeros(1, dtype=np.int64))
        ends = np.frombuffer(offsets, dtype=np.int32)[messages.offset : messages.offset + count + 1]
        whole = np.frombuffer(data, dtype=np.uint8) if data is not None else np.empty(0, dtype=np.uint8)
        return cls(whole[ends[0] : ends[-1]], ends.astype(np.int64) - int(ends[0]))

    @property
    def lengths(self) -> Indices:
        return np.diff(self.offsets)

    def at(self, positions: Indices) -> Indices:
        """Return the indices of the messages that contain these byte positions."""
        return np.searchsorted(self.offsets, positions, side="right") - 1


def places(data: Bytes, wanted: Callable[[Bytes], Flags]) -> Indices:
    """Return the positions of the bytes for which `wanted` returns true, ascending.

    Args:
        data: The bytes.
        wanted: Function that gets a piece of `data`, m bytes, and returns a flag for each byte, bool[m].
    """
    parts = [np.empty(0, dtype=np.int64)]
    for start in range(0, len(data), _PIECE):
        found = wanted(data[start : start + _PIECE])
        if found.any():  # This test is much faster than flatnonzero, and often finds nothing.
            parts.append(np.flatnonzero(found) + start)
    return np.concatenate(parts)


def begin_with(texts: pa.StringArray, characters: bytes) -> Flags:
    """Return for each text whether its first byte is one of `characters`; false for NULL and empty texts."""
    content = MessageBytes.of(texts)
    there = content.lengths > 0
    if texts.null_count:
        there &= texts.is_valid().to_numpy(zero_copy_only=False)
    wanted = np.zeros(256, dtype=bool)
    wanted[list(characters)] = True
    there[there] = wanted[content.data[content.offsets[:-1][there]]]
    return there


def marked(indices: Indices, count: int) -> Flags:
    """Return bool[count] that is true at the given indices."""
    flags = np.zeros(count, dtype=bool)
    flags[indices] = True
    return flags
