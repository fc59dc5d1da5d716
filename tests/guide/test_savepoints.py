"""The page on savepoints: its commands, as they stand there, and a job that continues from the copy."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from firesteel import TableEnvironment
from firesteel.cli.app import run_app
from firesteel.cli.run import Runner
from firesteel.sql.variables import substitute
from tests.guide.test_examples import GUIDE, blocks

if TYPE_CHECKING:
    from firesteel.spark.launch.launch import Spark


def _without_sizes(text: str) -> str:
    return re.sub(r"[\d.]+ kB", "N kB", text)


def run(spark: Spark, folder: Path, checkpoint: str) -> None:
    """Run the script. Spark has another working directory, so it gets full paths."""
    variables = {"DATA": str(folder), "CHECKPOINT": str(folder / checkpoint)}
    text = substitute((folder / "job.sql").read_text(), variables)
    options = {"parallelism.default": "2"}
    assert Runner(TableEnvironment.create(spark, configuration=options)).run(text) == 0


def changes(folder: Path) -> list[str]:
    files = sorted(folder.glob("totals/part-*"), key=lambda file: file.stat().st_mtime_ns)
    return [line for file in files for line in file.read_text().splitlines()]


@pytest.mark.private
@pytest.mark.spark
@pytest.mark.slow
def test_the_page(
    spark: Spark, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    parts = blocks((GUIDE / "savepoints.md").read_text(encoding="utf-8"))
    monkeypatch.chdir(tmp_path)
    Path("sales").mkdir()
    for name in ("job.sql", "sales/1.json"):
        Path(name).write_text(parts[name])
    run(spark, tmp_path, "checkpoint")
    sent = changes(tmp_path)
    assert sent
    commands = [name for name in parts if name.startswith("firesteel ")]
    assert [command.split()[1] for command in commands] == ["savepoint", "rescale"]
    for command in commands:
        capsys.readouterr()
        assert run_app(command.split()[1:]) == 0
        assert _without_sizes(capsys.readouterr().out) == _without_sizes(parts[command])

    shutil.rmtree("checkpoint")
    Path("backup").rename("elsewhere")
    run(spark, tmp_path, "elsewhere")
    assert changes(tmp_path) == sent
