"""Decoding of Kafka messages to changes (class Rows), with metadata of the messages as columns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from firesteel.changelog import KIND, SEQUENCE, RowKind, field
from firesteel.connectors.dead_letters import DeadLetter, DeadLetters, decode_around
from firesteel.connectors.kafka.error_options import (
    KEY_STAGE,
    VALUE_STAGE,
    error_headers,
    error_options,
)
from firesteel.connectors.kafka.messages import (
    MESSAGE_KEY,
    OF_MESSAGES,
    OFFSET,
    TIMESTAMP,
    Messages,
    of_letters,
)
from firesteel.connectors.kafka.metadata import VALUE_PREFIX, in_type, is_of_value, metadata_column
from firesteel.connectors.kafka.offsets import channel
from firesteel.connectors.kafka.options import Part, key_of, value_of
from firesteel.connectors.replay import DecodedMessages, RawMessage, check_inserts
from firesteel.errors import DataError, FiresteelError, InternalError, NotSupportedError, UsageError
from firesteel.formats.base import Decoder, Fields, Indices, MessageError
from firesteel.formats.messages.skip_causes import INVALID_VALUE
from firesteel.formats.metadata.metadata_reader import MetadataReader
from firesteel.formats.skip_hint import skip_hint
from firesteel.runtime.dataflow.sequence import row_sequences
from firesteel.runtime.spec.tables import ScanSpec
from firesteel.types.value_parts import WHOLE


@dataclass(frozen=True)
class _Decoding:
    """Decoder of the keys or the values of messages."""

    decoder: Decoder
    """Decodes the keys, or the values, to changes."""
    places: dict[str, int]
    """Position of each column of the key or value in the decoder's output, by the column's name."""
    hint: Callable[[MessageError], str | None]
    """Returns what the user can do about a message that cannot be decoded, None if nothing is known."""
    format: str
    """Name of the format."""


class Rows:
    """Decoder of the messages of one split.

    Args:
        scan: The scan.
        options: Options of the connector kafka.
        upsert: Whether a message without a value deletes the row of its key.
        dead_letters: Collector of bad messages; None if the first of them raises an error.
    """

    def __init__(
        self,
        scan: ScanSpec,
        options: dict[str, str],
        upsert: bool = False,
        dead_letters: DeadLetters | None = None,
    ) -> None:
        self._dead_letters = dead_letters
        self._scan = scan
        self._upsert = upsert
        self._metadata = dict(zip(scan.names, scan.metadata, strict=True)) if scan.metadata else {}
        self._types = dict(zip(scan.names, scan.types, strict=True))
        physical = tuple(name for name in scan.names if self._metadata.get(name) is None)
        self._wanted = [scan.names[position] for position in scan.projection]
        self._parts = dict(zip(self._wanted, scan.parts, strict=False))
        of_value = "" if "format" in options else "value."
        self._value = self._decoding(value_of(options, physical), of_value, taken=())
        self._of_value = self._metadata_reader(value_of(options, physical))
        self._left_out = 0
        self._errors = error_options(options)
        self._noted: set[str] = set()
        key, taken = key_of(options, physical), () if upsert else tuple(self._value.places)
        self._key = None if key is None else self._decoding(key, "key.", taken)

    def _metadata_reader(self, part: Part) -> MetadataReader | None:
        keys = [key for name in self._wanted if (key := self._metadata.get(name)) and is_of_value(key)]
        if not keys:
            return None
        wanted = dict.fromkeys(key.removeprefix(VALUE_PREFIX) for key in keys)
        return MetadataReader(part.format, tuple(wanted), dict(part.options))

    @property
    def skipped(self) -> Counter[str]:
        """Number of messages skipped so far because of `ignore-parse-errors`, by cause."""
        return self._value.decoder.causes + Counter({INVALID_VALUE: self._left_out})

    @property
    def needs(self) -> frozenset[str]:
        """Columns of messages that are needed in addition to value and offset (messages.py)."""
        of_metadata = OF_MESSAGES.intersection(self._metadata.get(name) or "" for name in self._wanted)
        has_key = self._key is not None or (self._dead_letters is not None and self._errors.topic != "")
        return of_metadata | {MESSAGE_KEY} if has_key else of_metadata

    def _decoding(self, part: Part, prefix: str, taken: tuple[str, ...]) -> _Decoding:
        """Return the decoder of the key or the value, for those of its columns that the query reads.

        Args:
            part: The key or the value.
            prefix: Prefix of the options of its format.
            taken: Columns that are not decoded from this part. For the key, these are the columns that the
                value has, too. For the value, there are none.
        """
        names = [name for name in self._wanted if name in part.columns and name not in taken]
        fields = Fields(
            tuple(name.removeprefix(part.prefix) for name in names),
            tuple(self._types[name] for name in names),
            tuple(name.removeprefix(part.prefix) for name in part.columns),
            tuple(self._types[name] for name in part.columns),
            tuple(self._parts.get(name, WHOLE) for name in names),
        )
        decoder = part.format.decoder(fields, dict(part.options))
        places = {name: place for place, name in enumerate(names)}
        hint = partial(skip_hint, part.format, prefix)
        return _Decoding(decoder, places, hint, part.format.name)

    def table(self, messages: Messages, split: int, first: int) -> pa.Table:
        """Return the changes in messages.

        Args:
            messages: The messages.
            split: Number of the split. Together with `first`, it gives the sequences of the changes.
            first: Number of changes that earlier calls returned for the same split.

        Raises:
            DataError: A message is bad. The error names topic, partition and offset.
        """
        self._noted.clear()
        values, at = self._decoded(self._value, messages, messages.values)
        if self._upsert:
            values, at = _with_tombstones(values, at, messages.values)
        values, at, said = self._said(messages, values, at)
        keys = None
        if self._key is not None:
            keys, of_keys = self._decoded(self._key, messages, messages.keys)
            rows, key_rows = _pairs(at, of_keys, len(messages))
            values, keys, at = values.take(rows), keys.take(key_rows), at[rows]
            said = {key: made.take(pa.array(rows)) for key, made in said.items()}
        columns = [values[KIND], row_sequences(split, first, values.num_rows)]
        for name in self._wanted:
            made = self._column(name, values, keys)
            if made is None:
                key, kind = self._metadata[name], self._types[name]
                assert key is not None
                if is_of_value(key):
                    made = in_type(said[key.removeprefix(VALUE_PREFIX)], kind, messages, at)
                else:
                    made = metadata_column(key, kind, messages).take(pa.array(at))
            columns.append(made)
        names = [KIND, SEQUENCE, *(field(index) for index in range(len(self._wanted)))]
        return pa.Table.from_arrays(columns, names=names)

    def _column(self, name: str, values: pa.Table, keys: pa.Table | None) -> pa.ChunkedArray | None:
        """Return a column of the value or key, or None for a metadata column.

        If both have the column, the value's is taken, except for deletes, which have a key only.
        """
        place = self._value.places.get(name)
        key_place = None if self._key is None else self._key.places.get(name)
        if keys is None or key_place is None:
            return None if place is None else values[field(place)]
        if place is None:
            return keys[field(key_place)]
        deleted = pc.equal(values[KIND], int(RowKind.DELETE))
        return pc.if_else(deleted, keys[field(key_place)], values[field(place)])

    def _decoded(
        self, decoding: _Decoding, messages: Messages, data: pa.BinaryArray
    ) -> tuple[pa.Table, Indices]:
        try:
            if self._dead_letters is None:
                return decoding.decoder.decode(data)
            changes, at, errors = decode_around(decoding.decoder, data)
            for error in errors:
                self._set_aside(messages, error, KEY_STAGE if decoding is self._key else VALUE_STAGE)
            return changes, at
        except MessageError as error:
            raise _bad_message(messages, error, decoding) from None
        except (FiresteelError, MemoryError):
            raise
        except Exception as error:
            last = messages.offset(len(messages) - 1)
            raise InternalError(
                f"{messages.place(0)} to {last}: cannot be read: {type(error).__name__}: {error}"
            ) from error

    def _set_aside(self, messages: Messages, error: MessageError, stage: str = VALUE_STAGE) -> None:
        """Add a bad message to the dead letters. Add it only once if both its key and its value are bad."""
        assert self._dead_letters is not None
        place = messages.place(error.index)
        if place not in self._noted:
            self._noted.add(place)
            self._dead_letters.add(self._letter(messages, error, stage))

    def _letter(self, messages: Messages, error: MessageError, stage: str) -> DeadLetter:
        """Return a bad message as a dead letter."""
        raw = messages.values[error.index].as_py()
        letter = DeadLetter(
            messages.place(error.index),
            error.text,
            raw,
            cause=error.cause,
            key=messages.key(error.index),
            time=messages.time(error.index),
        )
        if not (self._errors.topic and self._errors.context):
            return letter
        place = messages.topic, messages.partition, messages.offset(error.index)
        decoding = self._key if stage == KEY_STAGE and self._key is not None else self._value
        headers = error_headers(
            place, self._scan.table, stage, decoding.format, letter.error_class, letter.text
        )
        return replace(letter, headers=headers)

    def _said(
        self, messages: Messages, values: pa.Table, at: Indices
    ) -> tuple[pa.Table, Indices, dict[str, pa.Array]]:
        """Read the metadata that a format stores in the message's value, such as Debezium's source timestamp.

        A message with invalid metadata is skipped or becomes a dead letter, as the options say.

        Args:
            messages: The messages.
            values: Rows of the messages' values.
            at: Index of each row's message.

        Returns:
            The rows of messages with valid metadata; the index of each row's message; and the metadata, one
            column by key (without `value.`), with one value for each of these rows.

        Raises:
            DataError: Metadata is invalid, and messages are neither skipped nor dead letters.
        """
        if self._of_value is None:
            return values, at, {}
        used, places = np.unique(at, return_inverse=True)
        try:
            said = self._of_value.read(messages.values.take(pa.array(used)))
        except MessageError as error:
            whole = error.at(int(used[error.index]))
            if self._dead_letters is not None:
                self._set_aside(messages, whole)
                others = at != whole.index
                return self._said(messages, values.filter(pa.array(others)), at[others])
            raise _bad_message(messages, whole, self._value) from None
        kept = ~said.bad[places]
        if not kept.all():
            self._left_out += int(said.bad.sum())
            values, at, places = values.filter(pa.array(kept)), at[kept], places[kept]
        taken = pa.array(places)
        return values, at, {key: column.take(taken) for key, column in said.columns.items()}


def _bad_message(messages: Messages, error: MessageError, decoding: _Decoding) -> DataError:
    return DataError(f"{messages.place(error.index)}: {error.text}", hint=decoding.hint(error))


def _with_tombstones(values: pa.Table, at: Indices, messages: pa.BinaryArray) -> tuple[pa.Table, Indices]:
    """Return the rows as upserts, and a -D for each message without a value, in the order of the messages.

    Args:
        values: Rows of the messages' values.
        at: Index of each row's message.
        messages: The messages' values, NULL for a tombstone.

    Returns:
        The changes, and the index of each change's message. The fields of a -D are NULL.
    """
    deletes = np.flatnonzero(messages.is_null().to_numpy(zero_copy_only=False))
    given = ~np.isin(at, deletes)  # Drop rows of tombstones: raw decodes NULL as a row.
    values, at = values.filter(pa.array(given)), at[given]
    places = np.concatenate([at, deletes])
    order = np.argsort(places, kind="stable")
    is_delete = order >= len(at)
    rows = values.take(pa.array(order, mask=is_delete))
    kinds = np.where(is_delete, int(RowKind.DELETE), int(RowKind.UPDATE_AFTER)).astype(np.int8)
    return rows.set_column(rows.column_names.index(KIND), KIND, pa.array(kinds)), places[order]


def _pairs(values: Indices, keys: Indices, messages: int) -> tuple[Indices, Indices]:
    """Combine each row of a message's value with each row of the same message's key.

    Args:
        values: For each row of a value, the index of its message, ascending.
        keys: For each row of a key, the index of its message, ascending.
        messages: Number of messages.

    Returns:
        For each combination, the position of the row in `values`, and the position of the row in `keys`.

    Example:
        values=[0, 0, 1], keys=[0, 1, 1], messages=2 -> [0, 1, 2, 2], [0, 0, 1, 2]
    """
    counts = np.bincount(keys, minlength=messages)
    times = counts[values]
    rows = np.repeat(np.arange(len(values)), times)
    nth = np.arange(len(rows)) - np.repeat(np.cumsum(times) - times, times)
    return rows, (np.cumsum(counts) - counts)[values[rows]] + nth


_KEPT_BY_LETTERS = {MESSAGE_KEY, OFFSET, TIMESTAMP}
"""Parts of a message that a dead-letter table can store in addition to the value (names: messages.py)."""


def decode_again(
    scan: ScanSpec, options: dict[str, str], upsert: bool, messages: Sequence[RawMessage]
) -> DecodedMessages:
    """Decode messages that were dead letters (see ReplayableSource.decode).

    With `upsert`, a message without a value deletes the row of its key.
    """
    letters = DeadLetters()
    rows = Rows(scan, options, upsert, letters)
    _check_replayable(scan, options, upsert, rows.needs)
    if TIMESTAMP in rows.needs and any(message.time is None for message in messages):
        raise _lacks(scan.table, "message_time", "times")
    if MESSAGE_KEY in rows.needs and all(message.key is None for message in messages):
        raise _lacks(scan.table, "raw_key", "keys")
    found: dict[int, pa.Table] = {}
    for own in of_letters(messages):
        changes = rows.table(own, 0, 0)
        if changes.num_rows:
            found[channel(own.topic, own.partition)] = changes.drop_columns([SEQUENCE])
    return DecodedMessages(found, {letter.position: letter.text for letter in letters.take()})


def _check_replayable(scan: ScanSpec, options: dict[str, str], upsert: bool, needs: frozenset[str]) -> None:
    """Check that dead letters of a table can be decoded again into the rows that a query reads.

    Args:
        scan: The query's scan of the table.
        options: Options of the table.
        upsert: Whether messages replace the row of their key.
        needs: Parts of a message from which the rows are made, such as its key (names: messages.py).

    Raises:
        NotSupportedError: A message may be an update or a delete, or `needs` has a part of a message that a
            dead-letter table cannot store.
    """
    metadata = scan.metadata or (None,) * len(scan.names)
    physical = tuple(name for name, key in zip(scan.names, metadata, strict=True) if key is None)
    check_inserts(scan.table, value_of(options, physical).format.changelog_mode, upserts=upsert)
    missing = sorted(needs - _KEPT_BY_LETTERS)
    if missing:
        raise NotSupportedError(
            f"Messages of '{scan.table}' cannot be replayed: a dead-letter table does not keep their "
            f"metadata '{missing[0]}', which the query reads"
        )


def _lacks(table: str, column: str, what: str) -> UsageError:
    return UsageError(
        f"messages of '{table}' cannot be replayed: the query reads their {what}, and the dead-letter table "
        f"has none of them in a column '{column}'",
        hint=f"give the dead-letter table the column '{column}' before the job runs",
    )
