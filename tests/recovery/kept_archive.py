"""A job's folder as an archive that can be unpacked anywhere: paths in its text files begin with a mark."""

from __future__ import annotations

import gzip
import io
import os
import tarfile
from pathlib import Path

_BASE = b"@BASE@"
"""Stands for the job's folder."""
_OF_A_RUN = {".lock", ".crc"}


def pack(base: Path, archive: Path) -> None:
    """Write the archive. Raises AssertionError where a file that is not text has the folder's path."""
    here = str(base).encode()
    with (
        archive.open("wb") as file,
        gzip.GzipFile(fileobj=file, mode="wb", filename="", mtime=0) as stream,
        tarfile.open(fileobj=stream, mode="w") as tar,
    ):
        for path in sorted(base.rglob("*")):
            if path.is_dir() or path.suffix in _OF_A_RUN:
                continue
            data = path.read_bytes()
            assert here not in data or _is_text(data), f"{path} cannot be put elsewhere"
            data = data.replace(here, _BASE)
            entry = tarfile.TarInfo(path.relative_to(base).as_posix())
            entry.size, entry.mtime = len(data), path.stat().st_mtime
            tar.addfile(entry, io.BytesIO(data))


def unpack(archive: Path, base: Path) -> None:
    """Lay out the folder again, which is a new one; files keep their times."""
    with tarfile.open(archive) as tar:
        for entry in tar:
            file, path = tar.extractfile(entry), base / entry.name
            assert file is not None
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(file.read().replace(_BASE, str(base).encode()))
            os.utime(path, (entry.mtime, entry.mtime))


def _is_text(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return b"\0" not in data
