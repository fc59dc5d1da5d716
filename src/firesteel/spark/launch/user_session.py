"""Checks and settings for a Spark session that the user has created."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from firesteel.errors import NotSupportedError

if TYPE_CHECKING:
    from pyspark import SparkContext
    from pyspark.sql import SparkSession


def context_of(session: SparkSession) -> SparkContext:
    """Return the context of a session.

    Raises:
        NotSupportedError: The session is one of Spark Connect.
    """
    try:
        return session.sparkContext
    except Exception as error:
        raise NotSupportedError(
            "a Spark Connect session cannot run Firesteel", hint="pass a classic SparkSession"
        ) from error


def use_this_python(context: SparkContext) -> None:
    """Make a local Spark run its workers with this interpreter, unless the user has chosen another one.

    The first `python3` in PATH may lack Firesteel. This sets the private attribute in which a context keeps
    the program.
    """
    named = "PYSPARK_PYTHON" in os.environ or context.getConf().contains("spark.pyspark.python")
    if (context.master or "").startswith("local") and not named:
        context.pythonExec = sys.executable
