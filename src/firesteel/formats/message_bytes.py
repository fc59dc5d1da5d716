"""A column of messages as bytes and offsets, for NumPy."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from firesteel.formats.base import Flags, Indices

Bytes = npt.NDArray[np.uint8]


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

    def are_lines(self) -> bool:
        """Whether each message is one line with its line end, which the last one may lack."""
        ends = self.offsets[1:] - 1
        inner = ends if self.data[-1] == ord("\n") else ends[:-1]
        return bool((self.data[inner] == ord("\n")).all()) and np.count_nonzero(
            self.data == ord("\n")
        ) == len(inner)


def marked(indices: Indices, count: int) -> Flags:
    """`count` flags, true at the indices."""
    flags = np.zeros(count, dtype=bool)
    flags[indices] = True
    return flags
