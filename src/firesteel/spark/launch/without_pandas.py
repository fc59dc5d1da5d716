"""Keep pandas out of processes that do not need it: loading it takes a third of a second.

For Firesteel's own processes only, the command and the workers' daemon: a user's program may give pandas
objects to Arrow, which would no longer know them. Where pandas is asked for by name, it is loaded then.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.abc import MetaPathFinder


class _NoPandas(MetaPathFinder):
    """Finds no pandas, and everything else where it is."""

    def find_spec(self, fullname: str, path: object, target: object = None) -> None:
        if fullname == "pandas":
            raise ImportError(fullname)


@contextmanager
def no_pandas() -> Iterator[None]:
    """What is loaded inside finds no pandas, unless it is loaded already.

    The list of finders is another one meanwhile, not a changed one: an import of another thread that is going
    through it would skip a finder.
    """
    blind = _NoPandas()
    sys.meta_path = [blind, *sys.meta_path]
    try:
        yield
    finally:
        sys.meta_path = [finder for finder in sys.meta_path if finder is not blind]


def spare_pandas(spark: bool = False) -> None:
    """Have Arrow, and where `spark` says so pyspark's driver, find out that there is no pandas.

    Arrow looks for it at the first `pa.array`, only to know whether it was given a Series; pyspark at the
    first list that goes to the JVM, in its test helpers.
    """
    if "pandas" in sys.modules:
        return
    import pyarrow as pa

    with no_pandas():
        pa.array([0])
        if spark:
            importlib.import_module("pyspark.testing.utils")
