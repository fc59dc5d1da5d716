"""Settings of a program that `spark-submit` has started."""

from __future__ import annotations

import os
import sys
from pathlib import Path

_GATEWAY = "PYSPARK_GATEWAY_PORT"
"""Variable with which `spark-submit` tells a Python program where its JVM listens."""
_IS_SUBMITTED = _GATEWAY in os.environ
"""Whether `spark-submit` has started this program. Read at import: starting Spark sets the variable, too."""
_NAME = "spark.app.name"


def submitted_settings() -> dict[str, str]:
    """Return the settings with which `spark-submit` started this program; empty if it did not.

    The master is one of them. The application name is left out if it is the program's file name, because
    `spark-submit` sets that by default. The function calls pyspark's private `_ensure_initialized`, which
    connects to the running JVM.
    """
    if not _IS_SUBMITTED:
        return {}
    from pyspark import SparkConf, SparkContext

    SparkContext._ensure_initialized()
    found = dict(SparkConf().getAll())
    if found.get(_NAME) == Path(sys.argv[0]).name:
        del found[_NAME]
    return found
