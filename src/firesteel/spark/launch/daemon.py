"""Spark's Python worker daemon, with the workers' libraries loaded before the first fork.

Spark starts a daemon and forks the workers from it (`spark.python.daemon.module`). Modules are loaded once
and shared by all workers. The fork server (fork_server.py) loads them while the JVM is starting; without it,
the daemon does. Libraries are only loaded before the fork, never used, because threads do not survive a fork.
"""

from __future__ import annotations

import atexit
import gc
import importlib
import runpy
import sys
from collections.abc import Iterator
from pathlib import Path

from firesteel.spark.launch.fork_server import serve
from firesteel.spark.launch.freed_memory import return_after_tasks
from firesteel.spark.launch.spark_submit_launcher import tell
from firesteel.spark.start.ended_peers import quiet_worker

MODULES = (
    "numpy",
    "numpy.ma",
    "pyarrow",
    "pyarrow.compute",
    "duckdb",
    "pyspark.daemon",
    "pyspark.worker",
    "firesteel.spark.task.source_task",
    "firesteel.spark.task.stage_task",
    "firesteel.runtime.operators.calc.calc",
    "firesteel.runtime.operators.group.group_aggregate",
    "firesteel.runtime.operators.group.local_group_aggregate",
    "firesteel.runtime.operators.group.global_group_aggregate",
    "firesteel.runtime.operators.group.map_bundle",
    "firesteel.connectors.filesystem.connector",
    "firesteel.connectors.datagen.connector",
    "firesteel.formats.cdc.canal.format",
)
KERNELS = "firesteel.kernels.warm"
OPTIONAL = "psutil"
"""Module that Spark's shuffle tries to import before each sort. It is optional.

Loading it, or finding that it is missing, took each worker 60 ms.
"""


def load(modules: tuple[str, ...] = MODULES) -> None:
    """Load the modules that workers need. A missing module raises its error later, where it is used."""
    for module in modules:
        try:
            importlib.import_module(module)
        except ImportError:
            continue


def load_optional(module: str = OPTIONAL) -> None:
    """Load an optional module. If it is missing, later imports of it fail without a search."""
    try:
        importlib.import_module(module)
    except ImportError:
        sys.modules[module] = None  # type: ignore[assignment]


def load_kernels(module: str = KERNELS) -> Iterator[str]:
    """Load compiled kernels of earlier runs, and yield after each one. Nothing is compiled.

    Compiling here would delay the first job that needs a worker.
    """
    try:
        loading = importlib.import_module(module).load_kept()
    except ImportError:
        return
    for name in loading:
        gc.freeze()
        yield name


def installed_first(path: list[str]) -> list[str]:
    """Return the path without Spark's zip files of Python sources, if pyspark is installed as a package, too.

    The zip files hold no compiled code. To compile it takes as long as loading all other modules.
    """

    def is_spare(entry: str) -> bool:
        package = Path(entry).parents[2:3]  # The entry is like pyspark/python/lib/pyspark.zip.
        return entry.endswith(".zip") and any((folder / "__init__.py").is_file() for folder in package)

    return [entry for entry in path if not is_spare(entry)]


def keep_out_of_collections() -> None:
    """Exclude all loaded objects from garbage collection.

    A worker collects garbage after every task, and scanning the libraries' objects took 60 to 100 ms of the
    next task's time. At the ordinary exit of the process they are included again, as DuckDB would otherwise
    print warnings about leftover objects.
    """
    gc.freeze()
    atexit.register(gc.unfreeze)


def prepare() -> None:
    """Prepare this process for forking workers. A fork of the fork server is already prepared."""
    if gc.get_freeze_count():
        return
    from firesteel.spark.launch.processor import spare_slow_sorts
    from firesteel.spark.launch.without_pandas import spare_pandas

    gc.disable()  # The loaded objects all stay in use, so a collection would find no garbage.
    sys.path[:] = installed_first(sys.path)
    spare_slow_sorts()
    spare_pandas()
    load()
    load_optional()
    keep_out_of_collections()
    return_after_tasks()
    gc.enable()


SPARKS_DAEMON = "pyspark.daemon"
"""The module that Spark runs as its daemon by default. Its name is private to pyspark."""


def run_module() -> None:
    """Run a module as `python -m` does, with the command-line arguments that follow its name."""
    quiet_worker()
    del sys.argv[0]
    sys.modules.pop(sys.argv[0], None)  # runpy warns of a module that is imported already.
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)


def main() -> None:
    """Run Spark's worker daemon; or, with `--serve`, the fork server, and in its forks the wanted module."""
    if sys.argv[1:2] == ["--serve"]:
        from firesteel.spark.launch.orphans import Orphans

        serve(sys.argv[2], prepare, load_kernels(), Orphans(int(sys.argv[3])).end)
        run_module()
    else:
        try:
            prepare()
        except Exception as error:
            tell("Python workers are started", error)
        sys.argv[:1] = ["-m", SPARKS_DAEMON]
        run_module()


if __name__ == "__main__":
    main()
