"""What a format is: bytes in, changes out, and back.

A decoder is given blocks of whole lines and gives changes tables without `$order` (the source numbers
them): `$kind` and f0, f1, ... for the wanted fields. It knows nothing of files: a message that cannot be
read is reported with its line's number in the block, and the connector says where that is.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

import pyarrow as pa

from firesteel.changelog import ChangelogMode
from firesteel.types.sql import SqlType

Options = Mapping[str, str]
"""A format's options, without its prefix."""


MESSAGES = "messages"
"""The table that a shape's statement reads: l, the lines, and i, their numbers."""


class MessageError(Exception):
    """A message cannot be read. line: its place in the block, from 0; text: what is wrong, in Flink's
    words, the message quoted."""

    def __init__(self, line: int, text: str) -> None:
        super().__init__(text)
        self.line = line
        self.text = text


@dataclass(frozen=True)
class Fields:
    """The fields that are wanted, in output order; all_names: every physical column of the table."""

    names: tuple[str, ...]
    types: tuple[SqlType, ...]
    all_names: tuple[str, ...] = ()
    all_types: tuple[SqlType, ...] = ()


class Decoder(Protocol):
    """Decodes the blocks of one split, in order."""

    skipped: int
    """Messages left out so far because of `ignore-parse-errors`."""

    def decode(self, block: memoryview | bytes) -> pa.Table:
        """The changes in a block of whole lines. Raises MessageError."""
        ...

    def finish(self) -> pa.Table | None:
        """End of the file: what is left. Raises MessageError, its line counted from the end of the last
        block."""
        ...


class Encoder(Protocol):
    """Writes rows as messages."""

    def encode(self, changes: pa.Table) -> bytes:
        """The rows of a changes table, each as one line with its line end. Raises DataError."""
        ...


class Format(Protocol):
    """One format; formats/registry.py names them all."""

    name: str
    options: tuple[str, ...]
    """Every option, without the prefix."""
    changelog_mode: ChangelogMode
    sink_mode: str
    """catalog.schema.SourceTraits.sink_mode of a file in this format."""
    splittable: bool
    """Whether a file can be cut at any line end."""

    def validate(self, options: Options, names: tuple[str, ...], types: tuple[SqlType, ...]) -> None:
        """Check the options. Raises ValidationError in Flink's words."""
        ...

    def decoder(self, fields: Fields, options: Options) -> Decoder: ...

    def encoder(self, fields: Fields, options: Options) -> Encoder: ...


@dataclass
class Rows:
    """Decoded rows of single messages, to be put into columns."""

    lines: list[int] = field(default_factory=list)
    kinds: list[int] = field(default_factory=list)
    values: list[tuple[object, ...]] = field(default_factory=list)

    def add(self, line: int, kind: int, row: tuple[object, ...]) -> None:
        self.lines.append(line)
        self.kinds.append(kind)
        self.values.append(row)
