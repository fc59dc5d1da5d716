"""Writers of files in any format: line by line, or as whole files such as Parquet."""

from __future__ import annotations

from typing import BinaryIO, cast

import pyarrow as pa

from firesteel.formats.base import Encoder, Fields, FileFormat, FileWriter, Format, Options
from firesteel.formats.messages.lines import joined


class LineWriter:
    """Writer of files with one message in each line (base.py: FileWriter)."""

    def __init__(self, encoder: Encoder, stream: BinaryIO) -> None:
        self._encoder, self._stream = encoder, stream

    def write(self, changes: pa.Table) -> None:
        """Append the rows, each as one line."""
        self._stream.write(joined(self._encoder.encode(changes)))

    def close(self) -> None:
        """Do nothing: `write` keeps no rows."""


def is_of_files(found: Format) -> bool:
    """Return whether a format's files are something else than lines of messages."""
    return hasattr(found, "file_reader")


def file_format(found: Format) -> FileFormat:
    """Return a format for which `is_of_files` is true, typed as FileFormat."""
    return cast("FileFormat", found)


def file_writer(found: Format, fields: Fields, options: Options, stream: BinaryIO) -> FileWriter:
    """Return a writer of one file of the format to a stream."""
    if is_of_files(found):
        return file_format(found).file_writer(fields, options, stream)
    return LineWriter(found.encoder(fields, options), stream)
