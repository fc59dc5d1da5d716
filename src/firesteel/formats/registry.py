"""All formats, by name. Adding one: its file, a line here and in pyproject.toml."""

from __future__ import annotations

from difflib import get_close_matches

from firesteel.errors import ValidationError
from firesteel.formats.base import Format
from firesteel.plugins import Plugins

FORMATS = Plugins(
    "firesteel.formats",
    {
        "avro": "firesteel.formats.avro:Avro",
        "avro-confluent": "firesteel.formats.avro_confluent:AvroConfluent",
        "canal-json": "firesteel.formats.canal_json:CanalJson",
        "csv": "firesteel.formats.csv:Csv",
        "debezium-avro-confluent": "firesteel.formats.debezium_avro:DebeziumAvro",
        "debezium-json": "firesteel.formats.debezium_json:DebeziumJson",
        "json": "firesteel.formats.json:Json",
        "maxwell-json": "firesteel.formats.maxwell_json:MaxwellJson",
        "ogg-json": "firesteel.formats.ogg_json:OggJson",
        "parquet": "firesteel.formats.parquet:Parquet",
        "raw": "firesteel.formats.raw:Raw",
    },
)


def find_format(name: str) -> Format:
    """The format called `name`. Raises ValidationError in Flink's words."""
    found: Format | None = FORMATS.find(name)
    if found is None:
        names = FORMATS.names()
        near = get_close_matches(name, names, 1)
        raise ValidationError(
            f"Could not find any factory for identifier '{name}' that implements "
            "'org.apache.flink.table.factories.DeserializationFormatFactory' in the classpath.",
            hint=(f"did you mean '{near[0]}'? " if near else "")
            + f"Available formats are: {', '.join(names)}",
        )
    return found
