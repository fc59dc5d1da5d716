"""Keep pandas out of processes that do not need it: loading it takes a third of a second.

For Firesteel's own processes only, the command and the workers' daemon: a user's program may give pandas
objects to Arrow, which would no longer know them. Where pandas is asked for by name, it is loaded then.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import cast


@contextmanager
def no_pandas() -> Iterator[None]:
    """What is loaded inside finds no pandas, unless it is loaded already.

    Not by a finder in `sys.meta_path`: taking it out again has an import of another thread, which is going
    through that list, skip the finder behind it.
    """
    modules = cast("dict[str, ModuleType | None]", sys.modules)
    modules.setdefault("pandas", None)
    try:
        yield
    finally:
        if modules["pandas"] is None:
            del modules["pandas"]


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
