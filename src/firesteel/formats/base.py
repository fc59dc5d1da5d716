"""What a format is: messages in, changes out, and back.

A message is what the transport gave: a line, the value of a Kafka record. Framing is the connector's: a
format gets a column of messages and gives a changes table without `$order` (the source numbers the rows):
`$kind` and f0, f1, ... for the wanted fields, and for each row the index of its message, so that the
connector can add what belongs to the message (offset, time, key) and say where a bad one stands.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import BinaryIO, Protocol

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from firesteel.changelog import ChangelogMode
from firesteel.config.option import Option
from firesteel.types.sql import CHARACTER, SqlType
from firesteel.types.value_parts import Parts

Options = Mapping[str, str]
"""A format's options, without its prefix."""
Indices = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]


class MessageError(Exception):
    """A message cannot be read. index: its place in the column, from 0; text: what is wrong, in Flink's
    words, the message quoted; is_control: it is no damaged one, but the tool's own beside changes of rows."""

    def __init__(self, index: int, text: str, *, is_control: bool = False) -> None:
        super().__init__(text)
        self.index = index
        self.text = text
        self.is_control = is_control


@dataclass(frozen=True)
class Fields:
    """The fields that are wanted, in output order.

    all_names: every physical column of the table. parts: of each wanted field those that are looked at,
    others need not be read; no field's: all of all. in_file: the messages were cut out of a file.
    """

    names: tuple[str, ...]
    types: tuple[SqlType, ...]
    all_names: tuple[str, ...] = ()
    all_types: tuple[SqlType, ...] = ()
    parts: tuple[Parts, ...] = ()
    in_file: bool = False

    @property
    def unread(self) -> frozenset[str]:
        """Those that nothing looks at: they need not be made, but what is wrong about them is to be found."""
        return frozenset(name for name, parts in zip(self.names, self.parts, strict=False) if not parts)

    @property
    def unread_texts(self) -> frozenset[str]:
        """Those among them about which nothing can be wrong."""
        texts = (name for name, kind in zip(self.names, self.types, strict=True) if kind.root in CHARACTER)
        return self.unread.intersection(texts)


class Decoder(Protocol):
    """Decodes the messages of one split."""

    skipped: int
    """Messages left out so far because of `ignore-parse-errors`."""

    def decode(self, messages: pa.BinaryArray) -> tuple[pa.Table, Indices]:
        """The changes, and the index of the message of each. A message may keep its line end; one that is
        empty or NULL gives nothing. Raises MessageError at the first bad message."""
        ...


class Encoder(Protocol):
    """Writes rows as messages."""

    def encode(self, changes: pa.Table) -> pa.BinaryArray:
        """A message for each row of a changes table, without a line end; NULL is a tombstone. Raises
        DataError."""
        ...


class Framing(Protocol):
    """Cuts the bytes of a file into a format's messages."""

    def split(self, block: bytes) -> tuple[pa.BinaryArray, bytes]:
        """The messages in a block of whole lines, and the bytes at its end that wait for the next block."""
        ...

    def finish(self, rest: bytes) -> pa.BinaryArray:
        """The messages in what waited when the file ended."""
        ...


class FileReader(Protocol):
    """Reads whole files of a format whose files are no lines of messages."""

    def read(self, path: str) -> Iterator[pa.Table]:
        """The changes of a file, in tables without `$order`: `$kind`, f0, f1... Raises DataError."""
        ...


class FileWriter(Protocol):
    """Writes one file. What it has written of it may lie in memory until `close`."""

    def write(self, changes: pa.Table) -> None:
        """Raises DataError for a value that the format cannot carry."""
        ...

    def close(self) -> None:
        """The file is whole; the stream stays open."""
        ...


class FileFormat(Protocol):
    """What a Format has, too, whose files are no lines of messages."""

    def file_reader(self, fields: Fields, options: Options) -> FileReader: ...

    def file_writer(self, fields: Fields, options: Options, stream: BinaryIO) -> FileWriter: ...


class Format(Protocol):
    """One format; formats/registry.py finds them."""

    name: str
    options: tuple[Option, ...]
    """All that it has, without the prefix."""
    changelog_mode: ChangelogMode
    sink_mode: str
    """catalog.schema.SourceTraits.sink_mode of a file in this format."""
    splittable: bool
    """Whether each line of a file is a message."""

    def validate(self, options: Options, names: tuple[str, ...], types: tuple[SqlType, ...]) -> None:
        """Check the options. Raises ValidationError in Flink's words."""
        ...

    def framing(self, options: Options) -> Framing: ...

    def decoder(self, fields: Fields, options: Options) -> Decoder: ...

    def encoder(self, fields: Fields, options: Options) -> Encoder: ...
