"""Spark's Python worker daemon, with the workers' libraries loaded before the first fork.

Spark starts one daemon a JVM and forks the workers from it (`spark.python.daemon.module`). What is
loaded here is loaded once, while the driver still plans the query, and shared by all workers. No
library is used before the fork, only loaded: threads do not survive a fork.
"""

from __future__ import annotations

import importlib
import sys
from importlib.abc import MetaPathFinder

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


class _NoPandas(MetaPathFinder):
    """Finds no pandas, and everything else where it is."""

    def find_spec(self, fullname: str, path: object, target: object = None) -> None:
        if fullname == "pandas":
            raise ImportError(fullname)


def spare_pandas() -> None:
    """Keep pyarrow from loading pandas (a third of a second) at its first `pa.array`, only to know whether
    it was given a Series. Where pandas is really asked for, it is loaded then."""
    if "pandas" in sys.modules:
        return
    import pyarrow as pa

    blind = _NoPandas()
    sys.meta_path.insert(0, blind)
    try:
        pa.array([0])
    finally:
        sys.meta_path.remove(blind)


def main() -> None:
    """The daemon's process."""
    spare_pandas()
    load()
    from pyspark.daemon import manager

    manager()


if __name__ == "__main__":
    main()
