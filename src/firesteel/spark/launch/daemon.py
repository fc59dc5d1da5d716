"""Spark's Python worker daemon, with the workers' libraries loaded before the first fork.

Spark starts a daemon and forks the workers from it (`spark.python.daemon.module`). What is loaded here is
loaded once and shared by all workers: by the fork server (fork_server.py) while the JVM is starting, else by
the daemon itself. No library is used before the fork, only loaded: threads do not survive a fork.
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
"""Spark's shuffle imports it before each sort, and does without: to load it, or to find that it is not there,
took each worker 60 ms."""


def load(modules: tuple[str, ...] = MODULES) -> None:
    """Load what the workers will need. What cannot be loaded will say so where it is needed."""
    for module in modules:
        try:
            importlib.import_module(module)
        except ImportError:
            continue


def load_optional(module: str = OPTIONAL) -> None:
    """Load what may be there; where it is not, say so to whoever imports it without a search."""
    try:
        importlib.import_module(module)
    except ImportError:
        sys.modules[module] = None  # type: ignore[assignment]


def load_kernels(module: str = KERNELS) -> Iterator[str]:
    """Load, step by step, what was compiled in earlier runs. Nothing is compiled: the first job that needs it
    would wait."""
    try:
        loading = importlib.import_module(module).load_kept()
    except ImportError:
        return
    for name in loading:
        gc.freeze()
        yield name


def installed_first(path: list[str]) -> list[str]:
    """The path without Spark's zips of its own Python sources, where the package that they lie in is
    installed: zips hold no compiled code, and compiling it takes as long as loading everything else."""

    def is_spare(entry: str) -> bool:
        package = Path(entry).parents[2:3]  # pyspark/python/lib/pyspark.zip
        return entry.endswith(".zip") and any((folder / "__init__.py").is_file() for folder in package)

    return [entry for entry in path if not is_spare(entry)]


def keep_out_of_collections() -> None:
    """Take what is loaded out of the garbage collector's sight: a worker collects after every task, and to
    go through all that the libraries hold took 60 to 100 ms of the next task's time. At the ordinary end of a
    process they are in sight again: DuckDB would say at length that they were left over."""
    gc.freeze()
    atexit.register(gc.unfreeze)


def prepare() -> None:
    """Make this process one that workers are forked from; a fork of the server is one already."""
    if gc.get_freeze_count():
        return
    from firesteel.spark.launch.processor import spare_slow_sorts
    from firesteel.spark.launch.without_pandas import spare_pandas

    gc.disable()  # what is loaded stays: collections would go through all of it and find nothing
    sys.path[:] = installed_first(sys.path)
    spare_slow_sorts()
    spare_pandas()
    load()
    load_optional()
    keep_out_of_collections()
    gc.enable()


SPARKS_DAEMON = "pyspark.daemon"
"""Private: the module that Spark runs as its daemon, where it is not told another."""


def run_module() -> None:
    """What `python -m` does with the arguments that came with it."""
    quiet_worker()
    del sys.argv[0]
    sys.modules.pop(sys.argv[0], None)  # it is run, not imported
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)


def main() -> None:
    """The daemon's process, or the fork server's and then its forks'."""
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
