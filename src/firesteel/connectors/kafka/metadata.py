"""Metadata columns of Kafka messages.

Flink: KafkaDynamicSource.ReadableMetadata, KafkaDynamicSink.WritableMetadata.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from firesteel.catalog.schema import Table
from firesteel.connectors.kafka.messages import Messages
from firesteel.errors import DataError, NotSupportedError, ValidationError
from firesteel.formats.base import Format, Indices
from firesteel.formats.metadata.message_metadata import metadata_of
from firesteel.runtime.spec.tables import SinkSpec
from firesteel.types.arrow import to_arrow
from firesteel.types.sql import BIGINT, BYTES, INT, STRING, SqlType, TypeRoot, map_of, timestamp_ltz

_KEYS: dict[str, SqlType] = {
    "topic": STRING.with_nullable(False),
    "partition": INT.with_nullable(False),
    "headers": map_of(STRING, BYTES).with_nullable(False),
    "leader-epoch": INT,
    "offset": BIGINT.with_nullable(False),
    "timestamp": timestamp_ltz(3).with_nullable(False),
    "timestamp-type": STRING.with_nullable(False),
}
"""Type of each metadata key that can be read."""
VALUE_PREFIX = "value."
"""Prefix of the metadata keys of the value's format."""
SINK_CLASS = "org.apache.flink.streaming.connectors.kafka.table.KafkaDynamicSink"
_WRITTEN = ("topic", "headers", "timestamp")


def read_keys(value: Format) -> tuple[tuple[str, SqlType], ...]:
    """Return the metadata keys that can be read, with their types.

    `value` is the format of the messages' values.
    """
    of_value = ((VALUE_PREFIX + key, each.type) for key, each in metadata_of(value).items())
    return *of_value, *_KEYS.items()


def check_metadata(table: Table, value: Format) -> None:
    """Check the keys of metadata columns.

    Raises:
        ValidationError: A key does not exist.
    """
    known = dict(read_keys(value))
    for column in table.columns:
        if column.metadata is not None and column.metadata not in known:
            listed = "\n".join(known)
            raise ValidationError(
                f"Invalid metadata key '{column.metadata}' in column '{column.name}' of table "
                f"'{'.'.join(table.path)}'. The DynamicTableSource class "
                "'org.apache.flink.streaming.connectors.kafka.table.KafkaDynamicSource' supports the "
                f"following metadata keys for reading:\n{listed}"
            )


def is_of_value(key: str) -> bool:
    """Return whether a metadata key belongs to the value's format."""
    return key.startswith(VALUE_PREFIX)


def written_keys(topics: tuple[str, ...]) -> tuple[str, ...]:
    """Return the metadata keys that a sink can write. `topic` is left out if there is only one topic."""
    return _WRITTEN[1:] if len(topics) == 1 else _WRITTEN


def check_written(spec: SinkSpec) -> None:
    """Check the types of metadata columns that a sink writes.

    Raises:
        NotSupportedError: A column with the metadata key `timestamp` is no TIMESTAMP_LTZ.
    """
    for name, kind, key in zip(
        spec.names, spec.types, spec.metadata or (None,) * len(spec.names), strict=True
    ):
        if key == "timestamp" and kind.root is not TypeRoot.TIMESTAMP_LTZ:
            raise NotSupportedError(
                f"Metadata 'timestamp' cannot be written from {kind} in column '{name}' of {spec.table}.",
                hint="declare the column as TIMESTAMP_LTZ(3)",
            )


def metadata_column(key: str, kind: SqlType, messages: Messages) -> pa.Array:
    """Return the values of a metadata key of Kafka, one for each message.

    Args:
        key: A key such as `offset`. Keys of the value's format, which begin with `value.`, are not allowed.
        kind: Type of the column, to which the values are converted.
        messages: The messages.

    Raises:
        DataError: A time is outside the range of 64-bit microseconds.
    """
    if key == "topic":
        made = pa.repeat(messages.topic, len(messages))
    elif key == "partition":
        made = pa.repeat(pa.scalar(messages.partition, pa.int32()), len(messages))
    else:
        made = messages.columns[key]
    return in_type(made, kind, messages, np.arange(len(messages)))


def in_type(made: pa.Array, kind: SqlType, messages: Messages, at: Indices) -> pa.Array:
    """Return the values of a metadata key, converted to the type of their column.

    Args:
        made: The key's values, one for each row.
        kind: The column's type.
        messages: The messages from which the rows were decoded. A message may have several rows.
        at: For each row, the index of its message in `messages`. Errors need it to name the message.

    Raises:
        DataError: A time is outside the range of 64-bit microseconds. The error names the message's offset.
    """
    target = to_arrow(kind)
    try:
        return made.cast(target)
    except pa.ArrowInvalid as error:
        for row in range(len(made)):
            try:
                made.slice(row, 1).cast(target)
            except pa.ArrowInvalid:
                raise DataError(
                    f"{messages.place(int(at[row]))}: the metadata cannot be a {kind}: {error}",
                    hint="a TIMESTAMP is within the years -290308 to 294247",
                ) from None
        raise
