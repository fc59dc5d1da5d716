"""What a job is told of a checkpoint that was made with other code or other settings."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from firesteel.errors import FiresteelWarning
from firesteel.spark import checkpoint_functions
from firesteel.spark.checkpoint.fingerprint import Layout
from firesteel.spark.checkpoint_functions import note_functions, warn_of_layout
from firesteel.spark.stream import host as stream_host
from firesteel.spark.stream.settings import StreamSettings
from firesteel.types.user_function import UserFunction
from tests.spark.jobs import grouped, write_changes

if TYPE_CHECKING:
    from firesteel.spark.launch.launch import Spark


@pytest.mark.spark
def test_a_function_whose_code_changed_is_reported_once(
    spark: Spark, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    digests = {"f": "module:1", "g": "module:1"}
    monkeypatch.setattr(checkpoint_functions, "code_digest", lambda function: digests[function.name])
    monkeypatch.setattr(
        checkpoint_functions, "functions_of", lambda _: {UserFunction(name, "m:f") for name in digests}
    )
    job = grouped(tmp_path / "t.json")
    note_functions(spark.context, str(tmp_path), job)
    digests["f"] = "module:2"
    with pytest.warns(
        FiresteelWarning, match=f"code of function f changed since the checkpoint {tmp_path}"
    ) as told:
        note_functions(spark.context, str(tmp_path), job)
    assert len(told) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        note_functions(spark.context, str(tmp_path), job)
    (tmp_path / "functions.json").write_text("damaged")
    (tmp_path / ".functions.json.crc").unlink(missing_ok=True)
    note_functions(spark.context, str(tmp_path), job)


def test_settings_that_a_checkpoint_does_not_take_over_are_reported() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warn_of_layout("/c", 0, 0, Layout(128, 2))
        warn_of_layout("/c", 128, 2, Layout(128, 2))
    with pytest.warns(FiresteelWarning) as told:
        warn_of_layout("/c", 64, 4, Layout(128, 2))
    assert [str(one.message) for one in told] == [
        "'pipeline.max-parallelism' = 64 is ignored: the checkpoint /c has 128, for its life",
        "'parallelism.default' = 4 is ignored: the checkpoint /c has 2, and `firesteel rescale` changes that",
    ]


@pytest.mark.spark
@pytest.mark.full
def test_a_job_with_other_key_groups_is_reported(spark: Spark, tmp_path: Path) -> None:
    write_changes(tmp_path / "in.json", 20)
    for key_groups in (16, 32):
        settings = StreamSettings(str(tmp_path / "checkpoint"), parallelism=2, key_groups=key_groups)
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            stream_host.start(grouped(tmp_path / "in.json"), spark, settings).wait()
        said = [str(one.message) for one in told if issubclass(one.category, FiresteelWarning)]
        assert [text.partition(":")[0] for text in said] == (
            [] if key_groups == 16 else ["'pipeline.max-parallelism' = 32 is ignored"]
        )
