"""Options are checked when a table is created, in Flink's words."""

from __future__ import annotations

from dataclasses import replace

import pytest

from firesteel.catalog.catalog import Catalog
from firesteel.catalog.schema import Column, Table
from firesteel.changelog import ALL, INSERT_ONLY
from firesteel.connectors.registry import open_source, validate_table
from firesteel.errors import NotSupportedError, ValidationError
from firesteel.runtime.spec.tables import ScanSpec
from firesteel.types.sql import (
    BIGINT,
    BYTES,
    INT,
    STRING,
    SqlType,
    TypeRoot,
    map_of,
    timestamp,
    timestamp_ltz,
)
from tests.connectors.kafka.test_script import QUERY, TABLE
from tests.guide.test_examples import GUIDE, blocks
from tests.rules.planning import plan

TOPIC = {
    "connector": "kafka",
    "topic": "t",
    "properties.bootstrap.servers": "b:1",
    "properties.group.id": "g",
}
JSON = {**TOPIC, "format": "json"}
NO_TOPIC = {key: value for key, value in JSON.items() if key != "topic"}
HEADERS = map_of(STRING, BYTES)


def table(options: dict[str, str], *more: Column) -> Table:
    columns = (Column("a", INT), Column("s", STRING), *more)
    return Table("c", "d", "t", columns, tuple(options.items()))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"connector": "kafka"}, r"Missing required options are:\n\nproperties\.bootstrap\.servers"),
        (TOPIC, r"Could not find required scan format 'value\.format'"),
        ({**JSON, "topic-pattern": "x"}, "Option 'topic' and 'topic-pattern' shouldn't be set together"),
        (NO_TOPIC, "Either 'topic' or 'topic-pattern' must be set"),
        ({**JSON, "bogus": "1"}, "Unsupported options found for 'kafka'"),
        ({**JSON, "scan.startup.mode": "soon"}, r"Invalid value for option 'scan\.startup\.mode'"),
        ({**JSON, "scan.bounded.mode": "earliest-offset"}, r"Invalid value for option 'scan\.bounded\.mode'"),
        (
            {**JSON, "scan.startup.mode": "timestamp"},
            r"'scan\.startup\.timestamp-millis' is required in 'timestamp' startup mode but missing\.",
        ),
        (
            {**JSON, "scan.bounded.mode": "specific-offsets"},
            r"'scan\.bounded\.specific-offsets' is required in 'specific-offsets' bounded mode but missing\.",
        ),
        (
            {**JSON, "scan.startup.mode": "specific-offsets", "scan.startup.specific-offsets": "0:1"},
            r"Invalid properties 'scan\.startup\.specific-offsets' should follow the format "
            "'partition:0,offset:42;partition:1,offset:300', but is '0:1'",
        ),
        (
            {
                **JSON,
                "topic": "t;u",
                "scan.startup.mode": "specific-offsets",
                "scan.startup.specific-offsets": "partition:0,offset:1",
            },
            "only supports specific offset for single topic",
        ),
        ({**JSON, "key.fields": "a"}, r"'key\.fields' can only be declared if a key format is defined"),
        ({**JSON, "key.format": "json"}, "requires the declaration of one or more of key fields"),
        (
            {**JSON, "key.format": "canal-json", "key.fields": "a"},
            "A key format should only deal with INSERT",
        ),
        (
            {**JSON, "key.format": "json", "key.fields": "b"},
            "Could not find the field 'b' in the table schema",
        ),
        (
            {**JSON, "key.format": "json", "key.fields": "a", "key.fields-prefix": "k_"},
            r"A key prefix is not allowed when option 'value\.fields-include' is set to 'ALL'",
        ),
        (
            {
                **JSON,
                "key.format": "json",
                "key.fields": "a",
                "key.fields-prefix": "k_",
                "value.fields-include": "EXCEPT_KEY",
            },
            r"All fields in 'key\.fields' must be prefixed with 'k_'",
        ),
        ({**JSON, "scan.topic-partition-discovery.interval": "x"}, r"scan\.topic-partition-discovery"),
        ({**JSON, "topic": "", "topic-pattern": "("}, "shouldn't be set together"),
        ({**NO_TOPIC, "topic-pattern": "(?P<a>t)"}, r"option 'topic-pattern'"),
        ({**JSON, "json.ignore": "true"}, r"Unsupported options found for 'kafka'\.\n\n.*\n\njson\.ignore\n"),
        (
            {**TOPIC, "format": "canal-json", "canal-json.fail-on-missing-field": "true"},
            r"Unsupported options:\n\ncanal-json\.fail-on-missing-field\n",
        ),
        (
            {**JSON, "key.format": "csv", "key.fields": "a", "key.csv.x": "1"},
            r"Unsupported options:\n\nkey\.csv\.x\n",
        ),
        ({**JSON, "json.decode.json-parser.enabled": "x"}, r"json\.decode\.json-parser\.enabled"),
        ({**JSON, "scan.parallelism": "0"}, r"Invalid configured parallelism 0 for table 'c\.d\.t'\."),
        ({**JSON, "sink.parallelism": "-1"}, r"Invalid configured parallelism -1 for table 'c\.d\.t'\."),
        ({**JSON, "sink.parallelism": " 1"}, r"option 'sink\.parallelism'"),
        ({**JSON, "scan.startup.mode": " latest-offset"}, r"option 'scan\.startup\.mode'"),
        (
            {**JSON, "sink.delivery-guarantee": "exactly-once"},
            r"sink\.transactional-id-prefix must be specified when using DeliveryGuarantee\.EXACTLY_ONCE",
        ),
        (
            {**JSON, "sink.delivery-guarantee": "twice"},
            r"Invalid value for option 'sink\.delivery-guarantee'",
        ),
        (
            {**JSON, "key.format": "json", "key.fields": "a", "sink.partitioner": "round-robin"},
            r"Currently 'round-robin' partitioner only works when option 'key\.fields' is not specified\.",
        ),
        ({**JSON, "sink.partitioner": ""}, r"Option 'sink\.partitioner' should be a non-empty string\."),
    ],
)
def test_wrong_options(options: dict[str, str], message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        validate_table(table(options))


def test_a_formats_properties_are_known_to_the_format() -> None:
    options = {**TOPIC, "format": "avro-confluent", "avro-confluent.url": "http://r:1"}
    with pytest.raises(NotSupportedError, match=r"'avro-confluent\.properties\.any\.name' is not supported"):
        validate_table(table({**options, "avro-confluent.properties.any.name": "1"}))
    with pytest.raises(ValidationError, match=r"Unsupported options:\n\navro-confluent\.any\.name\n"):
        validate_table(table({**options, "avro-confluent.any.name": "1"}))


def test_the_pattern_of_topics_is_javas() -> None:
    validate_table(table({**NO_TOPIC, "topic-pattern": r"[\w&&[^\d]]++"}))


def test_the_committed_offsets_of_no_group() -> None:
    pytest.importorskip("confluent_kafka")
    options = {k: v for k, v in JSON.items() if k != "properties.group.id"}
    validate_table(table(options))  # it may be written to
    scan = ScanSpec("kafka", tuple(options.items()), ("a",), (INT,), (0,))
    with pytest.raises(ValidationError, match=r"Property group\.id is required when using committed offset"):
        open_source(scan)
    open_source(replace(scan, options=(*options.items(), ("scan.startup.mode", "earliest-offset"))))


def test_traits() -> None:
    traits = validate_table(table({**JSON, "scan.bounded.mode": "latest-offset"})).traits
    assert traits is not None
    assert (traits.changelog_mode, traits.bounded) == (INSERT_ONLY, True)
    canal = {**TOPIC, "value.format": "canal-json", "value.canal-json.ignore-parse-errors": "true"}
    traits = validate_table(table(canal)).traits
    assert traits is not None
    assert (traits.changelog_mode, traits.bounded) == (ALL, False)


def test_keys_and_values_as_they_are() -> None:
    raw = {**TOPIC, "key.format": "raw", "key.fields": "a", "value.format": "raw"}
    validate_table(
        table({**raw, "value.fields-include": "EXCEPT_KEY", "key.raw.endianness": "little-endian"})
    )
    with pytest.raises(ValidationError, match="The 'raw' format only supports single physical column"):
        validate_table(table(raw))


def test_a_primary_key_needs_changes() -> None:
    with pytest.raises(ValidationError, match="doesn't support defining PRIMARY KEY constraint"):
        validate_table(replace(table(JSON), primary_key=("a",)))


def test_metadata() -> None:
    timestamp = SqlType(TypeRoot.TIMESTAMP_LTZ, precision=3)
    validate_table(
        table(JSON, Column("o", BIGINT, metadata="offset"), Column("m", timestamp, metadata="timestamp"))
    )
    with pytest.raises(ValidationError, match="Invalid metadata key 'bogus' in column 'm'"):
        validate_table(table(JSON, Column("m", STRING, metadata="bogus")))
    with pytest.raises(NotSupportedError, match="partitioner that is a Java class"):
        validate_table(table({**JSON, "sink.partitioner": "org.example.Mine"}))


def test_metadata_of_formats() -> None:
    canal = {**JSON, "format": "canal-json"}
    zoned, plain = timestamp_ltz(3), timestamp(3)
    for column in (
        Column("m", STRING, metadata="value.table"),
        Column("m", zoned, metadata="value.ingestion-timestamp"),
        Column("m", plain, metadata="value.event-timestamp"),
        Column("m", map_of(STRING, INT), metadata="value.sql-type"),
    ):
        validate_table(table(canal, column))
    with pytest.raises(
        ValidationError, match=r"(?s)'value\.bogus' .* reading:\nvalue\.database\nvalue\.table\n"
    ):
        validate_table(table(canal, Column("m", STRING, metadata="value.bogus")))
    with pytest.raises(ValidationError, match=r"Invalid metadata key 'value\.table'"):
        validate_table(table(JSON, Column("m", STRING, metadata="value.table")))


def test_metadata_in_the_sources_order() -> None:
    traits = validate_table(table({**JSON, "format": "maxwell-json"})).traits
    assert traits is not None
    assert [key for key, _ in traits.metadata] == [
        *("value.database", "value.table", "value.primary-key-columns", "value.ingestion-timestamp"),
        *("topic", "partition", "headers", "leader-epoch", "offset", "timestamp", "timestamp-type"),
    ]


def inserting(made: Table, query: str) -> None:
    catalog = Catalog()
    catalog.create(validate_table(replace(made, catalog="default_catalog", database="default_database")))
    plan(f"INSERT INTO t {query}", catalog)


def test_metadata_that_is_written() -> None:
    inserting(table(JSON, Column("h", HEADERS, metadata="headers")), "SELECT 1, 'x', MAP['a', x'01']")
    with pytest.raises(
        ValidationError, match=r"(?s)Invalid metadata key 'offset' in .*writing:.*\nheaders\ntimestamp"
    ):
        inserting(table(JSON, Column("o", BIGINT, metadata="offset")), "SELECT 1, 'x', CAST(1 AS BIGINT)")
    inserting(table(JSON, Column("o", BIGINT, metadata="offset", virtual=True)), "SELECT 1, 'x'")
    to = Column("to", STRING, metadata="topic")
    with pytest.raises(ValidationError, match="Invalid metadata key 'topic'"):
        inserting(table(JSON, to), "SELECT 1, 'x', 'u'")
    inserting(table({**JSON, "topic": "t;u"}, to), "SELECT 1, 'x', 'u'")


def test_updates_into_a_format_of_inserts() -> None:
    with pytest.raises(
        ValidationError, match="doesn't support consuming update changes which is produced by"
    ):
        inserting(table(JSON), "SELECT a, MAX(s) FROM t GROUP BY a")
    inserting(table({**TOPIC, "format": "canal-json"}), "SELECT a, MAX(s) FROM t GROUP BY a")


def test_the_guides_script_is_the_one_that_runs() -> None:
    script = blocks((GUIDE / "kafka.md").read_text(encoding="utf-8"))["counts.sql"]
    assert script.split() == f"{TABLE.strip()}; {QUERY};".split()
