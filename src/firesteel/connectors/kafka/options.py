"""Options of a Kafka table. Flink: KafkaConnectorOptions, KafkaConnectorOptionsUtil."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from firesteel.catalog.schema import Table
from firesteel.config.option import Kind, Option, invalid
from firesteel.connectors.kafka.error_options import ERROR_OPTIONS, error_options
from firesteel.connectors.kafka.properties import PREFIX, check_properties
from firesteel.connectors.kafka.sink_options import PARTITIONER, SINK_OPTIONS, sink_options
from firesteel.connectors.options import (
    CONNECTOR,
    PARALLELISM,
    VERSION,
    WATERMARKS,
    check_expression,
    check_required,
    check_unknown,
    duration,
    integer,
    keys,
)
from firesteel.errors import ValidationError
from firesteel.formats.base import Format
from firesteel.formats.registry import find_format


def _option(key: str, doc: str, default: str | None = None, *, deciding: bool = False) -> Option:
    return Option(key, Kind.STRING, default, doc, decides_offsets=deciding)


_SCANNERS = "scan.parallelism"
_PARALLELISMS = (_SCANNERS, PARALLELISM.key)
OPTIONS = (
    CONNECTOR,
    _option("topic", "Topics, with `;` between them.", deciding=True),
    _option("topic-pattern", "An expression for names of topics.", deciding=True),
    Option(
        "properties.bootstrap.servers", Kind.STRING, None, "The brokers.", required=True, decides_offsets=True
    ),
    _option("properties.group.id", "The consumer group.", deciding=True),
    _option("properties.#", "A property of Kafka's client.", deciding=True),
    _option("format", "The format of values.", deciding=True),
    _option("value.format", "The format of values.", deciding=True),
    _option(
        "value.fields-include",
        "Whether values have the key's fields: ALL or EXCEPT_KEY.",
        "ALL",
        deciding=True,
    ),
    _option("key.format", "The format of keys.", deciding=True),
    _option("key.fields", "Columns of the key, with `;` between them.", deciding=True),
    _option("key.fields-prefix", "Stands before the names of the key's columns.", "", deciding=True),
    _option("scan.startup.mode", "Where reading begins.", "group-offsets", deciding=True),
    _option("scan.startup.specific-offsets", "partition:0,offset:42;...", deciding=True),
    Option("scan.startup.timestamp-millis", Kind.LONG, None, "Begin with that time.", decides_offsets=True),
    _option("scan.bounded.mode", "Where reading ends.", "unbounded", deciding=True),
    _option("scan.bounded.specific-offsets", "partition:0,offset:42;...", deciding=True),
    Option(
        "scan.bounded.timestamp-millis",
        Kind.LONG,
        None,
        "End with messages of that time.",
        decides_offsets=True,
    ),
    Option(
        "scan.topic-partition-discovery.interval", Kind.DURATION, "5 min", "Look for new partitions so often."
    ),
    _option(_SCANNERS, "Accepted for Flink's scripts; has no effect."),
    *ERROR_OPTIONS,
    *SINK_OPTIONS,
    PARTITIONER,
    PARALLELISM,
    VERSION,
    *WATERMARKS,
)

EARLIEST, LATEST, GROUP = "earliest-offset", "latest-offset", "group-offsets"
TIMESTAMP, SPECIFIC, UNBOUNDED = "timestamp", "specific-offsets", "unbounded"
_MODES = {
    "startup": (EARLIEST, LATEST, GROUP, TIMESTAMP, SPECIFIC),
    "bounded": (UNBOUNDED, LATEST, GROUP, TIMESTAMP, SPECIFIC),
}
ALL, EXCEPT_KEY = "ALL", "EXCEPT_KEY"
_DISCOVERY = 5 * 60_000
_NUMBER = r"[+-]?\d+"


@dataclass(frozen=True)
class Place:
    """Position in each partition at which reading starts or ends.

    Attributes:
        mode: Value of `scan.startup.mode` or `scan.bounded.mode`.
        timestamp: Milliseconds, for the mode `timestamp`.
        offsets: (partition, offset) pairs, for the mode `specific-offsets`.
    """

    mode: str
    timestamp: int = 0
    offsets: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True)
class Part:
    """The key or the value of messages: its format, the format's options, and its columns.

    The names of `columns` begin with `prefix` (`key.fields-prefix`). In messages, the fields have the same
    names without the prefix.
    """

    format: Format
    options: tuple[tuple[str, str], ...]
    columns: tuple[str, ...]
    prefix: str = ""


@dataclass(frozen=True)
class KafkaOptions:
    """Checked options of a source.

    Attributes:
        topics: The listed topics, or () if `pattern` selects the topics.
        pattern: Regular expression of topics, "" for none.
        properties: Properties of the client.
        start: Where reading starts.
        end: Where reading ends, None for never.
        discovery: Milliseconds between searches for new partitions; 0 or less for none.
    """

    topics: tuple[str, ...]
    pattern: str
    properties: tuple[tuple[str, str], ...]
    start: Place
    end: Place | None
    discovery: int


def topics_of(options: Mapping[str, str]) -> tuple[str, ...]:
    """Return the topics that the options list."""
    return tuple(topic.strip() for topic in options.get("topic", "").split(";") if topic.strip())


def read_options(options: Mapping[str, str]) -> KafkaOptions:
    """Return the checked options of a source.

    Raises:
        ValidationError: An option is wrong. The text is Flink's.
    """
    if "topic" in options and "topic-pattern" in options:
        raise ValidationError("Option 'topic' and 'topic-pattern' shouldn't be set together.")
    if "topic" not in options and "topic-pattern" not in options:
        raise ValidationError("Either 'topic' or 'topic-pattern' must be set.")
    pattern = options.get("topic-pattern", "")
    check_expression(options, "topic-pattern")
    start = _place(options, "startup", GROUP)
    end = _place(options, "bounded", UNBOUNDED)
    return KafkaOptions(
        topics_of(options),
        pattern,
        tuple((key.removeprefix(PREFIX), v) for key, v in options.items() if key.startswith(PREFIX)),
        start,
        None if end.mode == UNBOUNDED else end,
        duration(options, "scan.topic-partition-discovery.interval", _DISCOVERY),
    )


def _place(options: Mapping[str, str], name: str, default: str) -> Place:
    key = f"scan.{name}.mode"
    mode = options.get(key, default).lower()
    if mode not in _MODES[name]:
        expected = ", ".join(_MODES[name])
        raise invalid(key, f"Could not parse value '{options[key]}'. Expected one of: [{expected}]")
    needed = {TIMESTAMP: f"scan.{name}.timestamp-millis", SPECIFIC: f"scan.{name}.specific-offsets"}.get(mode)
    if needed is None:
        return Place(mode)
    if needed not in options:
        raise ValidationError(f"'{needed}' is required in '{mode}' {name} mode but missing.")
    if mode == TIMESTAMP:
        return Place(mode, timestamp=integer(options, needed, 0))
    if len(topics_of(options)) != 1:
        raise ValidationError(
            "Currently Kafka source only supports specific offset for single topic.", option=needed
        )
    return Place(mode, offsets=_specific(needed, options[needed]))


def _specific(key: str, text: str) -> tuple[tuple[int, int], ...]:
    pairs = text.rstrip(";").split(";")
    found = [re.fullmatch(rf"partition:({_NUMBER}),offset:({_NUMBER})", pair) for pair in pairs]
    if not all(found):
        raise ValidationError(
            f"Invalid properties '{key}' should follow the format "
            f"'partition:0,offset:42;partition:1,offset:300', but is '{text}'."
        )
    return tuple({int(match[1]): int(match[2]) for match in found if match}.items())


def value_of(options: Mapping[str, str], names: tuple[str, ...]) -> Part:
    """Return the value part of messages. `names` are the table's physical columns.

    Raises:
        ValidationError: An option is wrong. The text is Flink's.
    """
    key = "format" if "format" in options else "value.format"
    if key not in options:
        raise ValidationError("Could not find required scan format 'value.format'.")
    found = find_format(options[key], key)
    include = options.get("value.fields-include", ALL).upper()
    if include not in (ALL, EXCEPT_KEY):
        raise invalid(
            "value.fields-include", f"Could not parse value '{include}'. Expected one of: [ALL, EXCEPT_KEY]"
        )
    if include == ALL and options.get("key.fields-prefix"):
        raise ValidationError(
            "A key prefix is not allowed when option 'value.fields-include' is set to 'ALL'. "
            "Set it to 'EXCEPT_KEY' instead to avoid field overlaps.",
            option="key.fields-prefix",
        )
    part = key_of(options, names)
    keys = part.columns if part is not None and include == EXCEPT_KEY else ()
    of_format = _with_subject(_format_options(options, key, found), found, options, "value")
    return Part(found, of_format, tuple(n for n in names if n not in keys))


def _with_subject(
    of_format: tuple[tuple[str, str], ...], found: Format, options: Mapping[str, str], part: str
) -> tuple[tuple[str, str], ...]:
    """Return the format's options, with a subject for a format that registers schemas.

    The subject is only added if none is set. Flink:
    KafkaConnectorOptionsUtil.autoCompleteSchemaRegistrySubject.
    """
    topics = topics_of(options)
    if "subject" not in [option.key for option in found.options] or len(topics) != 1:
        return of_format
    said = {key.removeprefix("schema-registry.") for key, _ in of_format}
    return of_format if "subject" in said else (*of_format, ("subject", f"{topics[0]}-{part}"))


def key_of(options: Mapping[str, str], names: tuple[str, ...]) -> Part | None:
    """Return the key part of messages, None if the table has no key format.

    Raises:
        ValidationError: An option is wrong. The text is Flink's.
    """
    listed = tuple(each.strip() for each in options.get("key.fields", "").split(";") if each.strip())
    if "key.format" not in options:
        if "key.fields" in options:
            raise ValidationError(
                "The option 'key.fields' can only be declared if a key format is defined using 'key.format'."
            )
        return None
    name = options["key.format"]
    found = find_format(name, "key.format")
    if not found.changelog_mode.is_insert_only:
        raise ValidationError(
            f"A key format should only deal with INSERT-only records. But {name} has a changelog mode of "
            f"{found.changelog_mode}.",
            option="key.format",
        )
    if not listed:
        raise ValidationError(
            "A key format 'key.format' requires the declaration of one or more of key fields using "
            "'key.fields'."
        )
    prefix = options.get("key.fields-prefix", "")
    for column in listed:
        _check_key_field(column, prefix, names)
    return Part(
        found,
        _with_subject(_format_options(options, "key.format", found), found, options, "key"),
        listed,
        prefix,
    )


def _check_key_field(column: str, prefix: str, names: tuple[str, ...]) -> None:
    if column not in names:
        raise ValidationError(
            f"Could not find the field '{column}' in the table schema for usage in the key format. "
            "A key field must be a regular, physical column. The following columns can be selected in the "
            f"'key.fields' option:\n[{', '.join(names)}]"
        )
    if not column.startswith(prefix):
        raise ValidationError(
            f"All fields in 'key.fields' must be prefixed with '{prefix}' when option 'key.fields-prefix' is "
            f"set but field '{column}' is not prefixed."
        )


def _prefix(key: str, found: Format) -> str:
    """Return the prefix of a format's options: `value.json.` if `value.format` (`key`) is json (`found`)."""
    return f"{key.removesuffix('format')}{found.name}."


def _format_options(options: Mapping[str, str], key: str, found: Format) -> tuple[tuple[str, str], ...]:
    prefix = _prefix(key, found)
    return tuple((k.removeprefix(prefix), v) for k, v in options.items() if k.startswith(prefix))


def check_table(table: Table) -> None:
    """Check the options of a table.

    Raises:
        ValidationError: An option is wrong. The text is Flink's.
        NotSupportedError: An option is not supported.
    """
    options = dict(table.options)
    check_required(options, OPTIONS)
    check_parts(table, "kafka", options, OPTIONS)
    value = value_of(options, tuple(column.name for column in table.columns if column.is_physical))
    if table.primary_key and value.format.changelog_mode.is_insert_only:
        raise ValidationError(
            f"The Kafka table '{'.'.join(table.path)}' with '{value.format.name}' format doesn't support "
            "defining PRIMARY KEY constraint on the table, because it can't guarantee the semantic of "
            "primary key."
        )


def check_parts(table: Table, connector: str, options: Mapping[str, str], known: tuple[Option, ...]) -> None:
    """Check the options of key, value, messages that cannot be read, sink and properties.

    Args:
        table: The table.
        connector: Name of the connector.
        options: Options of the table.
        known: Options of the connector.

    Raises:
        ValidationError: An option is wrong, or neither in `known` nor an option of the table's formats.
        NotSupportedError: An option or property is not supported.
    """
    types = {column.name: column.type for column in table.columns if column.is_physical}
    names = tuple(types)
    of_formats: list[str] = []
    value_option = "format" if "format" in options else "value.format"
    for option, part in ((value_option, value_of(options, names)), ("key.format", key_of(options, names))):
        if part is not None:
            of_formats += (f"{_prefix(option, part.format)}{each.key}" for each in part.format.options)
            fields = tuple(name.removeprefix(part.prefix) for name in part.columns)
            part.format.validate(dict(part.options), fields, tuple(types[name] for name in part.columns))
    free = (PREFIX, *(key.removesuffix("#") for key in of_formats if key.endswith("#")))
    own = {key: value for key, value in table.options if not key.startswith(free)}
    check_unknown(connector, own, [*keys(known), *of_formats])
    for option in _PARALLELISMS:
        tasks = integer(options, option, 1)
        if tasks < 1:
            path = ".".join(table.path)
            raise ValidationError(
                f"Invalid configured parallelism {tasks} for table '{path}'.", option=option
            )
    error_options(options)
    how = sink_options(options)
    check_properties(dict(read_options(options).properties), how.in_transactions)


def check_group(options: KafkaOptions) -> None:
    """Check that a group is set if a source begins or ends at a group's committed offsets.

    Raises:
        ValidationError: No group is set.
    """
    for place in (options.start, options.end):
        if place is not None and place.mode == GROUP and "group.id" not in dict(options.properties):
            raise ValidationError(
                "Property group.id is required when using committed offset for offsets initializer",
                hint=f"set '{PREFIX}group.id', or 'scan.startup.mode' = 'earliest-offset'",
                option="scan.startup.mode",
            )
