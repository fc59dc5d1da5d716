"""Metadata columns of Kafka messages. Flink: KafkaDynamicSource.ReadableMetadata,
KafkaDynamicSink.WritableMetadata."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from firesteel.catalog.schema import Table
from firesteel.connectors.kafka.messages import HEADERS, Messages
from firesteel.errors import DataError, NotSupportedError, ValidationError
from firesteel.formats.base import Format
from firesteel.formats.message_metadata import metadata_of
from firesteel.runtime.spec import SinkSpec
from firesteel.types.arrow import to_arrow
from firesteel.types.sql import SqlType, TypeRoot

_INTEGERS = (TypeRoot.INTEGER, TypeRoot.BIGINT)
_TEXTS = (TypeRoot.VARCHAR,)
_TIMES = (TypeRoot.TIMESTAMP, TypeRoot.TIMESTAMP_LTZ)

_KEYS: dict[str, tuple[TypeRoot, ...]] = {
    "topic": _TEXTS,
    "partition": _INTEGERS,
    "headers": (TypeRoot.MAP,),
    "leader-epoch": _INTEGERS,
    "offset": (TypeRoot.BIGINT,),
    "timestamp": _TIMES,
    "timestamp-type": _TEXTS,
}
"""The types that a column of each key may have."""
VALUE_PREFIX = "value."
"""Of the keys of the value's format."""
SINK_CLASS = "org.apache.flink.streaming.connectors.kafka.table.KafkaDynamicSink"
_WRITTEN = ("topic", "headers", "timestamp")


def check_metadata(table: Table, value: Format) -> None:
    """Raises ValidationError for a key that there is not, NotSupportedError for a type that its column
    cannot have here. value: the format of the messages' values."""
    of_value = metadata_of(value)
    for column in table.columns:
        key = column.metadata
        if key is None:
            continue
        if key not in _KEYS and key.removeprefix(VALUE_PREFIX) not in (of_value if is_of_value(key) else ()):
            listed = "\n".join([*(VALUE_PREFIX + each for each in of_value), *_KEYS])
            raise ValidationError(
                f"Invalid metadata key '{key}' in column '{column.name}' of table '{'.'.join(table.path)}'. "
                "The DynamicTableSource class "
                "'org.apache.flink.streaming.connectors.kafka.table.KafkaDynamicSource' supports the "
                f"following metadata keys for reading:\n{listed}"
            )
        if is_of_value(key):
            own = of_value[key.removeprefix(VALUE_PREFIX)].type
            fits = _takes(column.type, own)
        else:
            fits = column.type.root in _KEYS[key] and _holds(key, column.type)
        if not fits:
            raise NotSupportedError(
                f"Metadata '{key}' cannot be read as {column.type} in column '{column.name}'.",
                hint="declare the column with the key's own type and cast it in the query",
            )


def is_of_value(key: str) -> bool:
    """Whether a key is one of the value's format."""
    return key.startswith(VALUE_PREFIX)


def _takes(kind: SqlType, own: SqlType) -> bool:
    """Whether a column of a type holds what a format's key of its own type gives."""
    if own.root is TypeRoot.TIMESTAMP_LTZ:
        return kind.root in _TIMES and (kind.precision or 0) >= (own.precision or 0)
    if own.root is TypeRoot.VARCHAR:
        return kind.root is TypeRoot.VARCHAR and kind.length == own.length
    return bool(to_arrow(kind) == to_arrow(own))


def written_keys(topics: tuple[str, ...]) -> tuple[str, ...]:
    """What a sink writes; the topic where there is not only one."""
    return _WRITTEN[1:] if len(topics) == 1 else _WRITTEN


def check_written(spec: SinkSpec) -> None:
    """Raises NotSupportedError for a timestamp that is not an instant."""
    for name, kind, key in zip(
        spec.names, spec.types, spec.metadata or (None,) * len(spec.names), strict=True
    ):
        if key == "timestamp" and kind.root is not TypeRoot.TIMESTAMP_LTZ:
            raise NotSupportedError(
                f"Metadata 'timestamp' cannot be written from {kind} in column '{name}' of {spec.table}.",
                hint="declare the column as TIMESTAMP_LTZ(3)",
            )


def _holds(key: str, kind: SqlType) -> bool:
    if key == "headers":
        return bool(to_arrow(kind) == HEADERS)
    return key != "timestamp" or (kind.precision or 0) >= 3


def metadata_column(key: str, kind: SqlType, messages: Messages, zone: str) -> pa.Array:
    """The values of a key of Kafka's, one a message."""
    if key == "topic":
        made = pa.repeat(messages.topic, len(messages))
    elif key == "partition":
        made = pa.repeat(pa.scalar(messages.partition, pa.int32()), len(messages))
    else:
        made = messages.columns[key]
    return in_type(made, kind, zone)


def in_type(made: pa.Array, kind: SqlType, zone: str) -> pa.Array:
    """Values of a key in the type of their column; a time for a TIMESTAMP is that of clocks in the zone.
    Raises DataError for a time that microseconds do not reach."""
    try:
        if kind.root is TypeRoot.TIMESTAMP:
            made = pc.local_timestamp(made.cast(pa.timestamp(made.type.unit, tz=zone)))
        return made.cast(to_arrow(kind))
    except pa.ArrowInvalid:
        raise DataError(
            "a message's time is not within the years -290308 to 294247, as every TIMESTAMP"
        ) from None
