"""Messages to changes: the value and the key decoded by their formats, metadata added."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from firesteel.connectors.kafka.metadata import metadata_column
from firesteel.connectors.kafka.options import Part, key_of, value_of
from firesteel.connectors.kafka.reader import Messages
from firesteel.errors import DataError
from firesteel.formats.base import Decoder, Fields, Indices, MessageError
from firesteel.runtime.orders import row_orders
from firesteel.runtime.spec import KIND, ORDER, ScanSpec, field


@dataclass(frozen=True)
class _Decoding:
    """places: of each column that the part gives, by its name, among the decoder's."""

    decoder: Decoder
    places: dict[str, int]


class Rows:
    """Decodes the messages of one split."""

    def __init__(self, scan: ScanSpec) -> None:
        self._scan = scan
        self._metadata = dict(zip(scan.names, scan.metadata, strict=True)) if scan.metadata else {}
        self._types = dict(zip(scan.names, scan.types, strict=True))
        physical = tuple(name for name in scan.names if self._metadata.get(name) is None)
        self._wanted = [scan.names[position] for position in scan.projection]
        options = dict(scan.options)
        self._value = self._decoding(value_of(options, physical), taken=())
        key = key_of(options, physical)
        self._key = None if key is None else self._decoding(key, taken=tuple(self._value.places))

    @property
    def skipped(self) -> int:
        """Messages left out so far because of `ignore-parse-errors`."""
        return self._value.decoder.skipped

    def _decoding(self, part: Part, taken: tuple[str, ...]) -> _Decoding:
        """taken: the columns that the value gives, where the key has them, too."""
        names = [name for name in self._wanted if name in part.columns and name not in taken]
        fields = Fields(
            tuple(name.removeprefix(part.prefix) for name in names),
            tuple(self._types[name] for name in names),
            tuple(name.removeprefix(part.prefix) for name in part.columns),
            tuple(self._types[name] for name in part.columns),
        )
        decoder = part.format.decoder(fields, dict(part.options))
        return _Decoding(decoder, {name: place for place, name in enumerate(names)})

    def table(self, messages: Messages, split: int, first: int) -> pa.Table:
        """The changes of the messages. split, first: the split's number, and how many changes it has given.

        Raises DataError with topic, partition and offset of a bad message.
        """
        records = messages.records
        values, at = self._decoded(self._value, messages, [record.value() for record in records])
        keys = None
        if self._key is not None:
            keys, of_keys = self._decoded(self._key, messages, [record.key() for record in records])
            rows, key_rows = _pairs(at, of_keys, len(records))
            values, keys, at = values.take(rows), keys.take(key_rows), at[rows]
        columns = [values[KIND], row_orders(split, first, values.num_rows)]
        for name in self._wanted:
            if name in self._value.places:
                columns.append(values[field(self._value.places[name])])
            elif keys is not None and self._key is not None and name in self._key.places:
                columns.append(keys[field(self._key.places[name])])
            else:
                key = self._metadata[name]
                assert key is not None
                made = metadata_column(key, self._types[name], messages, self._scan.time_zone)
                columns.append(made.take(pa.array(at)))
        names = [KIND, ORDER, *(field(index) for index in range(len(self._wanted)))]
        return pa.Table.from_arrays(columns, names=names)

    def _decoded(
        self, decoding: _Decoding, messages: Messages, data: list[bytes | None]
    ) -> tuple[pa.Table, Indices]:
        try:
            return decoding.decoder.decode(pa.array(data, pa.binary()))
        except MessageError as error:
            offset = messages.records[error.index].offset()
            raise DataError(
                f"topic {messages.topic}, partition {messages.partition}, offset {offset}: {error.text}"
            ) from None


def _pairs(values: Indices, keys: Indices, messages: int) -> tuple[Indices, Indices]:
    """Each row of a message's value with each of its key's: the rows of both. values, keys: the message of
    each row, ascending."""
    counts = np.bincount(keys, minlength=messages)
    times = counts[values]
    rows = np.repeat(np.arange(len(values)), times)
    nth = np.arange(len(rows)) - np.repeat(np.cumsum(times) - times, times)
    return rows, (np.cumsum(counts) - counts)[values[rows]] + nth
