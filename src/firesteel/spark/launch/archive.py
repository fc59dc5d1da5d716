"""The class-data archive: Spark's loaded classes, kept between runs, so that its JVM starts twice as fast.

The JVM of a first run writes an archive when it ends (-XX:ArchiveClassesAtExit) and later ones map it
(-XX:SharedArchiveFile). An archive fits one Java, one set of jars and the classes that its run loaded,
so there is one for each and for each host. Nothing waits for it and nothing depends on it: the JVM
ignores an archive that does not fit.

It is written under a name of its own and put in place by a later run that finds it complete and of use:
beside it lies a mark that a job of its run has given results, so that the classes of a job are in it. The
JVM writes the header last, so a file with a header is complete.
"""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

from firesteel.cache_folder import UNUSED, private_cache_folder
from firesteel.file_trust import distrust, make_private
from firesteel.spark.launch.java import Java

_QUIET = ["-Xshare:auto", "-Xlog:cds=off", "-Xlog:cds+dynamic=off", "-Xlog:class+path=off"]
_NEW, _OF_USE = ".new", ".mark"
_ABANDONED = 600.0
"""Seconds after which an archive that was begun and not finished is given up."""


@dataclass(frozen=True)
class ClassArchive:
    """What a JVM is to be started with. mark: where to write that what it has loaded is worth keeping."""

    options: tuple[str, ...] = ()
    mark: Path | None = None

    def keep(self) -> None:
        """Mark what the JVM has loaded as worth keeping: a job has given results in it."""
        if self.mark is not None:
            with suppress(OSError):
                self.mark.touch()


def class_archive(java: Java, jars: Path, host: str, cache: Path | None = None) -> ClassArchive:
    """Uses the archive for this Java, these jars and this host, or makes it."""
    try:
        folder = private_cache_folder("jvm") if cache is None else cache / "jvm"
        make_private(folder)
        return _use_or_make(folder, _key(java, jars, host))
    except (OSError, RuntimeError):  # no folder that can be written to, others write to it, or no home
        return ClassArchive()


def _key(java: Java, jars: Path, host: str) -> str:
    digest = hashlib.sha256(f"{java.executable} {java.version} {jars}".encode())
    for jar in sorted(os.scandir(jars), key=lambda entry: entry.name):
        status = jar.stat()
        digest.update(f"{jar.name} {status.st_size} {status.st_mtime_ns}\n".encode())
    return f"spark-{host}-{digest.hexdigest()[:16]}"


def _use_or_make(folder: Path, key: str) -> ClassArchive:
    archive = folder / f"{key}.jsa"
    if _is_own(archive) or _adopt(folder, key, archive):
        with suppress(OSError):  # root's, of an image
            os.utime(archive)
        return ClassArchive((*_QUIET, f"-XX:SharedArchiveFile={archive}"))
    if any(folder.glob(f"{key}.*{_NEW}")):
        return ClassArchive(tuple(_QUIET))  # another run is making it
    _forget(folder.glob("*.jsa"), UNUSED)
    made = folder / f"{key}.{uuid4().hex}{_NEW}"
    return ClassArchive((*_QUIET, f"-XX:ArchiveClassesAtExit={made}"), made.with_suffix(_OF_USE))


def _adopt(folder: Path, key: str, archive: Path) -> bool:
    """Put a finished archive in place; drop those that were given up or are of no use."""
    for made in folder.glob(f"{key}.*{_NEW}"):
        if not (_is_own(made) and _is_complete(made)):
            continue
        mark = made.with_suffix(_OF_USE)
        if mark.exists():
            made.replace(archive)
            mark.unlink()
            return True
        made.unlink()
    _forget(folder.glob(f"{key}.*{_NEW}"), _ABANDONED)
    return False


def _is_own(file: Path) -> bool:
    """Whether a file is there and no other user could have written it: the JVM runs what is in it."""
    with suppress(FileNotFoundError):
        return distrust(file) is None
    return False


def _forget(files: Iterable[Path], seconds: float) -> None:
    """Delete those that nobody wrote or used for so long."""
    for file in files:
        if time.time() - file.stat().st_mtime > seconds:
            file.unlink(missing_ok=True)
            file.with_suffix(_OF_USE).unlink(missing_ok=True)


def _is_complete(archive: Path) -> bool:
    with archive.open("rb") as file:
        return any(file.read(4))
