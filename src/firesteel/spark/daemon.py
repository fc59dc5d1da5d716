"""Spark's Python worker daemon, with the workers' libraries loaded before the first fork.

Spark starts one daemon a JVM and forks the workers from it (`spark.python.daemon.module`). What is
loaded here is loaded once, while the driver still plans the query, and shared by all workers. No
library is used before the fork, only loaded: threads do not survive a fork.
"""

from __future__ import annotations

import gc
import importlib

from firesteel.spark.lean import spare_pandas

MODULES = (
    "numpy",
    "numpy.ma",
    "pyarrow",
    "pyarrow.compute",
    "duckdb",
    "pyspark.worker",
    "firesteel.spark.tasks",
    "firesteel.runtime.operators.calc",
    "firesteel.runtime.operators.group_aggregate",
    "firesteel.runtime.operators.local_group_aggregate",
    "firesteel.runtime.operators.global_group_aggregate",
    "firesteel.runtime.operators.map_bundle",
    "firesteel.connectors.filesystem_source",
    "firesteel.formats.canal_json",
)


def load(modules: tuple[str, ...] = MODULES) -> None:
    """Load what the workers will need. What cannot be loaded will say so where it is needed."""
    for module in modules:
        try:
            importlib.import_module(module)
        except ImportError:
            continue


def keep_out_of_collections() -> None:
    """Take what is loaded out of the garbage collector's sight: a worker collects after every task, and to
    go through all that the libraries hold took 60 to 100 ms of the next task's time."""
    gc.collect()
    gc.freeze()


def main() -> None:
    """The daemon's process."""
    spare_pandas()
    load()
    from pyspark.daemon import manager

    keep_out_of_collections()
    manager()


if __name__ == "__main__":
    main()
