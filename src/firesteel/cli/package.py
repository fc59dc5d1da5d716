"""The command `firesteel package`: an archive of packages for the executors of a cluster."""

from __future__ import annotations

import sys
from collections.abc import Collection
from pathlib import Path

from firesteel.spark.environment_archive import write_archive


def write_package(target: str, extras: Collection[str] | None) -> int:
    """Write the archive, print its packages and how to use it, and return the exit status 0.

    Args:
        target: Path of the archive: .tar.gz, .tgz or .tar.
        extras: Extras of Firesteel to include, such as `kafka`; None for the installed ones that executors
            need.

    Raises:
        UsageError: The path has another suffix, an extra is unknown or not installed, or the file cannot be
            written.
    """
    file = Path(target)
    versions = write_archive(file, extras)
    size = file.stat().st_size / (1 << 20)
    packages = ", ".join(f"{name} {version}" for name, version in versions.items())
    sys.stdout.write(f"{target}: {size:,.0f} MiB, Firesteel and {packages}\n")
    sys.stdout.write(f"Use it: firesteel run job.sql --master ... --set spark.archives={file}#env\n")
    return 0
