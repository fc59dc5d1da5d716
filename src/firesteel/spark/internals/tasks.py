"""Private parts of pyspark that concern tasks and Python workers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from firesteel.errors import JobError

if TYPE_CHECKING:
    from pyspark import SparkContext

_BATCH = "streaming.sql.batchId"


def batch_number() -> int:
    """Return the number of the task's micro-batch, from a private local property of Spark.

    Raises:
        JobError: Spark does not provide the number. There is no default: sinks drop repeated rows by this
            number, so a wrong one would lose rows.
    """
    from pyspark import TaskContext

    context = TaskContext.get()
    number = context.getLocalProperty(_BATCH) if context is not None else None
    if number is None:
        raise JobError(
            f"Spark does not tell its tasks the number of their micro-batch ({_BATCH})",
            hint="use a version of pyspark that Firesteel supports: pip install 'pyspark>=4.2,<4.4'",
        )
    return int(number)


def by_value(thing: Any) -> bytes:
    """Pickle a function of a script or a notebook with its code. A worker can load it by `pickle.loads`.

    This uses pyspark's private copy of cloudpickle. Objects of importable modules are pickled by name only.
    """
    from pyspark import cloudpickle

    pickled: bytes = cloudpickle.dumps(thing)  # type: ignore[no-untyped-call]
    return pickled


def variables_of_workers(context: SparkContext) -> dict[str, str]:
    """Return the environment variables that a context gives its Python workers. The caller may add to them.

    The variables may be secrets: they are in an undocumented attribute of the context, and in no setting that
    Spark shows or logs.
    """
    found: dict[str, str] = context.environment
    return found
