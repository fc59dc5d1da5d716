"""Prevention of needless imports of pandas, which take a third of a second.

pyarrow looks for pandas once. If it finds none, it does not recognize pandas objects later. A user's program
may give such objects to pyarrow. So this module is used only in the command `firesteel` and in the workers'
daemon. An explicit `import pandas` still works there.
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
    """Make pyarrow, and pyspark if `spark` is true, look for pandas now, while imports do not find it.

    Both look for pandas only once. pyarrow does so at the first `pa.array`, to recognize a Series. pyspark
    does so in its module pyspark.testing.utils. It imports this module when it first passes a Python value to
    the JVM, to find out whether NumPy is installed. This function imports the module earlier.
    """
    if "pandas" in sys.modules:
        return
    import pyarrow as pa

    with no_pandas():
        pa.array([0])
        if spark:
            importlib.import_module("pyspark.testing.utils")
