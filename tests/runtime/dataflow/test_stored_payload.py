"""Payloads in files."""

from __future__ import annotations

from pathlib import Path

import pytest

from firesteel.runtime.dataflow.packets import FIRST, Packet
from firesteel.runtime.dataflow.stored_payload import StoredPayload


def test_a_payload_is_a_part_of_a_file(tmp_path: Path) -> None:
    path = tmp_path / "payloads"
    path.write_bytes(b"firstsecondthird")
    stored = StoredPayload(str(path), 5, 6)
    assert stored.read() == b"second"
    assert Packet(0, FIRST, 1, 0, b"", stored=stored).content() == b"second"
    assert Packet(0, FIRST, 1, 0, b"first").content() == b"first"


def test_a_reference_is_distinguished_from_a_payload() -> None:
    stored = StoredPayload("/tmp/a 'b'\n", 1 << 40, 7)
    assert StoredPayload.from_bytes(stored.to_bytes()) == stored
    for payload in (b"", b"\xff\xff\xff\xff", b"[1, 2]", b"stored payload"):
        assert StoredPayload.from_bytes(payload) is None


def test_a_file_that_was_cut_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "payloads"
    path.write_bytes(b"short")
    with pytest.raises(EOFError, match="ends at 5 bytes"):
        StoredPayload(str(path), 2, 6).read()
