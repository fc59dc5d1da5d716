"""Metadata keys of the CDC formats' messages: database, table, times and others.

Each key is a member of the message's object. Flink: ReadableMetadata of CanalJsonDecodingFormat,
DebeziumJsonDecodingFormat, MaxwellJsonDecodingFormat and OggJsonDecodingFormat.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from firesteel.errors import JobError
from firesteel.formats.base import Flags, Format
from firesteel.formats.json.batch_values import flags
from firesteel.formats.messages.text_values import integer
from firesteel.functions.duckdb.library.dates import instant_by
from firesteel.functions.duckdb.library.parsing import timestamp
from firesteel.types.arrow_maps import as_maps
from firesteel.types.sql import BIGINT, INT, STRING, SqlType, array, map_of, timestamp_ltz

_STRINGS = array(STRING)
_SOURCE = map_of(STRING, STRING)
_MILLIS, _MICROS = pa.timestamp("ms", tz="UTC"), pa.timestamp("us", tz="UTC")
_MOST_MILLIS = (1 << 63) // 1000 - 1
_MONTH_AND_DAY = "((0[1-9]|1[0-2])-(0[1-9]|1[0-9]|2[0-8])|(0[13-9]|1[0-2])-(29|30)|(0[13578]|1[02])-31)"
_CLOCK = "([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9][.][0-9]{{6}}"
_PLAIN_TIME = f"^[1-9][0-9]{{{{3}}}}-{_MONTH_AND_DAY}{{}}{_CLOCK}$"
"""Pattern of times with a fraction of six digits. `str.format` inserts the character between day and time."""
_PLAIN_NUMBER = "^-?[0-9]{1,18}$"


@dataclass(frozen=True)
class KeyValues:
    """Values of a metadata key.

    Attributes:
        values: One value for each message.
        bad: Errors for messages without a valid value, by message index.
    """

    values: pa.Array
    bad: Mapping[int, str]

    def fitting(self) -> KeyValues:
        """Return the values, with an error in `bad` for each time that 64-bit microseconds cannot hold."""
        if self.values.type != _MILLIS:
            return self
        millis = self.values.cast(pa.int64()).fill_null(0).to_numpy()
        beyond = np.flatnonzero((millis > _MOST_MILLIS) | (millis < -_MOST_MILLIS))
        if not len(beyond):
            return self
        reasons = {
            at: f"A time of {millis[at]} milliseconds is not within the years -290308 to 294247."
            for at in beyond.tolist()
        }
        mask = np.zeros(len(millis), bool)
        mask[beyond] = True
        kept = pc.if_else(pa.array(mask), pa.scalar(None, self.values.type), self.values)
        return KeyValues(kept, {**reasons, **self.bad})


Make = Callable[[pa.Array], KeyValues]


def _as_read(values: pa.Array) -> KeyValues:
    return KeyValues(values, {})


@dataclass(frozen=True)
class MessageKey:
    """Metadata key of a CDC format.

    Attributes:
        type: Type of the key's column.
        member: Member of the message that holds the value.
        read_as: SQL type as which the member is decoded.
        make: Function that converts a column of the type `read_as` to the key's column.
        in_payload: False if the member is not in Debezium's object `payload`, but beside it.
        part: If `make` needs only one entry of a MAP, the key of this entry. None for the whole value.
    """

    type: SqlType
    member: str
    read_as: SqlType
    make: Make = _as_read
    in_payload: bool = True
    part: str | None = None


def metadata_of(found: Format) -> Mapping[str, MessageKey]:
    """Return the metadata keys of a format's messages, by name."""
    return _KEYS.get(found.name, {})


def _of_millis(values: pa.Array) -> KeyValues:
    return _as_read(values.cast(pa.int64()).cast(_MILLIS))


def _of_seconds(values: pa.Array) -> KeyValues:
    return _as_read(pc.multiply(values, 1000).cast(_MILLIS))  # Wraps at 64 bits, as Java's long.


def _of_number(texts: pa.Array) -> KeyValues:
    """Return points in time from texts with the milliseconds since 1970 (Java: Long.parseLong)."""
    return _of_texts(
        texts,
        _PLAIN_NUMBER,
        lambda plain: plain.cast(pa.int64()).cast(_MILLIS),
        lambda text: integer(text, 64),
    )


def _of_time(mark: str, read: Callable[[str], int | None]) -> Make:
    """Return a converter of times in UTC, truncated to milliseconds. Flink: DateTimeUtils.parseTimestampData.

    Args:
        mark: Character between day and time in a usual time, such as `T` (see _PLAIN_TIME).
        read: Converter of all other texts, to microseconds.
    """

    def cut(plain: pa.Array) -> pa.Array:
        # Truncate before the zone is set. Otherwise, Arrow may need a time zone database, even for UTC.
        return pc.floor_temporal(plain.cast(pa.timestamp("us")), unit="millisecond").cast(_MICROS)

    return lambda texts: _of_texts(texts, _PLAIN_TIME.format(mark), cut, read)


def _current_time(text: str) -> int | None:
    return instant_by(text, "yyyy-MM-dd'T'HH:mm:ss.SSSSSS")


def _operation_time(text: str) -> int:
    found: int = timestamp(text, 3, "UTC")
    return found


def _of_texts(
    texts: pa.Array, plain: str, cast: Callable[[pa.Array], pa.Array], read: Callable[[str], int | None]
) -> KeyValues:
    """Convert texts to the values of a key, with an error for each text that is invalid.

    Args:
        texts: The texts.
        plain: Pattern of the usual texts, which are converted as a column.
        cast: Converter of a column of usual texts.
        read: Converter of any other text. It may raise ValueError or JobError.
    """
    is_plain: Flags = flags(pc.match_substring_regex(texts, plain))
    values = cast(pc.if_else(pa.array(is_plain), texts, None))
    bad: dict[int, str] = {}
    others: list[int | None] = []
    others_at = ~is_plain & flags(texts.is_valid())
    for at in np.flatnonzero(others_at).tolist():
        others.append(None)
        try:
            others[-1] = read(texts[at].as_py())
        except (ValueError, JobError) as error:
            bad[at] = str(error)
    if others:
        values = pc.replace_with_mask(values, pa.array(others_at), pa.array(others, values.type))
    return KeyValues(values, bad)


def _of_source(key: str, make: Make = _as_read) -> Make:
    return lambda values: make(pc.map_lookup(as_maps(values), key, "first"))


_TIME, _PRECISE = timestamp_ltz(3), timestamp_ltz(6)

_KEYS: Mapping[str, Mapping[str, MessageKey]] = {
    "canal-json": {
        "database": MessageKey(STRING, "database", STRING),
        "table": MessageKey(STRING, "table", STRING),
        "sql-type": MessageKey(map_of(STRING, INT), "sqlType", map_of(STRING, INT)),
        "pk-names": MessageKey(_STRINGS, "pkNames", _STRINGS),
        "ingestion-timestamp": MessageKey(_TIME, "ts", BIGINT, _of_millis),
        "event-timestamp": MessageKey(_TIME, "es", BIGINT, _of_millis),
    },
    "debezium-json": {
        "schema": MessageKey(STRING, "schema", STRING, in_payload=False),
        "ingestion-timestamp": MessageKey(_TIME, "ts_ms", BIGINT, _of_millis),
        "source.timestamp": MessageKey(
            _TIME, "source", _SOURCE, _of_source("ts_ms", _of_number), part="ts_ms"
        ),
        "source.database": MessageKey(STRING, "source", _SOURCE, _of_source("db"), part="db"),
        "source.schema": MessageKey(STRING, "source", _SOURCE, _of_source("schema"), part="schema"),
        "source.table": MessageKey(STRING, "source", _SOURCE, _of_source("table"), part="table"),
        "source.properties": MessageKey(_SOURCE, "source", _SOURCE),
    },
    "maxwell-json": {
        "database": MessageKey(STRING, "database", STRING),
        "table": MessageKey(STRING, "table", STRING),
        "primary-key-columns": MessageKey(_STRINGS, "primary_key_columns", _STRINGS),
        "ingestion-timestamp": MessageKey(_TIME, "ts", BIGINT, _of_seconds),
    },
    "ogg-json": {
        "table": MessageKey(STRING, "table", STRING),
        "primary-keys": MessageKey(_STRINGS, "primary_keys", _STRINGS),
        "ingestion-timestamp": MessageKey(_PRECISE, "current_ts", STRING, _of_time("T", _current_time)),
        "event-timestamp": MessageKey(_PRECISE, "op_ts", STRING, _of_time(" ", _operation_time)),
    },
}
"""Metadata keys by format and name. Within a format, they have the order that they have in Flink."""
