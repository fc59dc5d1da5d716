"""Recognition of errors in the workers' Python from the text of Spark's exceptions."""

from __future__ import annotations

import os
import re

from firesteel.errors import FiresteelError, JobError, UsageError

_VERSION = re.compile(r"worker has different version: (.*?) than that in driver: (.*?), PySpark")
_NO_PROGRAM = re.compile(r"Cannot run program \"([^\"]+)\".*?error=(\d+)", re.DOTALL)
_NO_MODULE = re.compile(r"^ModuleNotFoundError: No module named '([\w.]+)'", re.MULTILINE)
_ENDED = re.compile(r"SparkContext (?:has been|was) shut ?down|stopped SparkContext")
_PYTHON = "PYSPARK_PYTHON says which Python that is"


def unfit_python(text: str) -> FiresteelError | None:
    """Return a one-line error if Spark's exception means that the workers' Python does not fit.

    Python has another version than the driver's, is missing or lacks a module, or Spark's application has
    ended. Return None for other exceptions.

    Args:
        text: Text of Spark's exception.
    """
    named = os.environ.get("PYSPARK_PYTHON", "python3")
    if (found := _VERSION.search(text)) is not None:
        theirs, own = (".".join(re.findall(r"\d+", each)) for each in found.groups())
        return UsageError(
            f"the executors' Python is a {theirs}; this is {own}",
            hint=f"set PYSPARK_PYTHON to where every machine has a Python {own} (now {named})",
        )
    if (found := _NO_PROGRAM.search(text)) is not None and "python" in found[1].lower():
        return UsageError(
            f"{found[1]} is not there, or cannot be run, on every machine where Python workers start",
            hint="set PYSPARK_PYTHON to where each of them, and this one, has a Python of this version",
        )
    if (found := _NO_MODULE.search(text)) is not None:
        return JobError(
            f"the workers' Python has no module {found[1]}",
            hint="install there what Firesteel requires (pip install firesteel), or send it with an archive "
            f"(firesteel help cluster); {_PYTHON} (now {named})",
        )
    if _ENDED.search(text) is not None:
        return JobError(
            "Spark has ended the application, or could not start its executors",
            hint="the logs of Spark's master and workers say why; --verbose shows the driver's",
        )
    return None
