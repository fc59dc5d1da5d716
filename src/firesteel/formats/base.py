"""Protocols of formats, which decode messages to changes and encode changes to messages.

A message is one unit of the transport: a line of a file, or the value of a Kafka record. A decoder takes a
column of messages. It returns a changes table (`$kind`, and f0, f1, ... for the wanted fields) and, for each
row, the index of its message. With the index, a connector adds message metadata such as offset and time, and
reports the place of a bad message. The table has no sequence: the source numbers the rows.
"""

from __future__ import annotations

from collections import Counter
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
"""A format's options. Their keys do not have the format's prefix, such as `json.`."""
Indices = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]


class MessageError(Exception):
    """A message that cannot be decoded.

    Attributes:
        index: Index of the message in the column, from 0.
        text: The error in Flink's words, with the message quoted. "?" stands for a lone surrogate.
        is_control: Whether it is a valid control message of the CDC tool, not a change of a row.
        cause: Cause of the error, as metrics name it (messages/skip_causes.py).
    """

    def __init__(
        self, index: int, text: str, *, is_control: bool = False, cause: str = "invalid_value"
    ) -> None:
        text = text.encode("utf-8", "replace").decode()
        super().__init__(text)
        self.index = index
        self.text = text
        self.is_control = is_control
        self.cause = cause

    def at(self, index: int) -> MessageError:
        """Return the same error for a message with another index."""
        return MessageError(index, self.text, is_control=self.is_control, cause=self.cause)


@dataclass(frozen=True)
class Fields:
    """The fields that a query needs, in output order."""

    names: tuple[str, ...]
    """Names of the needed fields."""
    types: tuple[SqlType, ...]
    """Types of the needed fields."""
    all_names: tuple[str, ...] = ()
    """Names of all physical columns of the table."""
    all_types: tuple[SqlType, ...] = ()
    """Types of all physical columns of the table."""
    parts: tuple[Parts, ...] = ()
    """For each needed field, the nested values that the query reads; () if it reads every field whole."""
    in_file: bool = False
    """Whether the messages are lines or records of a file. False for single messages, such as those of Kafka.
    Decoders may treat both differently, as Flink does: csv ignores fewer errors in a file."""

    @property
    def unread(self) -> frozenset[str]:
        """Return names of fields that the query does not read. Their values are only checked for errors."""
        return frozenset(name for name, parts in zip(self.names, self.parts, strict=False) if not parts)

    @property
    def unread_texts(self) -> frozenset[str]:
        """Return names of unread character columns, for which any value is valid."""
        texts = (name for name, kind in zip(self.names, self.types, strict=True) if kind.root in CHARACTER)
        return self.unread.intersection(texts)


class Decoder(Protocol):
    """A decoder of the messages of one split."""

    causes: Counter[str]
    """Messages skipped so far because of `ignore-parse-errors`, by cause (messages/skip_causes.py)."""

    def decode(self, messages: pa.BinaryArray) -> tuple[pa.Table, Indices]:
        """Return the changes in the messages.

        Args:
            messages: The messages, with or without their line ends. Empty and NULL ones give no rows, except
                in the format raw.

        Returns:
            A changes table of n rows, and int64[n] with the index of each row's message.

        Raises:
            MessageError: The first message that cannot be decoded.
        """
        ...


class Encoder(Protocol):
    """An encoder of rows to messages."""

    def encode(self, changes: pa.Table) -> pa.BinaryArray:
        """Return one message for each of the n rows of a changes table: binary[n], without line ends.

        An entry is NULL if the message has no value, as for a NULL in the format raw. Kafka calls a message
        without a value a tombstone.

        Raises:
            DataError: The format cannot represent a value.
        """
        ...


class Framing(Protocol):
    """A splitter of a file's bytes into messages."""

    def split(self, block: bytes) -> tuple[pa.BinaryArray, bytes]:
        """Cut a block of a file into messages.

        Args:
            block: Whole lines of the file, behind the bytes that were left of the block before.

        Returns:
            The complete messages, and the bytes behind the last of them: a message that spans lines, such as
            a csv record with a line end in quotes, may go on in the next block. The caller puts these bytes
            before the next block.
        """
        ...

    def finish(self, rest: bytes) -> pa.BinaryArray:
        """Return the messages in the bytes that remain at the end of the file."""
        ...


class FileReader(Protocol):
    """A reader of whole files, for a format whose files are not lines of messages."""

    def read(self, path: str) -> Iterator[pa.Table]:
        """Yield the changes of a file, in tables with `$kind`, f0, f1, ... and without sequence.

        Raises:
            DataError: The file, or a value in it, is invalid.
        """
        ...


class FileWriter(Protocol):
    """A writer of one file. It may keep the rows in memory until `close`."""

    def write(self, changes: pa.Table) -> None:
        """Append the rows of a changes table.

        Raises:
            DataError: The format cannot represent a value.
        """
        ...

    def close(self) -> None:
        """Write what is left of the file. The stream that `file_writer` was given stays open."""
        ...


class FileFormat(Protocol):
    """Additional methods of a Format whose files are not lines of messages."""

    def file_reader(self, fields: Fields, options: Options) -> FileReader: ...

    def file_writer(self, fields: Fields, options: Options, stream: BinaryIO) -> FileWriter: ...


class Format(Protocol):
    """A format: the value of a table's option `format`. formats/registry.py lists them all."""

    name: str
    options: tuple[Option, ...]
    """All options of the format. Their keys do not have the format's prefix, such as `json.`."""
    changelog_mode: ChangelogMode
    """Kinds of changes that the format's messages hold."""
    sink_mode: str
    """Changes that a sink of files takes: a value of SourceTraits.sink_mode, such as "insert-only"."""
    splittable: bool
    """Whether each line of a file is one message."""

    def validate(self, options: Options, names: tuple[str, ...], types: tuple[SqlType, ...]) -> None:
        """Check the options against the table's columns.

        Raises:
            ValidationError: An option or a column's type is wrong; the text is Flink's.
        """
        ...

    def framing(self, options: Options) -> Framing: ...

    def decoder(self, fields: Fields, options: Options) -> Decoder: ...

    def encoder(self, fields: Fields, options: Options) -> Encoder: ...
