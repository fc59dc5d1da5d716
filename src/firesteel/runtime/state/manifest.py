"""Manifest of a state in versioned JSON: the live runs, their order and their content.

It also holds a fingerprint of the hash functions. Key groups and runs depend on hashes, so only the functions
that wrote a state can read it.
"""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from firesteel.errors import JobError
from firesteel.kernels.column_hashes import fingerprint
from firesteel.runtime.state.levels import Level, Merge, Piece

VERSION = 2
_BY_ONE_WORD = 1
"""Earlier manifest version, which is still read. It bounds pieces by the first word of an entry, without the
second one."""


@dataclass
class StateEntry:
    """Layout, levels and merges of one state.

    Attributes:
        kind: `value`, `map`, `ordered map` (with its sort order), `time`, or `map by slices of <n> ms`.
        schema: Types of the columns.
        ttl: Whether entries have a time to live. If True, the runs store for each entry when it was written.
        levels: The levels, newest first.
        merges: The merges in progress.
    """

    kind: str
    schema: pa.Schema
    ttl: bool
    levels: list[Level] = field(default_factory=list)
    merges: list[Merge] = field(default_factory=list)


def write_manifest(states: dict[str, StateEntry]) -> bytes:
    """Return the manifest as bytes. All pieces must have an id."""
    document = {
        "version": VERSION,
        "hash": fingerprint(),
        "states": {name: _state_to_json(entry) for name, entry in states.items()},
    }
    return json.dumps(document, separators=(",", ":"), sort_keys=True).encode()


def read_manifest(data: bytes) -> dict[str, StateEntry]:
    """Return the states of a manifest.

    Raises:
        JobError: This version cannot read the states.
    """
    document = json.loads(data)
    hint = "Start from an empty checkpoint, or run the version that wrote it."
    if document["version"] not in (_BY_ONE_WORD, VERSION):
        message = f"The state's manifest has version {document['version']}, this version reads {VERSION}"
        raise JobError(message, hint=hint)
    if document["hash"] != fingerprint():
        raise JobError("The state was written with other hash functions", hint=hint)
    bits = 64 if document["version"] == _BY_ONE_WORD else 0
    return {name: _state_from_json(value, bits) for name, value in document["states"].items()}


def _state_to_json(entry: StateEntry) -> dict[str, Any]:
    return {
        "kind": entry.kind,
        "schema": base64.b64encode(entry.schema.serialize()).decode(),
        "ttl": entry.ttl,
        "levels": [[[p.id, p.rows, p.low, p.high] for p in level] for level in entry.levels],
        "bytes": [[p.bytes for p in level] for level in entry.levels],
        "first": [[p.first for p in level] for level in entry.levels],
        "merges": [[merge.at, merge.count, merge.low] for merge in entry.merges],
    }


def _state_from_json(value: dict[str, Any], bits: int) -> StateEntry:
    """Return a state from JSON.

    Args:
        value: The state as in `_state_to_json`.
        bits: Bits by which the bounds of pieces are shifted to the left: 64 if the manifest's version is
            _BY_ONE_WORD, else 0. A bound is a place, the first two words of an entry as one number.
    """
    sizes = value.get("bytes") or [[0] * len(level) for level in value["levels"]]
    firsts = value.get("first") or [[None] * len(level) for level in value["levels"]]
    levels = [
        [
            Piece(rows, low << bits, high << bits, name, bytes=size, first=word)
            for (name, rows, low, high), size, word in zip(*of_level, strict=True)
        ]
        for of_level in zip(value["levels"], sizes, firsts, strict=True)
    ]
    return StateEntry(
        value["kind"],
        pa.ipc.read_schema(pa.py_buffer(base64.b64decode(value["schema"]))),
        value["ttl"],
        levels,
        [Merge(at, count, low << bits) for at, count, low in value["merges"]],
    )
