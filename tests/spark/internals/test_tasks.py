"""Tasks know the number of their micro-batch: without it sinks could not tell a batch that is replayed.
Functions travel with their code: without that those of a script or a notebook could not be used."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest

from firesteel.errors import JobError
from firesteel.spark.internals.tasks import batch_number, variables_of_workers

if TYPE_CHECKING:
    from firesteel.spark.launch.launch import Spark


def test_without_a_number_there_is_no_batch() -> None:
    with pytest.raises(JobError, match=r"does not tell its tasks the number of their micro-batch"):
        batch_number()


@pytest.mark.spark
def test_tasks_of_a_stream_get_it(spark: Spark, tmp_path: Path) -> None:
    def numbered(batches: Any) -> Any:
        for batch in batches:
            yield batch.append_column("n", pa.array([batch_number()] * batch.num_rows))

    found: list[tuple[int, int]] = []
    (tmp_path / "in").mkdir()
    for name in ("1", "2"):
        (tmp_path / "in" / name).write_text("line\n")
    reading = spark.session.readStream.format("text").option("maxFilesPerTrigger", 1)
    frame = reading.load(str(tmp_path / "in")).mapInArrow(numbered, "value string, n long")
    query = frame.writeStream.foreachBatch(
        lambda batch, number: found.extend((number, row[1]) for row in batch.collect())
    )
    query.option("checkpointLocation", str(tmp_path / "out")).trigger(
        availableNow=True
    ).start().awaitTermination()
    assert sorted(found) == [(0, 0), (1, 1)]


SCRIPT = """
import sys
from firesteel.spark.internals.tasks import by_value
offset = 100
open(sys.argv[1], "wb").write(by_value(lambda x: x + offset))
"""


def test_a_lambda_of_a_script_is_called_in_another_process(tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-c", SCRIPT, str(tmp_path / "f")], check=True)
    assert pickle.loads((tmp_path / "f").read_bytes())(1) == 101


@pytest.mark.spark
def test_workers_are_given_variables(spark: Spark, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(variables_of_workers(spark.context), "FIRESTEEL_TEST", "given")
    found = spark.context.parallelize([0], 1).map(lambda _: os.environ.get("FIRESTEEL_TEST")).collect()
    assert found == ["given"]
    assert "FIRESTEEL_TEST" not in str(spark.context.getConf().getAll())
