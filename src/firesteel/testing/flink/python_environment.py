"""Python with Flink: one that the user names, or one in the cache folder that is made at the first use."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from uuid import uuid4

from firesteel.cache_folder import private_cache_folder
from firesteel.errors import JobError, UsageError
from firesteel.notices import say

VERSION = "2.3.0"
"""Version of Flink that Firesteel follows."""
OPTION = "--flink-python"
_PYTHONS = ((3, 10), (3, 12))
"""Oldest and newest Python that Flink's package is made for."""
_SIZES = "pip downloads about 420 MB, the folder takes about 850 MB"
_SHOW_VERSION = "import importlib.metadata as m; print(m.version('apache-flink'))"
_SECONDS = 60


def flink_python(given: str | None, version: str | None) -> str:
    """Return the path of a Python that has the package apache-flink.

    Args:
        given: The user's Python. None for an environment in the cache folder, which the first use makes.
        version: Version of Flink in this environment, None for VERSION. It must be None if `given` is not.

    Raises:
        UsageError: The user's Python has no Flink, Flink cannot be installed, or an argument is wrong.
        JobError: The installation of Flink was killed.
    """
    if given is not None:
        if version is not None:
            raise UsageError(f"give --flink-version or {OPTION}, not both")
        _check(given)
        return given
    version = version or VERSION
    if re.fullmatch(r"\d+\.\d+\.\d+", version) is None:
        raise UsageError(f"--flink-version takes a version such as {VERSION}, got {version!r}")
    return str(_cached(version))


def _check(python: str) -> None:
    """Raise UsageError if a Python does not run or has no Flink."""
    try:
        found = subprocess.run(
            [python, "-c", _SHOW_VERSION], capture_output=True, text=True, timeout=_SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        why = getattr(error, "strerror", None) or "no answer"
        raise UsageError(f"{OPTION}: {python} does not run: {why}") from None
    if found.returncode:
        hint = f"{python} -m pip install apache-flink=={VERSION}"
        raise UsageError(f"{OPTION}: {python} does not have the package apache-flink", hint=hint)


def _cached(version: str) -> Path:
    base = _base_python()
    try:
        parent = private_cache_folder("flink")
    except (OSError, RuntimeError) as error:
        raise UsageError(f"no cache folder for Flink: {error}", hint=_hint()) from error
    folder = parent / f"{version}-{Path(base).name}"
    if not _python_of(folder).exists():
        _make(folder, base, version)
    return _python_of(folder)


def _base_python() -> str:
    """Return a Python that Flink's package is made for. Raises UsageError if there is none."""
    oldest, newest = _PYTHONS
    if oldest <= sys.version_info[:2] <= newest:
        return str(Path(sys.executable).with_name(f"python{sys.version_info[0]}.{sys.version_info[1]}"))
    for minor in range(newest[1], oldest[1] - 1, -1):
        if (found := shutil.which(f"python3.{minor}")) is not None:
            return found
    raise UsageError(
        f"Flink's package needs Python {oldest[0]}.{oldest[1]} to {newest[0]}.{newest[1]}, and PATH has none",
        hint=_hint(),
    )


def _python_of(folder: Path) -> Path:
    return folder / "bin" / "python"


def _make(folder: Path, base: str, version: str) -> None:
    """Make an environment with Flink. The folder appears only when the environment is complete."""
    say(f"Flink {version} is installed into {folder}: {_SIZES}. This happens once.")
    temporary = folder.with_name(f".{uuid4().hex}")
    try:
        _run([base, "-m", "venv", str(temporary)], version)
        pip = [str(_python_of(temporary)), "-m", "pip", "install", "--disable-pip-version-check"]
        _run([*pip, f"apache-flink=={version}"], version)
        if not folder.exists():
            temporary.rename(folder)
    except OSError as error:
        raise UsageError(f"Flink cannot be installed into {folder}: {error}", hint=_hint()) from error
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def _run(command: list[str], version: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=_environment())
    if not done.returncode:
        return
    why = cause(done.stdout + done.stderr)
    if done.returncode < 0:
        raise JobError(f"the installation of Flink {version} was killed by signal {-done.returncode}")
    raise UsageError(f"Flink {version} cannot be installed: {why}", hint=_hint())


def cause(output: str) -> str:
    """Return the line of pip's output that says why an installation failed.

    This is the last line that begins with `ERROR: `, else the last line. If the build of a package fails, pip
    prints the build's lines with blanks and lines such as `│` before them, which are removed first.
    """
    lines = [line.strip(" │╰─>×") for line in output.splitlines() if line.strip()]
    errors = [line.removeprefix("ERROR: ") for line in lines if line.startswith("ERROR: ")]
    return (errors or lines or ["no message"])[-1]


def _environment() -> dict[str, str]:
    """Return the environment variables without those that hold only for Firesteel's own Python."""
    return {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "PYTHONHOME")}


def _hint() -> str:
    return (
        f"pip needs a network or an index (PIP_INDEX_URL); or name a Python with apache-flink: {OPTION} PATH"
    )
