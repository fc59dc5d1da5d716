"""Options of a Kafka table for messages that cannot be read, named as in Kafka Connect.

Kafka Connect: ConnectorConfig, SinkConnectorConfig, DeadLetterQueueReporter.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from firesteel.config.option import Kind, Option, TypedOptions
from firesteel.connectors.dead_letters import HEADERS, RAW_KEY
from firesteel.connectors.kafka.properties import PREFIX
from firesteel.connectors.kafka.sink_options import EXACTLY_ONCE
from firesteel.errors import ValidationError
from firesteel.functions.java.regular_expressions import parsed
from firesteel.runtime.spec.tables import ScanSpec, SinkSpec
from firesteel.types.sql import BYTES, STRING, map_of

NONE, ALL = "none", "all"
TOLERANCE, TOPIC, CONTEXT = (
    "errors.tolerance",
    "errors.deadletterqueue.topic.name",
    "errors.deadletterqueue.context.headers.enable",
)
ERROR_OPTIONS = (
    Option(
        TOLERANCE,
        Kind.ENUM,
        None,
        "What a message that cannot be read does: none ends the job, all leaves the message out.",
        (NONE, ALL),
    ),
    Option(TOPIC, Kind.STRING, None, "The topic that gets such messages with errors.tolerance = all."),
    Option(CONTEXT, Kind.BOOLEAN, "false", "Whether such messages get headers that describe the error."),
)
_PREFIX = "firesteel-dead-letters"
"""Prefix of the transactional IDs for the topics of dead letters."""
_HEADER = "__connect.errors."
KEY_STAGE, VALUE_STAGE = "KEY_CONVERTER", "VALUE_CONVERTER"
"""Kafka Connect's names for the part of a message that cannot be read."""
_OF_READERS = ("group.id", "isolation.level", "auto.offset.reset")
"""Properties that only a consumer has."""


@dataclass(frozen=True)
class ErrorOptions:
    """Checked options of a table for messages that cannot be read.

    Attributes:
        tolerance: NONE ends the job at such a message, ALL goes on. None if the table does not set the
            option: then the options of the job decide.
        topic: Topic that gets a copy of these messages, "" for none.
        context: Whether the copies get headers that describe the error.
    """

    tolerance: str | None
    topic: str
    context: bool


def error_options(options: Mapping[str, str]) -> ErrorOptions:
    """Return the checked options of a table.

    Raises:
        ValidationError: An option has an invalid value, or the topic for messages that cannot be read is a
            topic that the table itself reads.
    """
    typed = TypedOptions(ERROR_OPTIONS, options)
    tolerance: str | None = typed[TOLERANCE]
    topic = (typed[TOPIC] or "").strip() if tolerance == ALL else ""
    if topic and _is_read(topic, options):
        raise ValidationError(
            f"The table reads the topic '{topic}' itself: a message that cannot be read would come back for "
            "ever.",
            hint="name another topic",
            option=TOPIC,
        )
    return ErrorOptions(tolerance, topic, typed[CONTEXT])


def _is_read(topic: str, options: Mapping[str, str]) -> bool:
    """Return whether `topic` is one of the topics that a table with these options reads."""
    if "topic-pattern" in options:
        return parsed(options["topic-pattern"]).fullmatch(topic) is not None
    return topic in [each.strip() for each in options.get("topic", "").split(";")]


def error_topic_sink(scan: ScanSpec) -> SinkSpec | None:
    """Return the sink of a table's topic of dead letters, None if the table names no topic."""
    options = dict(scan.options)
    found = error_options(options)
    if not found.topic:
        return None
    own = {key: value for key, value in options.items() if key.startswith(PREFIX)}
    own = {key: value for key, value in own.items() if key.removeprefix(PREFIX) not in _OF_READERS}
    made = {
        "connector": "kafka",
        "topic": found.topic,
        **own,
        "key.format": "raw",
        "key.fields": RAW_KEY,
        "value.format": "raw",
        "value.fields-include": "EXCEPT_KEY",
        "sink.delivery-guarantee": EXACTLY_ONCE,
        "sink.transactional-id-prefix": _PREFIX,
    }
    return SinkSpec(
        connector="kafka",
        options=tuple(made.items()),
        names=(RAW_KEY, "raw_bytes", HEADERS),
        types=(BYTES, BYTES, map_of(STRING, BYTES)),
        table=found.topic,
        metadata=(None, None, "headers"),
        takes_dead_letters=True,
        dead_letter_source=scan.table,
    )


def error_headers(
    place: tuple[str, int, int], table: str, stage: str, of: str, error_class: str, text: str
) -> tuple[tuple[str, bytes], ...]:
    """Return the headers of a message in a topic of dead letters, with Kafka Connect's names.

    Args:
        place: Topic, partition and offset of the message.
        table: Path of the table that reads the message. The header `connector.name` gets it.
        stage: KEY_STAGE if the message's key is bad, VALUE_STAGE if its value is.
        of: Name of the format of the bad key or value.
        error_class: Class of the error.
        text: Message of the error.
    """
    topic, partition, offset = place
    values = {
        "topic": topic,
        "partition": partition,
        "offset": offset,
        "connector.name": table,
        "stage": stage,
        "class.name": of,
        "exception.class.name": error_class,
        "exception.message": text,
    }
    return tuple((f"{_HEADER}{name}", str(value).encode()) for name, value in values.items())
