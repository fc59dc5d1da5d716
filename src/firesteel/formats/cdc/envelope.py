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
    """Base of a CDC format whose messages wrap rows in a JSON object, the envelope.

    An example is Debezium's envelope of an update: {"before": row, "after": row, "op": "u"}.

    Attributes:
        envelope: Names of the envelope's members, and the kind of change for each operation. Debezium's
            operation is in the member `op`: "c" is an insert, "u" an update and "d" a delete.
    """

    envelope: Envelope

    def exact(self, fields: Fields, options: JsonOptions) -> EnvelopeMessages:
        return EnvelopeMessages(self.envelope, fields, options)

    def columns(self, fields: Fields, options: JsonOptions, schema: pa.Schema) -> EnvelopeColumns | None:
        return EnvelopeColumns(self.envelope, fields, options, schema) if in_columns(fields) else None
