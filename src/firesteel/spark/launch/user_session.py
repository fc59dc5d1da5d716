"""A Spark that is the user's own."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from firesteel.errors import NotSupportedError

if TYPE_CHECKING:
    from pyspark import SparkContext
    from pyspark.sql import SparkSession


def context_of(session: SparkSession) -> SparkContext:
    """The context of a session. Raises NotSupportedError for one of Spark Connect."""
    try:
        return session.sparkContext
    except Exception as error:
        raise NotSupportedError(
            "a Spark Connect session cannot run Firesteel", hint="pass a classic SparkSession"
        ) from error


def use_this_python(context: SparkContext) -> None:
    """Have a local Spark run its workers with this interpreter, unless the user named another: the `python3`
    that is first in PATH need not have Firesteel. Private: where a context keeps it."""
    named = "PYSPARK_PYTHON" in os.environ or context.getConf().contains("spark.pyspark.python")
    if (context.master or "").startswith("local") and not named:
        context.pythonExec = sys.executable
