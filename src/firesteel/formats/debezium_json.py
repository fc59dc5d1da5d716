"""debezium-json: changes as Debezium writes them, `{"before": row, "after": row, "op": "u"}`.

Rules: Flink DebeziumJsonDeserializationSchema.
"""

from __future__ import annotations

from functools import partial

from firesteel.changelog import ALL
from firesteel.errors import ValidationError
from firesteel.formats import cdc_shape
from firesteel.formats.base import Decoder, Encoder, Fields, Options
from firesteel.formats.cdc import DELETE, INSERT, UPDATE, Envelope, EnvelopeMessages
from firesteel.formats.json_encoder import JsonEncoder, envelopes
from firesteel.formats.json_options import CDC_OPTIONS, check_options, json_options
from firesteel.formats.line_decoder import LineDecoder
from firesteel.types.sql import SqlType

_ENVELOPE = Envelope(
    title="Debezium",
    operation="op",
    operations={"c": INSERT, "r": INSERT, "u": UPDATE, "d": DELETE},
    replica="Debezium",
)


class DebeziumJson:
    """The format `debezium-json`."""

    name = "debezium-json"
    changelog_mode = ALL
    sink_mode = "all"
    splittable = True
    options = (*CDC_OPTIONS, "schema-include")

    def validate(self, options: Options, names: tuple[str, ...], types: tuple[SqlType, ...]) -> None:
        check_options(self.name, self.options, options)

    def decoder(self, fields: Fields, options: Options) -> Decoder:
        parsed = json_options(self.name, options)
        learn = partial(cdc_shape.learn, _ENVELOPE, fields=fields, options=parsed)
        return LineDecoder(EnvelopeMessages(_ENVELOPE, fields, parsed, learn), fields)

    def encoder(self, fields: Fields, options: Options) -> Encoder:
        parsed = json_options(self.name, options)
        if parsed.schema_include:
            raise ValidationError(
                "Debezium JSON serialization doesn't support 'debezium-json.schema-include' option been set "
                "to true."
            )
        made = envelopes(('{"before":null,"after":', ',"op":"c"}'), ('{"before":', ',"after":null,"op":"d"}'))
        return JsonEncoder(fields, json_options(self.name, options), made)
