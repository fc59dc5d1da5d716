"""Records of Avro container files, with checks of the blocks.

The head of a block declares the number of its records. fastavro reads this number of records and ignores the
bytes behind them. If the number is damaged and too small, records would be lost without an error. fastavro
also ignores the checksum that a block has with the codec snappy. This module checks both.

Source of the rules: Avro 1.12 specification, "Object Container Files".
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

from firesteel.errors import DataError, FiresteelError

_SYNC, _CHECKSUM = 16, 4
"""Bytes at the end of a block: the sync marker, and before it the checksum if the codec is snappy."""
_MOST_EMPTY = 1 << 24
"""Maximum number of records in a block whose content is 0 bytes long.

A record that has only NULLs can take no bytes, so the length of the block does not limit the number of its
records. With this limit, a damaged number does not yield records almost without end.
"""


def file_records(avro: Any, path: str) -> Iterator[Any]:
    """Read the records of a file, by the file's schema.

    Args:
        avro: The package fastavro.
        path: The file.

    Yields:
        The records, in fastavro's form.

    Raises:
        DataError: The file cannot be read, is damaged or truncated. The error names the path.
    """
    try:
        with Path(path).open("rb") as stream:
            reader = avro.block_reader(stream)
            end = stream.tell()
            for block in reader:
                yield from _records(block, stream)
                end = block.offset + block.size
            if end != os.fstat(stream.fileno()).st_size:
                raise ValueError("the file ends within a block")
    except FiresteelError:
        raise
    except EOFError:
        raise DataError(f"{path}: cannot be read: the file ends too early") from None
    except OSError as error:
        raise DataError(f"{path}: cannot be read: {error.strerror or error}") from None
    except Exception as error:  # For a damaged file, fastavro may raise any exception.
        raise DataError(f"{path}: cannot be read: {type(error).__name__}: {error}") from None


def _records(block: Any, stream: BinaryIO) -> Iterator[Any]:
    """Yield the records of a block.

    Raises:
        ValueError: The declared number of records or the checksum does not match the bytes of the block.
    """
    size = block.bytes_.getbuffer().nbytes
    if not 0 <= block.num_records <= (size or _MOST_EMPTY):
        raise ValueError(f"the block at byte {block.offset} says that it has {block.num_records} records")
    if block.codec == "snappy":
        place = block.offset + block.size - _SYNC - _CHECKSUM
        said = int.from_bytes(os.pread(stream.fileno(), _CHECKSUM, place), "big")
        if said != zlib.crc32(block.bytes_.getbuffer()):
            raise ValueError(f"the checksum of the block at byte {block.offset} is wrong")
    yield from block
    left = size - block.bytes_.tell()
    if left:
        raise ValueError(
            f"the block at byte {block.offset} has {left} bytes behind its {block.num_records} records"
        )
