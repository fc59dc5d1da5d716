"""Find a Java that Spark can run on."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from firesteel.errors import UsageError

MINIMUM = 17
"""Oldest Java version that Spark 4.2 runs on."""

_HINT = (
    "Spark needs Java 17 or later. Install one (apt install openjdk-17-jre-headless, "
    "brew install openjdk@17, or https://adoptium.net) and put it on PATH or set JAVA_HOME."
)


@dataclass(frozen=True)
class Java:
    """A Java installation: its executable, and its version such as `17.0.15`."""

    executable: Path
    version: str


def find_java() -> Java:
    """Return the Java of JAVA_HOME, or else of PATH.

    Raises:
        UsageError: There is none, or it is too old.
    """
    home = os.environ.get("JAVA_HOME")
    found = str(Path(home, "bin", "java")) if home else shutil.which("java")
    if not found or not Path(found).is_file():
        where = f"JAVA_HOME is {home}, but has no bin/java" if home else "no java on PATH"
        raise UsageError(f"Java was not found: {where}", hint=_HINT)
    executable = Path(found).resolve()
    version = _version(executable)
    major = re.match(r"(?:1\.)?(\d+)", version)
    if major is None or int(major[1]) < MINIMUM:
        raise UsageError(f"Java {version} at {found} is too old", hint=_HINT)
    return Java(executable, version)


def _version(executable: Path) -> str:
    """Return the version from the installation's `release` file.

    Running the JVM would take a tenth of a second.
    """
    release = executable.parents[1] / "release"
    if release.is_file():
        written = re.search(r'^JAVA_VERSION="([^"]+)"', release.read_text(errors="replace"), re.MULTILINE)
        if written:
            return written[1]
    try:
        said = subprocess.run([executable, "-version"], capture_output=True, text=True, timeout=30).stderr
    except (OSError, subprocess.SubprocessError) as error:
        raise UsageError(f"Java at {executable} does not run: {error}", hint=_HINT) from error
    written = re.search(r'version "([^"]+)"', said)
    return written[1] if written else "unknown"


def spark_home() -> Path:
    """Return the folder of the pyspark package, without importing it."""
    found = importlib.util.find_spec("pyspark")
    if found is None or found.origin is None:
        raise UsageError("pyspark is not installed", hint="pip install 'pyspark>=4.2,<4.4'")
    return Path(found.origin).parent
