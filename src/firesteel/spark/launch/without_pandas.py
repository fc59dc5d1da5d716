"""Prevention of needless imports of pandas, which take a third of a second.

It applies only to Firesteel's own processes: the command and the workers' daemon. A user's program may give
pandas objects to Arrow, which would no longer recognize them. An explicit import of pandas still loads it.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.abc import MetaPathFinder


class _NoPandas(MetaPathFinder):
    """Import finder that does not find pandas, and leaves other modules to the other finders."""

    def find_spec(self, fullname: str, path: object, target: object = None) -> None:
        if fullname == "pandas":
            raise ImportError(fullname)


@contextmanager
def no_pandas() -> Iterator[None]:
    """Hide pandas from imports in a `with` block, unless it is already loaded.

    The list of finders is replaced, not changed: an import in another thread that is iterating over it would
    skip a finder.
    """
    blind = _NoPandas()
    sys.meta_path = [blind, *sys.meta_path]
    try:
        yield
    finally:
        sys.meta_path = [finder for finder in sys.meta_path if finder is not blind]


def spare_pandas(spark: bool = False) -> None:
    """Make Arrow, and pyspark if `spark` is true, look for pandas now, while imports do not find it.

    Both look for pandas only once. Arrow does so at the first `pa.array`, to recognize a Series. pyspark does
    so when it imports its module of test helpers (pyspark.testing.utils). Without this function, it would
    import that module when it first passes a Python value to the JVM, to find out whether NumPy is installed.
    """
    if "pandas" in sys.modules:
        return
    import pyarrow as pa

    with no_pandas():
        pa.array([0])
        if spark:
            importlib.import_module("pyspark.testing.utils")
