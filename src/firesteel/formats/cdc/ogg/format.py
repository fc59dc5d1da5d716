"""The format ogg-json: changes of Oracle GoldenGate, `{"before": row, "after": row, "op_type": "U"}`.

Flink: OggJsonDeserializationSchema.
"""

from __future__ import annotations

from firesteel.formats.cdc.envelope import EnvelopeJson
from firesteel.formats.cdc.row_decoder import DELETE, INSERT, UPDATE, Envelope


class OggJson(EnvelopeJson):
    """The format `ogg-json`, which reads and writes changes of Oracle GoldenGate."""

    name = "ogg-json"
    envelope = Envelope(
        title="Ogg",
        operation="op_type",
        operations={"I": INSERT, "U": UPDATE, "D": DELETE},
        replica="Ogg",
    )
    insert = ('{"before":null,"after":', ',"op_type":"I"}')
    delete = ('{"before":', ',"after":null,"op_type":"D"}')
