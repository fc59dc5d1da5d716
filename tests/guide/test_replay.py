"""The page on dead letters: its replay, as it stands there."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from firesteel import TableEnvironment
from firesteel.cli.checkpoint.replay import Replays
from firesteel.cli.run import Runner
from firesteel.sql.variables import substitute
from tests.guide.test_examples import GUIDE, blocks

if TYPE_CHECKING:
    from firesteel.spark.launch.launch import Spark


@pytest.mark.spark
@pytest.mark.full
def test_the_replay(spark: Spark, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    parts = blocks((GUIDE / "dead-letters.md").read_text(encoding="utf-8"))
    (tmp_path / "payments.json").write_text(parts["payments.json"], encoding="utf-8")
    options = {"execution.checkpointing.dir": str(tmp_path / "checkpoint")}
    commands = [name for name in parts if "payments.sql --checkpoint checkpoint" in name]
    assert [command.split()[1] for command in commands] == ["run", "replay"]
    for command in commands:
        variables = {"DATA": str(tmp_path), "FORMAT": command.rpartition("=")[2]}
        environment = TableEnvironment.create(spark, configuration=options)
        text = substitute(parts["payments.sql"], variables)
        environment.expect(text)
        runner = Runner(environment)
        status = runner.run(text) if " run " in command else Replays(environment, runner, None).run(text)
        assert status == 0
        assert capsys.readouterr().out.replace(f"{tmp_path}/", "") == parts[command]
