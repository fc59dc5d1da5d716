"""Files through the JVM. Without them a checkpoint could lie on this machine alone."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from firesteel.spark.internals import hadoop_files

if TYPE_CHECKING:
    from firesteel.spark.launch.launch import Spark

pytestmark = pytest.mark.spark


@pytest.mark.parametrize("scheme", ["", "file://"])
def test_files_are_written_moved_and_found(spark: Spark, tmp_path: Path, scheme: str) -> None:
    folder, context = f"{scheme}{tmp_path}/new", spark.context
    assert hadoop_files.read_text(context, f"{folder}/a") is None
    assert hadoop_files.names(context, folder) == []
    hadoop_files.write_text(context, f"{folder}/a", "é 1")
    hadoop_files.write_text(context, f"{folder}/a", "é 2")
    assert (tmp_path / "new" / "a").read_text(encoding="utf-8") == "é 2"
    assert hadoop_files.move(context, f"{folder}/a", f"{folder}/b")
    assert hadoop_files.read_text(context, f"{folder}/b") == "é 2"
    assert not hadoop_files.exists(context, f"{folder}/a")
    (tmp_path / "new" / "inner").mkdir()
    assert hadoop_files.names(context, folder) == ["b", "inner"]
    assert hadoop_files.names(context, folder, folders_only=True) == ["inner"]
