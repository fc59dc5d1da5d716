"""Split files into lines, each of which is a message."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from firesteel.formats.base import Indices
from firesteel.formats.messages.message_bytes import places
from firesteel.kernels.types import Bytes

_LINE_END = ord("\n")
_WORTH_A_KERNEL = 1 << 20
_SHORT = 64
"""Expected mean size of a line, in bytes.

It sets the size of the array for the positions of a block's line ends. If the block has more line ends than
the array has room for, the block is scanned again with a larger array.
"""


class Lines:
    """Framing of files with one message in each line. A message keeps its line end, which avoids a copy."""

    def split(self, block: bytes) -> tuple[pa.BinaryArray, bytes]:
        ends = _ends(np.frombuffer(block, dtype=np.uint8))
        if len(block) and (not len(ends) or ends[-1] != len(block)):
            ends = np.append(ends, len(block))
        return cut(block, ends), b""

    def finish(self, rest: bytes) -> pa.BinaryArray:
        """Return no messages: `split` has returned the last line already, even if it has no line end."""
        return cut(b"", np.array([], dtype=np.int64))


def _ends(data: Bytes) -> Indices:
    """Return the position after each line end."""
    if len(data) < _WORTH_A_KERNEL:
        return places(data, lambda piece: piece == _LINE_END) + 1
    from firesteel.kernels.text.lines import line_ends

    room = len(data) // _SHORT
    while True:
        ends = np.empty(room, np.int32)
        count = line_ends(data, ends)
        if count <= room:
            return ends[:count].astype(np.int64)
        room = count


def cut(data: bytes, ends: Indices) -> pa.BinaryArray:
    """Return the bytes as a column of messages that end at the given positions."""
    offsets = np.zeros(len(ends) + 1, dtype=np.int32)
    offsets[1:] = ends
    return pa.BinaryArray.from_buffers(
        pa.binary(), len(ends), [None, pa.py_buffer(offsets), pa.py_buffer(data)]
    )


def joined(messages: pa.BinaryArray) -> bytes:
    """Return messages as lines. NULL messages are left out."""
    kept = messages.drop_null()
    if not len(kept):
        return b""
    return b"\n".join([*kept.to_pylist(), b""])


def bare(message: bytes) -> bytes:
    """Return a message without its line end, LF or CR LF (Flink: LineBytesInputFormat)."""
    return message.removesuffix(b"\n").removesuffix(b"\r") if message.endswith(b"\n") else message
