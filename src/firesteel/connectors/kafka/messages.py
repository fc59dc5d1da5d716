"""Messages in columns: what is needed of each, taken at once where the library gives them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from firesteel.connectors.kafka.gathered_bytes import GatheredBytes, Joined
from firesteel.types.arrow import to_arrow
from firesteel.types.sql import BYTES, STRING, map_of

MESSAGE, MESSAGE_KEY, OFFSET = "$value", "$key", "offset"
"""Columns of Messages; the others have the names of their metadata keys."""
HEADERS = to_arrow(map_of(STRING, BYTES))
OF_MESSAGES = frozenset((OFFSET, "headers", "leader-epoch", "timestamp", "timestamp-type"))
"""Metadata keys that each message has a value for."""


@dataclass(frozen=True)
class Messages:
    """Messages of one partition that follow each other. columns: MESSAGE (NULL is a tombstone), OFFSET and
    those that were asked for, a value a message."""

    topic: str
    partition: int
    columns: dict[str, pa.Array]

    def __len__(self) -> int:
        return len(self.columns[MESSAGE])

    @property
    def values(self) -> pa.BinaryArray:
        return self.columns[MESSAGE]

    @property
    def keys(self) -> pa.BinaryArray:
        return self.columns[MESSAGE_KEY]

    def offset(self, index: int) -> int:
        """That of one message."""
        return int(self.columns[OFFSET][index].as_py())

    def place(self, index: int) -> str:
        """Return where a message stands, for errors."""
        return f"topic {self.topic}, partition {self.partition}, offset {self.offset(index)}"


@dataclass(frozen=True)
class Taken:
    """What a consumer has given at once: n messages that follow each other. bytes, others: their columns.
    behind: the offset behind the last message that came, 0 without any. errors: what came among them, each
    with an offset."""

    count: int
    bytes: Mapping[str, Joined]
    others: Mapping[str, pa.Array]
    behind: int = 0
    errors: Sequence[tuple[Any, int]] = ()


class Block:
    """Gathers messages until there are enough to be decoded together."""

    def __init__(self) -> None:
        self._bytes: dict[str, GatheredBytes] = {}
        self._others: dict[str, list[pa.Array]] = {}
        self.rows = 0
        self.bytes = 0
        """Of all columns, offsets into them included."""

    def add(self, taken: Taken) -> None:
        """At least one message."""
        self.rows += taken.count
        for name, piece in taken.bytes.items():
            self._bytes.setdefault(name, GatheredBytes()).add(piece)
            self.bytes += piece.nbytes
        for name, part in taken.others.items():
            self._others.setdefault(name, []).append(part)
            self.bytes += part.nbytes

    def columns(self) -> dict[str, pa.Array]:
        """Of all messages, by name."""
        made = {name: values.array() for name, values in self._bytes.items()}
        return made | {name: pa.concat_arrays(parts) for name, parts in self._others.items()}
