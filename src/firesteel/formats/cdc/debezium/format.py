"""The format debezium-json: Debezium's changes, `{"before": row, "after": row, "op": "u"}`.

Flink: DebeziumJsonDeserializationSchema.
"""

from __future__ import annotations

from firesteel.errors import ValidationError
from firesteel.formats.base import Encoder, Fields, Options
from firesteel.formats.cdc.envelope import EnvelopeJson
from firesteel.formats.cdc.row_decoder import DELETE, INSERT, UPDATE, Envelope
from firesteel.formats.json.options import DEBEZIUM_OPTIONS, json_options


class DebeziumJson(EnvelopeJson):
    """The format `debezium-json`, which reads and writes Debezium's changes as JSON."""

    name = "debezium-json"
    options = DEBEZIUM_OPTIONS
    envelope = Envelope(
        title="Debezium",
        operation="op",
        operations={"c": INSERT, "r": INSERT, "u": UPDATE, "d": DELETE},
        replica="Debezium",
    )
    insert = ('{"before":null,"after":', ',"op":"c"}')
    delete = ('{"before":', ',"after":null,"op":"d"}')

    def encoder(self, fields: Fields, options: Options) -> Encoder:
        """Return an encoder. Raises ValidationError if `schema-include` is true, as in Flink."""
        if json_options(self.name, options).schema_include:
            raise ValidationError(
                "Debezium JSON serialization doesn't support 'debezium-json.schema-include' option been set "
                "to true."
            )
        return super().encoder(fields, options)
