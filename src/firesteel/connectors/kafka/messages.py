"""Kafka messages as columns: value, offset and the other parts that a query needs."""

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
"""Metadata keys with a value in each message."""


@dataclass(frozen=True)
class Messages:
    """Consecutive messages of one partition."""

    topic: str
    """Name of the topic."""
    partition: int
    """Number of the partition."""
    columns: dict[str, pa.Array]
    """Columns with one value a message: MESSAGE (NULL is a tombstone), OFFSET and other requested ones."""

    def __len__(self) -> int:
        return len(self.columns[MESSAGE])

    @property
    def values(self) -> pa.BinaryArray:
        return self.columns[MESSAGE]

    @property
    def keys(self) -> pa.BinaryArray:
        return self.columns[MESSAGE_KEY]

    def offset(self, index: int) -> int:
        """Return the offset of one message."""
        return int(self.columns[OFFSET][index].as_py())

    def place(self, index: int) -> str:
        """Return the place of a message, for errors."""
        return f"topic {self.topic}, partition {self.partition}, offset {self.offset(index)}"


@dataclass(frozen=True)
class Taken:
    """Consecutive messages that a consumer returned at once."""

    count: int
    """Number of messages."""
    bytes: Mapping[str, Joined]
    """Columns of bytes, by name."""
    others: Mapping[str, pa.Array]
    """Other columns, by name."""
    behind: int = 0
    """Offset after the last message; 0 without messages."""
    errors: Sequence[tuple[Any, int]] = ()
    """Errors that came among the messages, each with an offset."""


class Block:
    """A buffer of messages that are decoded together."""

    def __init__(self) -> None:
        self._bytes: dict[str, GatheredBytes] = {}
        self._others: dict[str, list[pa.Array]] = {}
        self.rows = 0
        self.bytes = 0
        """Bytes of all columns, including the offsets into them."""

    def add(self, taken: Taken) -> None:
        """Append messages, at least one."""
        self.rows += taken.count
        for name, piece in taken.bytes.items():
            self._bytes.setdefault(name, GatheredBytes()).add(piece)
            self.bytes += piece.nbytes
        for name, part in taken.others.items():
            self._others.setdefault(name, []).append(part)
            self.bytes += part.nbytes

    def columns(self) -> dict[str, pa.Array]:
        """Return the columns of all messages, by name."""
        made = {name: values.array() for name, values in self._bytes.items()}
        return made | {name: pa.concat_arrays(parts) for name, parts in self._others.items()}
