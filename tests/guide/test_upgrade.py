"""The page on upgrades: its commands, as they stand there."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from firesteel.cli.app import run_app
from tests.guide.test_examples import GUIDE, blocks
from tests.guide.test_savepoints import changes, run

if TYPE_CHECKING:
    from firesteel.spark.launch.launch import Spark


@pytest.mark.spark
@pytest.mark.slow
@pytest.mark.full
def test_the_page(
    spark: Spark, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    parts = blocks((GUIDE / "upgrade.md").read_text(encoding="utf-8"))
    monkeypatch.chdir(tmp_path)
    Path("sales").mkdir()
    for name in ("job.sql", "changed.sql", "sales/1.json"):
        Path(name).write_text(parts[name])
    run(spark, tmp_path, "checkpoint")
    sent = changes(tmp_path)
    commands = [name for name in parts if name.startswith("firesteel ")]
    assert [command.split()[-1] for command in commands] == ["--dry-run", "--yes"]
    for command in commands:
        assert changes(tmp_path) == sent
        capsys.readouterr()
        words = command.replace("DATA=.", f"DATA={tmp_path}").replace("=check", f"={tmp_path}/check").split()
        assert run_app(words[1:]) == 0
        assert capsys.readouterr().out == parts[command]
    assert len(changes(tmp_path)) == len(sent) + 2
    Path("job.sql").write_text(parts["changed.sql"])
    run(spark, tmp_path, "checkpoint")
    assert len(changes(tmp_path)) == len(sent) + 2
