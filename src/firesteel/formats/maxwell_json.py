"""maxwell-json: changes as Maxwell writes them, `{"data": row, "old": what changed, "type": "update"}`.

Rules: Flink MaxwellJsonDeserializationSchema.
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
    title="Maxwell",
    operation="type",
    operations={"insert": INSERT, "update": UPDATE, "delete": DELETE},
    before="old",
    after="data",
    partial=True,
)


class MaxwellJson:
    """The format `maxwell-json`."""

    name = "maxwell-json"
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
        made = envelopes(('{"data":', ',"type":"insert"}'), ('{"data":', ',"type":"delete"}'))
        return JsonEncoder(fields, json_options(self.name, options), made)
