"""What the formats of one JSON object a change have in common: before, after, and what was done."""

from __future__ import annotations

from functools import partial

from firesteel.changelog import ALL
from firesteel.formats import cdc_shape
from firesteel.formats.base import Decoder, Encoder, Fields, Options
from firesteel.formats.cdc import Envelope, EnvelopeMessages
from firesteel.formats.json_encoder import JsonEncoder, envelopes
from firesteel.formats.json_options import CDC_OPTIONS, check_options, json_options
from firesteel.formats.line_decoder import LineDecoder
from firesteel.types.sql import SqlType

Around = tuple[str, str]
"""What is written before and after a row."""


class EnvelopeJson:
    """A format by its envelope. A class of one names its envelope, and what an INSERT and a DELETE are
    written in; rows of updates are written as these too, as Flink does."""

    name: str
    envelope: Envelope
    insert: Around
    delete: Around
    changelog_mode = ALL
    sink_mode = "all"
    splittable = True
    options: tuple[str, ...] = CDC_OPTIONS

    def validate(self, options: Options, names: tuple[str, ...], types: tuple[SqlType, ...]) -> None:
        """Raises ValidationError."""
        check_options(self.name, self.options, options)

    def decoder(self, fields: Fields, options: Options) -> Decoder:
        """Of one split."""
        parsed = json_options(self.name, options)
        learn = partial(cdc_shape.learn, self.envelope, fields=fields, options=parsed)
        return LineDecoder(EnvelopeMessages(self.envelope, fields, parsed, learn), fields)

    def encoder(self, fields: Fields, options: Options) -> Encoder:
        """Of one writer."""
        return JsonEncoder(fields, json_options(self.name, options), envelopes(self.insert, self.delete))
