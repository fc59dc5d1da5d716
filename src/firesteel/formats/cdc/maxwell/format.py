"""The format maxwell-json: Maxwell's changes, `{"data": row, "old": changed fields, "type": "update"}`.

Flink: MaxwellJsonDeserializationSchema.
"""

from __future__ import annotations

from firesteel.formats.cdc.envelope import EnvelopeJson
from firesteel.formats.cdc.row_decoder import DELETE, INSERT, UPDATE, Envelope


class MaxwellJson(EnvelopeJson):
    """The format `maxwell-json`, which reads and writes Maxwell's changes."""

    name = "maxwell-json"
    envelope = Envelope(
        title="Maxwell",
        operation="type",
        operations={"insert": INSERT, "update": UPDATE, "delete": DELETE},
        before="old",
        after="data",
        partial=True,
    )
    insert = ('{"data":', ',"type":"insert"}')
    delete = ('{"data":', ',"type":"delete"}')
