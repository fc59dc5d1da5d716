"""A column of messages as bytes and offsets, for NumPy."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from firesteel.formats.base import Flags, Indices

Bytes = npt.NDArray[np.uint8]

_LINE_END = ord("\n")
_PIECE = 1 << 17
"""Bytes that fit into a core's cache with what is made of them: several times faster than all at once."""


@dataclass(frozen=True)
class MessageBytes:
    """data: all messages, one behind the other; message i is data[offsets[i]:offsets[i + 1]]."""

    data: Bytes
    offsets: Indices

    @classmethod
    def of(cls, messages: pa.BinaryArray) -> MessageBytes:
        """The bytes of a column without NULLs; nothing is copied."""
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
        """The messages in which these positions lie."""
        return np.searchsorted(self.offsets, positions, side="right") - 1

    def end_lines(self) -> bool:
        """Whether each message ends with a line end, which the last one may lack."""
        ends = self.offsets[1:] - 1
        inner = ends if self.data[-1] == _LINE_END else ends[:-1]
        return bool((self.data[inner] == _LINE_END).all())

    def are_lines(self) -> bool:
        """Whether each message is one line with its line end, which the last one may lack."""
        return self.end_lines() and _line_ends(self.data) == np.count_nonzero(
            self.data[self.offsets[1:] - 1] == _LINE_END
        )


def _line_ends(data: Bytes) -> int:
    pieces = (data[start : start + _PIECE] for start in range(0, len(data), _PIECE))
    return sum(int(np.count_nonzero(piece == _LINE_END)) for piece in pieces)


def places(data: Bytes, wanted: Callable[[Bytes], Flags], behind: int = 0) -> Indices:
    """Where `wanted` holds, ascending. It is asked piece by piece, of the bytes and up to `behind` more, and
    answers for each place that has so many bytes behind it."""
    parts = [np.empty(0, dtype=np.int64)]
    for start in range(0, len(data), _PIECE):
        found = wanted(data[start : start + _PIECE + behind])
        if found.any():  # much faster than to look where, and often there is nothing
            parts.append(np.flatnonzero(found) + start)
    return np.concatenate(parts)


def begin_with(texts: pa.StringArray, characters: bytes) -> Flags:
    """Whether the first byte of each text is one of these; of NULL and an empty one it is not."""
    content = MessageBytes.of(texts)
    there = content.lengths > 0
    if texts.null_count:
        there &= texts.is_valid().to_numpy(zero_copy_only=False)
    wanted = np.zeros(256, dtype=bool)
    wanted[list(characters)] = True
    there[there] = wanted[content.data[content.offsets[:-1][there]]]
    return there


def marked(indices: Indices, count: int) -> Flags:
    """`count` flags, true at the indices."""
    flags = np.zeros(count, dtype=bool)
    flags[indices] = True
    return flags
