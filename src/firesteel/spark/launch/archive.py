"""Class-data archive: a file with the classes that a JVM has loaded. With it, later JVMs start twice as fast.

The JVM of the first run writes an archive when it ends (-XX:ArchiveClassesAtExit). Later JVMs map the archive
(-XX:SharedArchiveFile). There is one archive for each Java, set of jars, and host (batch or stream). No run
waits for an archive or depends on it: the JVM ignores an archive that does not fit.

    KEY.PID.ID.new    file of one run: first empty, then the archive that its JVM writes at its end
    KEY.PID.ID.mark   marker: a job of that run returned results, so the archive has the classes of a job
    KEY.jsa           the archive that runs use

While a run with an empty `.new` file exists, other runs write no archive with this KEY. A later run renames a
`.new` file to `.jsa` if the archive is complete and the run has a marker. A `.new` file with a header is
complete, because the JVM writes the header last.
"""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

from firesteel.cache_folder import UNUSED, private_cache_folder
from firesteel.file_trust import distrust, make_private
from firesteel.spark.launch.java import Java

_QUIET = ["-Xshare:auto", "-Xlog:cds=off", "-Xlog:cds+dynamic=off", "-Xlog:class+path=off"]
_IN_PLACE = ["-XX:+UnlockDiagnosticVMOptions", "-XX:ArchiveRelocationMode=0"]
"""JVM options that map the archive at the address that it was written for.

By default, Java 17.0.15 maps the archive at another address and rewrites the pointers in it. Each rewritten
page is private memory of one JVM: 137 of the archive's 180 MB. At the original address, only 62 MB are
private. All JVMs of the machine that map the archive share the rest.
"""
_NEW, _OF_USE = ".new", ".mark"
_ABANDONED = 600.0
"""Seconds after which an unfinished archive counts as abandoned."""
_MOST = 8
"""Number of archives that are kept for a user. Each Python environment has archives of its own."""


@dataclass(frozen=True)
class ClassArchive:
    """JVM options that use or create a class-data archive.

    `mark` is the path at which `keep` creates the marker file (`.mark`) of the new archive. It is None if
    this run writes no archive.
    """

    options: tuple[str, ...] = ()
    mark: Path | None = None

    def keep(self) -> None:
        """Create the marker file: a job has returned results, so the JVM's archive is worth keeping."""
        if self.mark is not None:
            with suppress(OSError):
                self.mark.touch()


def class_archive(java: Java, jars: Sequence[Path], host: str, cache: Path | None = None) -> ClassArchive:
    """Return options that use the archive for this Java, class path and host, or that create it."""
    try:
        folder = private_cache_folder("jvm") if cache is None else cache / "jvm"
        make_private(folder)
        return _use_or_make(folder, _key(java, jars, host))
    except (OSError, RuntimeError):  # No folder is writable by this user alone, or there is no home folder.
        return ClassArchive()


def _key(java: Java, jars: Sequence[Path], host: str) -> str:
    digest = hashlib.sha256(f"{java.executable} {java.version}\n".encode())
    for jar in jars:
        status = jar.stat()
        digest.update(f"{jar} {status.st_size} {status.st_mtime_ns}\n".encode())
    return f"spark-{host}-{digest.hexdigest()[:16]}"


def _use_or_make(folder: Path, key: str) -> ClassArchive:
    archive = folder / f"{key}.jsa"
    if _is_own(archive) or _adopt(folder, key, archive):
        with suppress(OSError):  # utime fails if the archive belongs to root, as in a container image.
            os.utime(archive)
        return ClassArchive((*_QUIET, *_IN_PLACE, f"-XX:SharedArchiveFile={archive}"))
    if any(map(_is_claimed, folder.glob(f"{key}.*{_NEW}"))):
        return ClassArchive(tuple(_QUIET))
    _forget(folder.glob("*.jsa"), UNUSED)
    _forget(folder.glob(f"*{_OF_USE}"), UNUSED)  # markers of killed JVMs, without archives
    _forget(_oldest(folder), _ABANDONED)
    made = folder / f"{key}.{os.getpid()}.{uuid4().hex}{_NEW}"
    made.touch()
    return ClassArchive((*_QUIET, f"-XX:ArchiveClassesAtExit={made}"), made.with_suffix(_OF_USE))


def _is_claimed(made: Path) -> bool:
    """Return whether the file `made` (`.new`) has an archive, or will get one from a process that still runs.

    A process makes the empty file when it starts, and writes the archive into it when it ends. If the process
    was killed, the file stays empty, and the result is False.
    """
    with suppress(FileNotFoundError, ProcessLookupError, ValueError):  # ValueError: a name without a PID
        if made.stat().st_size > 0:
            return True
        os.kill(int(made.name.split(".")[1]), 0)
        return True
    return False


def _oldest(folder: Path) -> list[Path]:
    """Return all archives but the eight (_MOST) that were written or used last.

    Each Python environment has its own archives of 200 MB each. They are useless if it is deleted.
    """
    archives = [*folder.glob("*.jsa"), *folder.glob(f"*{_NEW}")]
    return sorted(archives, key=lambda file: file.stat().st_mtime, reverse=True)[_MOST:]


def _adopt(folder: Path, key: str, archive: Path) -> bool:
    """Rename the first complete `.new` file with a marker to `archive`, and return whether there was one.

    Complete files without a marker are deleted. If no file is renamed, abandoned files are deleted, too.
    """
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
    """Return whether a file exists and no other user could have written it. The JVM runs the code in it."""
    with suppress(FileNotFoundError):
        return distrust(file) is None
    return False


def _forget(files: Iterable[Path], seconds: float) -> None:
    """Delete the files that nobody has written or used for this number of seconds."""
    for file in files:
        with suppress(FileNotFoundError):  # Another run has removed or renamed it.
            if time.time() - file.stat().st_mtime > seconds:
                file.unlink(missing_ok=True)
                file.with_suffix(_OF_USE).unlink(missing_ok=True)


def _is_complete(archive: Path) -> bool:
    with archive.open("rb") as file:
        return any(file.read(4))
