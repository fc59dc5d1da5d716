"""All formats, by name. Adding one: its file, and a line here."""

from __future__ import annotations

from importlib import import_module

from firesteel.errors import ValidationError
from firesteel.formats.base import Format

_FORMATS = {
    "canal-json": ("firesteel.formats.canal_json", "CanalJson"),
    "csv": ("firesteel.formats.csv", "Csv"),
    "debezium-json": ("firesteel.formats.debezium_json", "DebeziumJson"),
    "json": ("firesteel.formats.json", "Json"),
    "maxwell-json": ("firesteel.formats.maxwell_json", "MaxwellJson"),
    "ogg-json": ("firesteel.formats.ogg_json", "OggJson"),
}
"""Loaded when first asked for: a worker imports the one format that it reads."""


def names() -> list[str]:
    """The identifiers of all formats."""
    return sorted(_FORMATS)


def find_format(name: str) -> Format:
    """The format called `name`. Raises ValidationError in Flink's words."""
    place = _FORMATS.get(name)
    if place is None:
        raise ValidationError(
            f"Could not find any factory for identifier '{name}' that implements "
            "'org.apache.flink.table.factories.DeserializationFormatFactory' in the classpath.",
            hint=f"Available formats are: {', '.join(names())}",
        )
    module, attribute = place
    made: Format = getattr(import_module(module), attribute)()
    return made
