"""Checks of environment variables and the master's address before Spark starts.

Spark reports such mistakes late, and without naming the variable or address.
"""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import sys
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path

from firesteel.errors import FiresteelError, JobError, UsageError

_PATIENCE = 5.0
"""Seconds to wait for a connection to a master, or for the output of the Python of PYSPARK_PYTHON."""

_ABOUT = "import sys, importlib.util as u; print(*sys.version_info[:2], u.find_spec('firesteel') is not None)"


def check_variables(environment: Mapping[str, str], is_local: bool) -> None:
    """Check SPARK_HOME and, if workers run on this machine, PYSPARK_PYTHON.

    Raises:
        UsageError: A variable names no usable Spark or Python.
    """
    home, python = environment.get("SPARK_HOME"), environment.get("PYSPARK_PYTHON")
    if home:
        _check_home(Path(home))
    if is_local and python and python != sys.executable:
        _check_python(python)


def _check_home(home: Path) -> None:
    from importlib.metadata import version

    own = version("pyspark")
    hint = f"unset SPARK_HOME to use pyspark's own Spark {own}, or set it to where a Spark {own} lies"
    if not (home / "bin" / "spark-submit").is_file():
        raise UsageError(f"SPARK_HOME is {home}, but there is no Spark: no bin/spark-submit", hint=hint)
    core = next((home / "jars").glob("spark-core_*.jar"), None)
    found = re.search(r"-(\d+\.\d+)", core.name) if core is not None else None
    if found and found[1] != ".".join(own.split(".")[:2]):
        raise UsageError(f"SPARK_HOME is {home}, a Spark {found[1]}; pyspark is {own}", hint=hint)


def _check_python(python: str) -> None:
    hint = f"unset PYSPARK_PYTHON to use {sys.executable}, or set it to a Python that has Firesteel"
    command = shutil.which(python)
    if command is None:
        raise UsageError(f"PYSPARK_PYTHON is {python}, which is not there or cannot be run", hint=hint)
    try:
        said = subprocess.run(
            [str(Path(command).absolute()), "-c", _ABOUT],
            capture_output=True,
            text=True,
            timeout=_PATIENCE,
            stdin=subprocess.DEVNULL,
            cwd=os.sep,  # Modules in the current folder must not be imported.
        ).stdout.split()
    except (OSError, subprocess.SubprocessError) as error:
        raise UsageError(f"PYSPARK_PYTHON is {python}, which does not run: {error}", hint=hint) from error
    if len(said) != 3 or not said[0].isdigit():
        raise UsageError(f"PYSPARK_PYTHON is {python}, which is no Python", hint=hint)
    own = sys.version_info[:2]
    if [int(said[0]), int(said[1])] != list(own):
        raise UsageError(
            f"PYSPARK_PYTHON is {python}, a Python {said[0]}.{said[1]}; this is {own[0]}.{own[1]}", hint=hint
        )
    if said[2] != "True":
        raise UsageError(f"PYSPARK_PYTHON is {python}, which has no Firesteel installed", hint=hint)


def check_master(master: str | None) -> None:
    """Check that one of the hosts of a standalone master can be reached. Spark itself would try for minutes.

    Raises:
        JobError: No host can be reached.
        UsageError: `master` is not an address.
    """
    if master is None or not master.startswith("spark://"):
        return
    problem = ""
    for address in master.removeprefix("spark://").split(","):
        host, _, port = address.rpartition(":")
        if not host or not port.isdigit():
            raise UsageError(f"{master} is no address of a Spark master", hint="spark://HOST:PORT")
        try:
            with closing(socket.create_connection((host.strip("[]"), int(port)), _PATIENCE)):
                return
        except OSError as error:
            problem = os.strerror(error.errno) if error.errno and error.errno > 0 else str(error)
    raise JobError(
        f"Spark's master {master} cannot be reached: {problem}",
        hint="start it or correct the address; without a master, Spark runs on this machine",
    )


def did_not_start(error: Exception) -> FiresteelError:
    """Return an error that says in one line why Spark did not start."""
    from firesteel.spark.errors import java_words

    # Java's UnixSystem (com.sun.security.auth.module) fails with this text if a user id has no name.
    if "invalid null input: name" in str(error):
        uid = os.getuid()
        return UsageError(
            f"Spark did not start: user id {uid} has no name, which Hadoop's libraries ask for",
            hint=f"give it a line in /etc/passwd: user:x:{uid}:{os.getgid()}::/tmp:/bin/sh",
        )
    return JobError(f"Spark did not start: {java_words(str(error)) or type(error).__name__}")
