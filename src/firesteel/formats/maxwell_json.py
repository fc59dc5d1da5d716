"""maxwell-json: changes as Maxwell writes them, `{"data": row, "old": what changed, "type": "update"}`.

Rules: Flink MaxwellJsonDeserializationSchema.
"""

from __future__ import annotations

from firesteel.formats.cdc import DELETE, INSERT, UPDATE, Envelope
from firesteel.formats.envelope_json import EnvelopeJson


class MaxwellJson(EnvelopeJson):
    """The format `maxwell-json`."""

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
