"""Files of any format: those of lines are written message by message, others as a whole."""

from __future__ import annotations

from typing import BinaryIO, cast

import pyarrow as pa

from firesteel.formats.base import Encoder, Fields, FileFormat, FileWriter, Format, Options
from firesteel.formats.messages.lines import joined


class LineWriter:
    """A FileWriter (base.py) of messages, a line each."""

    def __init__(self, encoder: Encoder, stream: BinaryIO) -> None:
        self._encoder, self._stream = encoder, stream

    def write(self, changes: pa.Table) -> None:
        """See FileWriter."""
        self._stream.write(joined(self._encoder.encode(changes)))

    def close(self) -> None:
        """See FileWriter: nothing waits."""


def is_of_files(found: Format) -> bool:
    """Whether the format's files are no lines of messages."""
    return hasattr(found, "file_reader")


def file_format(found: Format) -> FileFormat:
    """A format of which `is_of_files` is true, as what it is then."""
    return cast("FileFormat", found)


def file_writer(found: Format, fields: Fields, options: Options, stream: BinaryIO) -> FileWriter:
    """What writes a file of the format."""
    if is_of_files(found):
        return file_format(found).file_writer(fields, options, stream)
    return LineWriter(found.encoder(fields, options), stream)
