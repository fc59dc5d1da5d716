"""Lines and records that no column of messages holds name their file, and are not gathered without an end."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import pytest

from firesteel.connectors.filesystem import records as filesystem_records
from firesteel.connectors.filesystem import splits as filesystem_splits
from firesteel.connectors.filesystem.source import FilesystemSource
from firesteel.errors import DataError
from firesteel.runtime.spec.tables import ScanSpec
from firesteel.types.sql import STRING

LIMIT = 1 << 16


def read(path: Path, name: str) -> list[Any]:
    options = (("connector", "filesystem"), ("path", str(path)), ("format", name))
    source = FilesystemSource(ScanSpec("filesystem", options, ("a",), (STRING,), (0,)))
    return [
        row for split in source.splits(1) for table in source.read(split) for row in table["f0"].to_pylist()
    ]


@pytest.mark.parametrize("suffix", ["", ".gz"])
def test_a_line_without_an_end(tmp_path: Path, suffix: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(filesystem_splits, "_LONGEST_LINE", LIMIT)
    path = tmp_path / f"a.json{suffix}"
    write = gzip.open if suffix else open
    size = filesystem_splits.BLOCK_SIZE
    for more, fits in ((LIMIT - 20, True), (LIMIT + 20, False)):
        text = "x" * (size + more)
        with write(path, "wb") as stream:
            stream.write(f'{{"a":"{text}"}}\n{{"a":"y"}}\n'.encode())
        if fits:
            assert read(path, "json") == [text, "y"]
        else:
            with pytest.raises(
                DataError, match=r"a\.json.*: the line around byte 0 is longer than 65,536 bytes"
            ):
                read(path, "json")


def test_a_quote_that_is_not_closed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(filesystem_records, "LONGEST_RECORD", LIMIT)
    path = tmp_path / "a.csv"
    path.write_bytes(b'x\n"' + b"y\n" * (2 * filesystem_splits.BLOCK_SIZE))
    with pytest.raises(DataError, match=r"a\.csv: the record around byte 2 is longer than 65,536 bytes"):
        read(path, "csv")
