"""ogg-json: changes as Oracle GoldenGate writes them, `{"before": row, "after": row, "op_type": "U"}`.

Rules: Flink OggJsonDeserializationSchema.
"""

from __future__ import annotations

from functools import partial

from firesteel.changelog import ALL
from firesteel.formats import cdc_shape
from firesteel.formats.base import Decoder, Encoder, Fields, Options
from firesteel.formats.cdc import DELETE, INSERT, UPDATE, Envelope, EnvelopeMessages
from firesteel.formats.json_encoder import JsonEncoder, envelopes
from firesteel.formats.json_options import CDC_OPTIONS, check_options, json_options
from firesteel.formats.line_decoder import LineDecoder
from firesteel.types.sql import SqlType

_ENVELOPE = Envelope(
    title="Ogg",
    operation="op_type",
    operations={"I": INSERT, "U": UPDATE, "D": DELETE},
    replica="Ogg",
)


class OggJson:
    """The format `ogg-json`."""

    name = "ogg-json"
    changelog_mode = ALL
    sink_mode = "all"
    splittable = True
    options = CDC_OPTIONS

    def validate(self, options: Options, names: tuple[str, ...], types: tuple[SqlType, ...]) -> None:
        check_options(self.name, self.options, options)

    def decoder(self, fields: Fields, options: Options) -> Decoder:
        parsed = json_options(self.name, options)
        learn = partial(cdc_shape.learn, _ENVELOPE, fields=fields, options=parsed)
        return LineDecoder(EnvelopeMessages(_ENVELOPE, fields, parsed, learn), fields)

    def encoder(self, fields: Fields, options: Options) -> Encoder:
        made = envelopes(
            ('{"before":null,"after":', ',"op_type":"I"}'), ('{"before":', ',"after":null,"op_type":"D"}')
        )
        return JsonEncoder(fields, json_options(self.name, options), made)
