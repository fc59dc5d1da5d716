"""Lookup of formats by name. To add a format, add its file, and a line here and in pyproject.toml."""

from __future__ import annotations

from difflib import get_close_matches

from firesteel.config.plugins import Plugins
from firesteel.errors import ValidationError
from firesteel.formats.base import Format

FORMATS = Plugins(
    "firesteel.formats",
    {
        "avro": "firesteel.formats.avro.format:Avro",
        "avro-confluent": "firesteel.formats.avro.confluent:AvroConfluent",
        "canal-json": "firesteel.formats.cdc.canal.format:CanalJson",
        "csv": "firesteel.formats.csv.format:Csv",
        "debezium-avro-confluent": "firesteel.formats.cdc.debezium.avro_format:DebeziumAvro",
        "debezium-json": "firesteel.formats.cdc.debezium.format:DebeziumJson",
        "json": "firesteel.formats.json.format:Json",
        "maxwell-json": "firesteel.formats.cdc.maxwell.format:MaxwellJson",
        "ogg-json": "firesteel.formats.cdc.ogg.format:OggJson",
        "parquet": "firesteel.formats.parquet.format:Parquet",
        "raw": "firesteel.formats.raw.format:Raw",
    },
)


def find_format(name: str, option: str | None = None) -> Format:
    """Return the format called `name`.

    Args:
        name: The name.
        option: Option of the table that has the name, for the position of the error. None if unknown.

    Raises:
        ValidationError: No format has the name; the text is Flink's.
    """
    found: Format | None = FORMATS.find(name)
    if found is None:
        names = FORMATS.names()
        near = get_close_matches(name, names, 1)
        raise ValidationError(
            f"Could not find any factory for identifier '{name}' that implements "
            "'org.apache.flink.table.factories.DeserializationFormatFactory' in the classpath.",
            hint=(f"did you mean '{near[0]}'? " if near else "")
            + f"Available formats are: {', '.join(names)}",
            option=option,
        )
    return found
