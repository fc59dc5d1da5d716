"""Files that are damaged where their formats can tell are refused, and never give another number of rows."""

from __future__ import annotations

import gzip
import zlib
from io import BytesIO
from pathlib import Path

import fastavro
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from firesteel.changelog import KIND, field
from firesteel.connectors.filesystem.source import FilesystemSource
from firesteel.errors import DataError
from firesteel.formats.base import Fields
from firesteel.formats.files import file_format, file_writer
from firesteel.formats.registry import find_format
from firesteel.runtime.spec.tables import ScanSpec
from firesteel.types.sql import BIGINT, STRING

SCHEMA = fastavro.parse_schema(
    {
        "type": "record",
        "name": "a",
        "fields": [{"name": "id", "type": "long"}, {"name": "s", "type": "string"}],
    }
)


def rows(path: Path, name: str) -> int:
    reader = file_format(find_format(name)).file_reader(Fields(("id", "s"), (BIGINT, STRING)), {})
    return sum(table.num_rows for table in reader.read(str(path)))


def avro(codec: str) -> tuple[bytes, int]:
    """A file of one block of 50 records, and where the block begins."""
    out = BytesIO()
    fastavro.writer(out, SCHEMA, [{"id": i, "s": f"text {i}"} for i in range(50)], codec=codec)
    out.seek(0)
    block = next(iter(fastavro.block_reader(out)))
    return out.getvalue(), block.offset


@pytest.mark.parametrize("codec", ["null", "deflate", "snappy"])
def test_a_block_of_avro_has_the_records_that_it_says(tmp_path: Path, codec: str) -> None:
    data, at = avro(codec)
    path = tmp_path / "a.avro"
    path.write_bytes(data)
    assert rows(path, "avro") == 50
    assert data[at] == 100  # 50, as Avro writes it
    for said in (98, 0, 99):  # 49, 0, -50
        path.write_bytes(data[:at] + bytes([said]) + data[at + 1 :])
        with pytest.raises(DataError, match=r"a.avro: cannot be read: ValueError: the block at byte"):
            rows(path, "avro")


def test_a_file_of_avro_ends_with_a_block(tmp_path: Path) -> None:
    data, _ = avro("null")
    path = tmp_path / "a.avro"
    for rest in (b"\x80", b"\x02", b"\x02\x04ab"):
        path.write_bytes(data + rest)
        with pytest.raises(DataError, match=r"a.avro: cannot be read"):
            rows(path, "avro")


def test_the_checksum_of_a_snappy_block(tmp_path: Path) -> None:
    data, _ = avro("snappy")
    path = tmp_path / "a.avro"
    path.write_bytes(data[:-17] + bytes([data[-17] ^ 1]) + data[-16:])
    with pytest.raises(DataError, match=r"a.avro: cannot be read: ValueError: the checksum of the block"):
        rows(path, "avro")


def test_parquet_is_written_with_checksums_and_read_by_them(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    fields = Fields(("id", "s"), (BIGINT, STRING))
    text = "a text that is found again"
    table = pa.table({KIND: pa.array([0], pa.int8()), field(0): [5], field(1): [text]})
    with path.open("wb") as stream:
        writer = file_writer(find_format("parquet"), fields, {"compression": "UNCOMPRESSED"}, stream)
        writer.write(table)
        writer.close()
    assert rows(path, "parquet") == 1
    data = path.read_bytes()
    path.write_bytes(data.replace(text.encode(), text.upper().encode()))
    with pytest.raises(DataError, match=r"a.parquet: cannot be read: .*CRC"):
        rows(path, "parquet")


def test_a_text_of_parquet_that_is_no_utf8(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"id": [1], "s": ["abcde"]}), path, compression="NONE")
    path.write_bytes(path.read_bytes().replace(b"abcde", b"ab\xffde"))
    with pytest.raises(DataError, match=r"a.parquet: cannot be read: .*UTF8"):
        rows(path, "parquet")


def test_a_column_of_parquet_that_is_there_twice(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    pq.write_table(pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=["id", "id"]), path)
    with pytest.raises(DataError, match=r"the column id is there twice"):
        rows(path, "parquet")


def test_a_damaged_compressed_file_is_named(tmp_path: Path) -> None:
    """zlib's own error is none of the operating system's."""
    path = tmp_path / "a.json.gz"
    data = bytearray(gzip.compress(b'{"a":1}\n' * 1000))
    data[12:16] = b"\xff\xff\xff\xff"
    with pytest.raises(zlib.error):
        gzip.decompress(bytes(data))
    path.write_bytes(data)
    options = (("connector", "filesystem"), ("path", str(path)), ("format", "json"))
    source = FilesystemSource(ScanSpec("filesystem", options, ("a",), (BIGINT,), (0,)))
    with pytest.raises(DataError, match=r"a.json.gz: cannot be read"):
        [list(source.read(split)) for split in source.splits(1)]
