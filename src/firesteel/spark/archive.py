"""The class-data archive: Spark's loaded classes, kept between runs, so that its JVM starts twice as fast.

The JVM of a first run writes an archive when it ends (-XX:ArchiveClassesAtExit) and later ones map it
(-XX:SharedArchiveFile). An archive fits one Java, one set of jars and the classes that its run loaded,
so there is one for each and for each host. Nothing waits for it and nothing depends on it: the JVM
ignores an archive that does not fit.

It is written under a name of its own and put in place by a later run that finds it complete. The JVM
writes the header last, so a file with a header is complete.
"""

from __future__ import annotations

import hashlib
import os
import time
from pathlib import Path
from uuid import uuid4

from firesteel.spark.java import Java

_QUIET = ["-Xshare:auto", "-Xlog:cds=off", "-Xlog:cds+dynamic=off", "-Xlog:class+path=off"]
_ABANDONED = 600.0
"""Seconds after which an archive that was begun and not finished is given up."""


def archive_options(java: Java, jars: Path, host: str, cache: Path | None = None) -> list[str]:
    """JVM options that use the archive for this Java, these jars and this host, or make it."""
    try:
        return _QUIET + _use_or_make((cache or cache_folder()) / "jvm", _key(java, jars, host))
    except OSError:
        return []


def cache_folder() -> Path:
    """FIRESTEEL_CACHE_DIR, else `firesteel` in the user's cache folder."""
    own = os.environ.get("FIRESTEEL_CACHE_DIR")
    if own:
        return Path(own)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "firesteel"


def _key(java: Java, jars: Path, host: str) -> str:
    digest = hashlib.sha256(f"{java.executable} {java.version} {jars}".encode())
    for jar in sorted(os.scandir(jars), key=lambda entry: entry.name):
        status = jar.stat()
        digest.update(f"{jar.name} {status.st_size} {status.st_mtime_ns}\n".encode())
    return f"spark-{host}-{digest.hexdigest()[:16]}"


def _use_or_make(folder: Path, key: str) -> list[str]:
    archive = folder / f"{key}.jsa"
    if not archive.is_file() and not _adopt(folder, key, archive):
        if any(folder.glob(f"{key}.*.new")):
            return []  # another run is making it
        folder.mkdir(parents=True, exist_ok=True)
        return [f"-XX:ArchiveClassesAtExit={folder / f'{key}.{uuid4().hex}.new'}"]
    return [f"-XX:SharedArchiveFile={archive}"]


def _adopt(folder: Path, key: str, archive: Path) -> bool:
    """Put a finished archive in place; drop those that were given up."""
    for made in folder.glob(f"{key}.*.new"):
        if _is_complete(made):
            made.replace(archive)
            return True
        if time.time() - made.stat().st_mtime > _ABANDONED:
            made.unlink(missing_ok=True)
    return False


def _is_complete(archive: Path) -> bool:
    with archive.open("rb") as file:
        return any(file.read(4))
