"""Conversion of changes to messages.

Formats encode key and value. Metadata columns give the topic, the time and the headers.

Flink: DynamicKafkaRecordSerializationSchema.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from firesteel.changelog import KIND, RowKind, field
from firesteel.connectors.kafka.options import Part, key_of, topics_of, value_of
from firesteel.connectors.unwritable import is_of_values, unwritable
from firesteel.errors import DataError
from firesteel.formats.base import Encoder, Fields
from firesteel.functions.java.regular_expressions import parsed
from firesteel.runtime.spec.tables import SinkSpec
from firesteel.types.arrow import KEY, VALUE
from firesteel.types.sql import SqlType

Headers = list[tuple[str, bytes]]
Record = tuple[str, bytes | None, bytes | None, int | None, Headers | None]
"""A message: topic, key, value, timestamp in milliseconds, headers."""
_DELETED = (int(RowKind.UPDATE_BEFORE), int(RowKind.DELETE))


@dataclass(frozen=True)
class _Encoding:
    """Encoder of one part (key or value) of messages.

    Attributes:
        encoder: Encoder of the format.
        positions: Positions of the part's columns in the changes table.
        table: Name of the table.
        columns: Names of the part's columns in the table, with their types.
    """

    encoder: Encoder
    positions: tuple[int, ...]
    table: str
    columns: tuple[tuple[str, SqlType], ...]

    def encode(self, changes: pa.Table) -> pa.BinaryArray:
        """Return the encoded keys or values of messages, one for each change. NULL means no key or value.

        Raises:
            DataError: The format cannot represent a value. The error names row and column.
        """
        part = self._part(changes)
        try:
            return self.encoder.encode(part)
        except Exception as error:
            if not is_of_values(error):
                raise
            raise unwritable(error, self.table, self.columns, part, self.encoder.encode) from error

    def _part(self, changes: pa.Table) -> pa.Table:
        columns = [changes[KIND], *(changes[field(position)] for position in self.positions)]
        names = [KIND, *(field(index) for index in range(len(self.positions)))]
        return pa.Table.from_arrays(columns, names=names)


class Records:
    """Encoder of the changes of one task. With `upsert`, a deleted row becomes a message without a value."""

    def __init__(self, spec: SinkSpec, options: dict[str, str], upsert: bool = False) -> None:
        self._upsert = upsert
        self._spec = spec
        keys = spec.metadata or (None,) * len(spec.names)
        self._metadata = {key: place for place, key in enumerate(keys) if key is not None}
        physical = tuple(name for name, key in zip(spec.names, keys, strict=True) if key is None)
        self._value = self._encoding(value_of(options, physical))
        key = key_of(options, physical)
        self._key = None if key is None else self._encoding(key)
        self._topics = topics_of(options)
        self._pattern = options.get("topic-pattern", "")
        self._matches = parsed(self._pattern).fullmatch

    def _encoding(self, part: Part) -> _Encoding:
        positions = tuple(self._spec.names.index(name) for name in part.columns)
        names = tuple(name.removeprefix(part.prefix) for name in part.columns)
        types = tuple(self._spec.types[position] for position in positions)
        return _Encoding(
            part.format.encoder(Fields(names, types, names, types), dict(part.options)),
            positions,
            self._spec.table,
            tuple(zip(part.columns, types, strict=True)),
        )

    def of(self, changes: pa.Table) -> Iterator[Record]:
        """Return one message for each change, in their order.

        Raises:
            DataError: A format cannot represent a value, a time is before 1970, or the value of the metadata
                column `topic` is no topic of the table.
        """
        count = changes.num_rows
        nothing: Sequence[None] = (None,) * count
        keys = nothing if self._key is None else self._key.encode(changes).to_pylist()
        times = nothing if "timestamp" not in self._metadata else _millis(self._column(changes, "timestamp"))
        headers: Sequence[Headers | None] = nothing
        if "headers" in self._metadata:
            headers = [_headers(each) for each in self._column(changes, "headers").to_pylist()]
        return zip(self._to(changes), keys, self._values(changes).to_pylist(), times, headers, strict=True)

    def _values(self, changes: pa.Table) -> pa.BinaryArray:
        if not self._upsert:
            return self._value.encode(changes)
        kept = ~np.isin(changes[KIND].to_numpy(), _DELETED)
        encoded = self._value.encode(changes.filter(pa.array(kept)))
        return encoded.take(pa.array(np.cumsum(kept) - 1, mask=~kept))

    def _column(self, changes: pa.Table, key: str) -> pa.ChunkedArray:
        return changes[field(self._metadata[key])]

    def _to(self, changes: pa.Table) -> Sequence[str]:
        if len(self._topics) == 1:
            return [self._topics[0]] * int(changes.num_rows)
        if "topic" not in self._metadata:
            raise _wrong_topic("a single topic but no topic is set.")
        wanted: list[str | None] = self._column(changes, "topic").to_pylist()
        for topic in set(wanted):
            if topic is None:
                raise _wrong_topic("a single topic but no topic is set.")
            if self._topics and topic not in self._topics:
                raise _wrong_topic(f"topic to be in: [{', '.join(self._topics)}] but was: {topic}")
            if not self._topics and not self._matches(topic):
                raise _wrong_topic(f"topic to match: {self._pattern} but was: {topic}")
        return [topic for topic in wanted if topic is not None]


def _wrong_topic(expected: str) -> DataError:
    return DataError(f"The topic of the sink record is not valid. Expected {expected}")


def _millis(times: pa.ChunkedArray) -> list[int | None]:
    found: list[int | None] = (
        times.cast(pa.timestamp("ms", times.type.tz), safe=False).cast(pa.int64()).to_pylist()
    )
    for time in found:
        if time is not None and time < 0:
            raise DataError(f"Invalid timestamp: {time}. Timestamp should always be non-negative or null.")
    return found


def _headers(entries: list[dict[str, Any]] | None) -> Headers | None:
    """Return the headers of a message, without those that have no key or no value."""
    if entries is None:
        return None
    pairs = ((entry[KEY], entry[VALUE]) for entry in entries)
    return [(key, value) for key, value in pairs if key is not None and value is not None]
