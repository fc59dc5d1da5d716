"""What a Spark exception comes down to."""

from __future__ import annotations

import pytest

from firesteel.connectors.kafka.cluster import UnreachableError
from firesteel.errors import DataError, FiresteelError, InternalError, JobError, SourceRange
from firesteel.runtime.dataflow.packets import FAILURE, Packet, Position
from firesteel.spark.errors import from_spark, guarded, raise_failure

TRACE = """Job aborted due to stage failure: Task 0 in stage 1.0 failed 1 times, most recent failure: \
org.apache.spark.api.python.PythonException: Traceback (most recent call last):
  File "worker.py", line 1, in main
    process()
{last}

\tat org.apache.spark.api.python.BasePythonRunner.handle(PythonRunner.scala:1)
Driver stacktrace:"""


def test_a_firesteel_error_travels_in_a_packet() -> None:
    sent = DataError("t.json, line 3: no", hint="mend it", range=SourceRange(1, 2), sql="SELECT 1")

    def packets() -> list[Packet]:
        raise sent

    (packet,) = guarded(packets)
    assert packet.holds == FAILURE
    with pytest.raises(DataError) as got:
        raise_failure(packet)
    assert (str(got.value), got.value.hint, got.value.range) == (str(sent), sent.hint, sent.range)


@pytest.mark.parametrize(
    ("sent", "restarts"),
    [(JobError("division by zero"), False), (InternalError("odd"), False), (UnreachableError("away"), True)],
)
def test_what_the_same_rows_would_meet_again_is_final(sent: FiresteelError, restarts: bool) -> None:
    def packets() -> list[Packet]:
        raise sent

    with pytest.raises(type(sent)) as got:
        raise_failure(next(guarded(packets)))
    assert got.value.restarts is restarts


def test_what_came_before_an_error_is_kept() -> None:
    def packets() -> list[Packet]:
        yield Packet(0, Position(1), 1, 0, b"x")  # type: ignore[misc]
        raise JobError("later")

    assert [p.holds for p in guarded(packets)] == [0, FAILURE]


@pytest.mark.parametrize(
    ("last", "kind", "message"),
    [
        ("ValueError: 3 is not 4", JobError, "a worker failed: ValueError: 3 is not 4"),
        ("MemoryError", JobError, "a worker failed: MemoryError"),
        ("AssertionError: odd", InternalError, "odd"),
        ("firesteel.errors.DataError: /d/t.json, line 7: bad", DataError, "/d/t.json, line 7: bad"),
        ("firesteel.errors.DataError: bad\nhint: mend it", DataError, "bad\nhint: mend it"),
        ("firesteel.connectors.kafka.cluster.UnreachableError: away", UnreachableError, "away"),
        ("duckdb.duckdb.IOException: disk", JobError, "a worker failed: duckdb.duckdb.IOException: disk"),
    ],
)
def test_a_traceback_becomes_one_error(last: str, kind: type[FiresteelError], message: str) -> None:
    error = from_spark(RuntimeError(TRACE.format(last=last)))
    assert type(error) is kind
    assert error.message == message.split("\nhint")[0]
    assert "Traceback" not in str(error)
    if "hint: mend" in last:
        assert error.hint == "mend it"


def test_an_error_of_spark_itself_is_quoted_in_one_line() -> None:
    error = from_spark(RuntimeError("[NO_SPACE] disk is full\n\tat java.io.X\n\tat java.io.Y"))
    assert error.message == "Spark failed: [NO_SPACE] disk is full"


def test_firesteel_errors_pass() -> None:
    error = DataError("x")
    assert from_spark(error) is error


DIED = """An error occurred while calling z:org.apache.spark.api.python.PythonRDD.collectAndServe.
: org.apache.spark.SparkException: Job aborted due to stage failure: Task 3 in stage 1.0 failed 1 times, \
most recent failure: Lost task 3.0 in stage 1.0 (TID 4) (localhost executor driver): \
org.apache.spark.SparkException: Python worker exited unexpectedly (crashed). Consider setting \
'spark.sql.execution.pyspark.udf.faulthandler.enabled' or'spark.python.worker.faulthandler.enabled' \
configuration to 'true' for the better Python traceback.
\tat org.apache.spark.api.python.BasePythonRunner.handle(PythonRunner.scala:1)
Caused by: java.io.EOFException
"""


def test_a_worker_that_died_is_reported_with_its_partition() -> None:
    cause = "SparkException: Python worker exited unexpectedly (crashed)."
    for text in (DIED, f"Traceback (most recent call last):\n  File\npy4j.protocol.Py4JJavaError: {DIED}"):
        error = from_spark(RuntimeError(text))
        assert type(error) is JobError
        assert error.message == f"a worker's process ended in partition 3: {cause}"
        assert "want of memory" in str(error.hint)
        assert "checkpoint" not in str(error.hint)
        assert "goes on from its checkpoint" in str(from_spark(RuntimeError(text), goes_on=True).hint)


@pytest.mark.parametrize("words", ["IOException: Broken pipe", "IOException: Stream closed"])
def test_a_process_that_spark_can_no_longer_reach_has_died(words: str) -> None:
    text = f"[STREAM_FAILED] Query [id = a, runId = b] terminated with exception: {words} SQLSTATE: XXKST"
    assert "a worker's process ended" in str(from_spark(RuntimeError(text)))


def test_a_failure_of_java_is_reported_in_its_own_words() -> None:
    text = DIED.replace("Python worker exited unexpectedly (crashed).", "No space left on device.")
    assert from_spark(RuntimeError(text)).message == "Spark failed: SparkException: No space left on device."


@pytest.mark.parametrize(
    ("message", "cause"), [("", "EOFException"), ("reset", "SocketException: Connection reset")]
)
def test_a_query_that_names_nothing_is_reported_by_its_cause(message: str, cause: str) -> None:
    error = Exception(f"[STREAM_FAILED] Query [id = a] terminated with exception: {message} SQLSTATE: XXKST")
    assert "STREAM_FAILED" in str(from_spark(error))
    stack = (
        f"a.Failed: [STREAM_FAILED]\n\tat a.b(C.scala:1)\nCaused by: java.net.{cause}\n\tat c.d(E.java:2)\n"
    )
    error._stackTrace = stack  # type: ignore[attr-defined]
    assert str(from_spark(error)).startswith(f"a worker's process ended: {cause}\n")
