"""What Spark says of workers whose Python does not fit, in a line."""

from __future__ import annotations

import pytest

from firesteel.errors import FiresteelError
from firesteel.spark.errors import from_spark

TRACE = """An error occurred while calling o90.collect.
: org.apache.spark.SparkException: Job aborted due to stage failure: Task 0 in stage 0.0 failed 4 times, most
recent failure: Lost task 0.3 in stage 0.0 (TID 6) (10.0.0.3 executor 0):
{text}
\tat org.apache.spark.api.python.BasePythonRunner$ReaderIterator.handlePythonException(PythonRunner.scala:1)
"""


def told(text: str) -> FiresteelError:
    return from_spark(Exception(TRACE.format(text=text)))


def raised(line: str) -> str:
    return f'Traceback (most recent call last):\n  File "worker.py", line 1, in main\n{line}'


@pytest.mark.parametrize("version", ["3.9", "(3, 9)", "['3', '9']"])
def test_another_version(version: str) -> None:
    error = told(
        raised(
            "pyspark.errors.exceptions.base.PySparkRuntimeError: [PYTHON_VERSION_MISMATCH] Python in worker "
            f"has different version: {version} than that in driver: 3.11, PySpark cannot run with different "
            "minor versions."
        )
    )
    assert error.message == "the executors' Python is a 3.9; this is 3.11"
    assert "PYSPARK_PYTHON" in (error.hint or "")


def test_no_such_python() -> None:
    error = told(
        'java.io.IOException: Cannot run program "/opt/py/bin/python3.11": error=2, No such file or directory'
    )
    assert error.message.startswith("/opt/py/bin/python3.11 is not there")


def test_a_package_that_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYSPARK_PYTHON", "/opt/py/bin/python")
    error = told(raised("ModuleNotFoundError: No module named 'duckdb'"))
    assert error.message == "the workers' Python has no module duckdb"
    assert "/opt/py/bin/python" in (error.hint or "")


def test_an_application_that_the_cluster_has_ended() -> None:
    text = "An error occurred.\n: java.lang.IllegalStateException: SparkContext has been shutdown"
    assert "Spark has ended the application" in from_spark(Exception(text)).message


def test_other_errors_are_reported_as_they_are() -> None:
    assert told(raised("ValueError: no module")).message == "a worker failed: ValueError: no module"
