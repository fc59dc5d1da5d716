"""Whether a SparkContext can still run jobs: its JVM may be gone, or Spark may have stopped it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark import SparkContext


def is_stopped(context: SparkContext) -> bool:
    """Return whether no job can run on a context. Private: the way from a context into its JVM (`_jsc`)."""
    made: Any = context
    try:
        return made._jsc is None or bool(made._jsc.sc().isStopped())
    except Exception:  # py4j has many errors for a JVM that is gone
        return True
