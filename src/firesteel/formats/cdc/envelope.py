"""Base of the CDC formats whose messages are JSON objects with one change each."""

from __future__ import annotations

import pyarrow as pa

from firesteel.formats.base import Fields
from firesteel.formats.cdc.batch_decoder import EnvelopeColumns
from firesteel.formats.cdc.row_decoder import Envelope, EnvelopeMessages
from firesteel.formats.json.batch_values import in_columns
from firesteel.formats.json.json_format import JsonFormat
from firesteel.formats.json.options import JsonOptions


class EnvelopeJson(JsonFormat):
    """A CDC format that is described by its envelope."""

    envelope: Envelope

    def exact(self, fields: Fields, options: JsonOptions) -> EnvelopeMessages:
        return EnvelopeMessages(self.envelope, fields, options)

    def columns(self, fields: Fields, options: JsonOptions, schema: pa.Schema) -> EnvelopeColumns | None:
        return EnvelopeColumns(self.envelope, fields, options, schema) if in_columns(fields) else None
