"""Code that the driver sends to executors: Firesteel itself, and modules of user-defined functions.

Firesteel is sent as a zip with its bytecode, which precedes installed packages on the workers' path. Folders
of user-defined functions are unpacked and stay off the path, as on the driver (functions/python/modules.py).
Spark brings both to an executor with its first task, also if the executor starts late.
"""

from __future__ import annotations

import hashlib
import os
import sys
import sysconfig
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import firesteel
from firesteel import process_cache
from firesteel.config.secrets import Pairs, hand_on
from firesteel.errors import UsageError
from firesteel.job.lookups import looked_up
from firesteel.job.spec import JobSpec
from firesteel.runtime.spec.tables import ScanSpec
from firesteel.spark.bytecode import kept_bytecode
from firesteel.spark.environment_archive import use_archives
from firesteel.spark.errors import functions_of
from firesteel.spark.internals.tasks import variables_of_workers
from firesteel.spark.internals.worker_end import at_worker_end
from firesteel.spark.temporary import private_folder
from firesteel.types import user_function
from firesteel.types.user_function import UserFunction

if TYPE_CHECKING:
    from pyspark import SparkContext

    from firesteel.spark.launch.launch import Spark

_NAME = "firesteel-modules"
_MOST_BYTES = 64 << 20
"""Maximum size of a folder with modules. Larger packages should be installed on the workers."""
_sent: dict[tuple[str, str], str] = {}
"""Fingerprint of the files of a folder when they were last sent, by application and folder."""


# --- on the driver ---------------------------------------------------------------------------------
def ship_code(spark: Spark, job: JobSpec) -> None:
    """Send the code of a job to executors on other machines.

    Raises:
        UsageError: A folder of modules is too large.
    """
    if spark.is_local:
        return
    use_archives(spark.context)
    package = Path(firesteel.__file__).parent
    if package.is_dir() and (spark.context.applicationId, "") not in _sent:
        _ship_package(spark.context, package)  # spark-submit --py-files has sent a zip, not a folder
        _sent[spark.context.applicationId, ""] = ""
    _ship_modules(spark.context, functions_of(job))


def _ship_package(context: SparkContext, package: Path) -> None:
    """Send this Firesteel package to all workers."""
    from zipfile import ZipFile

    file = private_folder("code") / f"firesteel-{firesteel.__version__}.zip"
    with ZipFile(file, "w", strict_timestamps=False) as archive:
        for source in sorted(package.rglob("*")):
            if source.is_file() and source.suffix != ".pyc":
                name = source.relative_to(package.parent)
                archive.write(source, name)
                code = kept_bytecode(source) if source.suffix == ".py" else None
                if code is not None:
                    archive.writestr(str(name.with_suffix(".pyc")), code)
    context.addPyFile(str(file))
    # Workers that plan Python sources run on this machine. Spark sends files only to executors, so these
    # workers find the zip by PYTHONPATH.
    variables = variables_of_workers(context)
    variables["PYTHONPATH"] = os.pathsep.join(filter(None, [str(file), variables.get("PYTHONPATH")]))


def _ship_modules(context: SparkContext, functions: Iterable[UserFunction]) -> None:
    """Send the folders with the modules of functions. Installed packages are expected on all machines."""
    wanted: dict[str, set[str]] = {}
    for function in functions:
        if function.folder and not _is_installed(function.folder):
            wanted.setdefault(function.folder, set()).add(function.code.replace(":", ".").partition(".")[0])
    for folder, tops in wanted.items():
        _ship_folder(context, Path(folder), tops)


def _is_installed(folder: str) -> bool:
    places = [sysconfig.get_path(name) for name in ("purelib", "platlib", "stdlib")]
    return any(Path(folder).resolve() == Path(place).resolve() for place in places)


def _ship_folder(context: SparkContext, folder: Path, tops: set[str]) -> None:
    files = sorted(_modules(folder, tops))
    size = sum(file.stat().st_size for file in files)
    if size > _MOST_BYTES:
        raise UsageError(
            f"{folder}: its modules have {size >> 20:,} MiB, too much to send to a cluster's executors",
            hint="install large packages in the executors' Python, or keep them in another folder",
        )
    seen = hashlib.sha256("\n".join(f"{f} {f.stat().st_mtime_ns}" for f in files).encode()).hexdigest()
    key = context.applicationId, str(folder)
    if _sent.get(key) == seen:
        return
    from zipfile import ZipFile

    name = f"{_name(str(folder))}-{time.time_ns()}"
    archive = private_folder("modules") / f"{name}.zip"
    with ZipFile(archive, "w", strict_timestamps=False) as opened:
        for file in files:
            opened.write(file, file.relative_to(folder))
    context.addArchive(f"{archive}#{name}")
    _sent[key] = seen


def _modules(folder: Path, tops: set[str]) -> Iterator[Path]:
    """Yield the files of all modules and packages in a folder.

    `tops` are the names of the top-level modules and packages that have the functions. A folder without
    __init__.py is left out, unless its name is in `tops`.
    """
    for entry in folder.iterdir():
        if entry.is_file() and entry.suffix == ".py":
            yield entry
        elif entry.is_dir() and (entry.name in tops or (entry / "__init__.py").is_file()):
            files = (file for file in entry.rglob("*") if file.is_file() and file.suffix != ".pyc")
            yield from files


def _name(folder: str) -> str:
    return f"{_NAME}-{hashlib.sha256(folder.encode()).hexdigest()[:16]}"


# --- in a task -------------------------------------------------------------------------------------
def prepare_worker() -> None:
    """Make user-defined functions load from the unpacked folders, and be closed when the worker ends.

    Each task calls this before it does anything else. Further calls change nothing.
    """
    process_cache.at_end = at_worker_end
    user_function.located = located


def located(folder: str) -> str:
    """Return the path at which this task finds a folder of the driver; `folder` if it was not sent."""
    if "pyspark" not in sys.modules:
        return folder
    from pyspark import SparkFiles, TaskContext

    if TaskContext.get() is None:
        return folder
    places = Path(SparkFiles.getRootDirectory()).glob(f"{_name(folder)}-*")
    found = [place for place in places if place.is_dir()]
    return str(max(found)) if found else folder  # names end with the time of sending


def hand_on_secrets(jobs: Sequence[JobSpec], spark: Spark) -> None:
    """Send secrets and code of jobs to the workers of a Spark, once it has started."""
    for job in jobs:
        hand_on(table_options(job), variables_of_workers(spark.context))  # waits for Spark
        ship_code(spark, job)


def table_options(job: JobSpec) -> Iterator[Pairs]:
    """Yield the options, as (key, value) pairs, of each source, lookup table and sink of a job."""
    yield from (chain.source.options for chain in job.chains if isinstance(chain.source, ScanSpec))
    yield from (scan.options for scan in looked_up(job))
    yield from (sink.options for sink in job.sinks)
