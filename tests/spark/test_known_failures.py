"""Failures of Spark's that are told in other words."""

from __future__ import annotations

from pathlib import Path

import pytest

from firesteel.errors import LostInputError, OverloadedError
from firesteel.spark.errors import from_spark
from firesteel.spark.known_failures import known_failure

QUERY = "[STREAM_FAILED] Query [id = a, runId = b] terminated with exception: {} SQLSTATE: XXKST"


@pytest.mark.parametrize(
    "words",
    [
        "[STDS_FAILED_TO_READ_OPERATOR_METADATA] Failed to read the operator metadata for "
        "checkpointLocation=file:/c/spark and batchId=4.",
        "[CANNOT_LOAD_STATE_STORE.CANNOT_READ_MISSING_SNAPSHOT_FILE] An error occurred during loading state.",
    ],
)
def test_lost_state_is_reported_with_what_to_do(words: str) -> None:
    error = from_spark(RuntimeError(QUERY.format(words)))
    assert type(error) is LostInputError
    assert error.message.startswith("the checkpoint has lost files of its state")
    assert "restore the checkpoint from a copy" in str(error.hint)


def test_a_lost_metadata_file_is_named() -> None:
    words = (
        "[STREAMING_CHECKPOINT_MISSING_METADATA_FILE] Checkpoint location file:/c/insert-o/spark is in an "
        "inconsistent state: the metadata file is missing but offset and/or commit logs contain data."
    )
    error = from_spark(RuntimeError(words))
    assert type(error) is LostInputError
    assert error.message == "the checkpoint has lost its file /c/insert-o/spark/metadata"
    assert "restore the checkpoint from a copy" in str(error.hint)


def test_the_file_is_named_where_spark_names_it() -> None:
    words = "[CANNOT_LOAD_STATE_STORE.X] Error reading file:/c/insert-o/spark/state/0/1/2.zip does not exist"
    error = from_spark(RuntimeError(QUERY.format(words)))
    assert error.message == "the checkpoint has lost files of its state: /c/insert-o/spark/state/0/1/2.zip"


@pytest.mark.parametrize(
    "words",
    [
        "SocketTimeoutException: Timed out while waiting for the Python worker to connect back",
        "Python worker failed to connect back.",
    ],
)
def test_a_worker_that_did_not_start_in_time(words: str) -> None:
    error = from_spark(RuntimeError(QUERY.format(words)))
    assert type(error) is OverloadedError
    assert error.message == "a Python worker did not start in the time that Spark gives it"
    assert "overloaded" in str(error.hint)


@pytest.mark.parametrize(
    "text",
    [
        "java.nio.file.NoSuchFileException: {}/blockmgr-1b2c-3/0a/temp_shuffle_1",
        "java.io.FileNotFoundException: {}/local-pa1/spark-2493ef51-d9b1-414f-8888-123456789012/x (gone)",
        "FileNotFoundError: [Errno 2] No such file or directory: '{}/timers-1'",
        "java.io.IOException: Failed to create local dir in {}/local-1/blockmgr-1, or so",
    ],
)
def test_a_temporary_folder_that_is_gone(tmp_path: Path, text: str) -> None:
    folder = tmp_path / "firesteel-abc"
    found = known_failure(text.format(folder))
    assert found is not None
    assert found.message.startswith(f"the folder of temporary files is gone: {folder}")
    assert "TMPDIR" in (found.hint or "")


def test_a_file_that_is_missing_elsewhere_is_no_temporary_folder(tmp_path: Path) -> None:
    assert known_failure("java.nio.file.NoSuchFileException: /data/in.json") is None
    (tmp_path / "firesteel-abc").mkdir()
    assert known_failure(f"java.nio.file.NoSuchFileException: {tmp_path}/firesteel-abc/x") is None
