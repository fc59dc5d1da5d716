"""Messages in columns: what is needed of each, taken at once where the library gives them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from firesteel.connectors.kafka.gathered_bytes import GatheredBytes
from firesteel.types.arrow import KEY, VALUE, to_arrow
from firesteel.types.sql import BYTES, STRING, map_of

MESSAGE, MESSAGE_KEY, OFFSET = "$value", "$key", "offset"
"""Columns of Messages; the others have the names of their metadata keys."""
HEADERS = to_arrow(map_of(STRING, BYTES))
_TIMESTAMP_TYPES = ("NoTimestampType", "CreateTime", "LogAppendTime")


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


class Block:
    """Gathers messages until there are enough to be decoded together. also: columns beside MESSAGE and
    OFFSET. A few hundred messages at a time: their objects are gone before the next ones come, so they
    stay in the processor's cache, and Python's garbage collector has none of them to look at."""

    def __init__(self, also: frozenset[str] = frozenset()) -> None:
        names = (MESSAGE, OFFSET, *sorted(also))
        self._bytes = {name: GatheredBytes() for name in names if name in _BYTES}
        self._parts: dict[str, list[pa.Array]] = {name: [] for name in names if name not in _BYTES}
        self.rows = 0
        self.bytes = 0
        """Of values and keys, offsets into them included."""

    def add(self, records: list[Any]) -> None:
        """Messages as the library gives them, none of them an error; at least one."""
        self.rows += len(records)
        for name, values in self._bytes.items():
            self.bytes += values.add(_BYTES[name](records))
        for name, parts in self._parts.items():
            made = _TAKEN[name](records)
            parts.append(made)
            self.bytes += made.nbytes

    def taken(self) -> dict[str, pa.Array]:
        """The columns; the block is empty then."""
        made = {name: values.taken() for name, values in self._bytes.items()}
        made |= {name: pa.concat_arrays(parts) for name, parts in self._parts.items()}
        self._parts = {name: [] for name in self._parts}
        self.rows = self.bytes = 0
        return made


def _offsets(records: list[Any]) -> pa.Array:
    """Asked of each message only where some between them are not there."""
    first, last = records[0].offset(), records[-1].offset()
    if last - first + 1 == len(records):
        return pa.array(np.arange(first, last + 1))
    return pa.array([record.offset() for record in records], pa.int64())


def _headers(record: Any) -> list[dict[str, Any]]:
    return [{KEY: key, VALUE: value} for key, value in dict(record.headers() or ()).items()]


_BYTES: dict[str, Callable[[list[Any]], list[bytes | None]]] = {
    MESSAGE: lambda records: [each.value() for each in records],
    MESSAGE_KEY: lambda records: [each.key() for each in records],
}
_TAKEN: dict[str, Callable[[list[Any]], pa.Array]] = {
    OFFSET: _offsets,
    "headers": lambda records: pa.array([_headers(each) for each in records], HEADERS),
    "leader-epoch": lambda records: pa.array([each.leader_epoch() for each in records], pa.int32()),
    "timestamp": lambda records: pa.array(
        [each.timestamp()[1] for each in records], pa.timestamp("ms", tz="UTC")
    ),
    "timestamp-type": lambda records: pa.array(
        [_TIMESTAMP_TYPES[each.timestamp()[0]] for each in records], pa.string()
    ),
}
OF_MESSAGES = frozenset(_TAKEN)
"""Metadata keys that each message has a value for."""
