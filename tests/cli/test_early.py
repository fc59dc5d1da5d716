"""Spark is started before the arguments are read only where they cannot change how it is started."""

from __future__ import annotations

from pathlib import Path

import pytest

from firesteel.cli.early import prepare_early

QUERY = "CREATE TABLE t (a INT) WITH ('connector' = 'datagen');\nSELECT a FROM t;\n"


@pytest.mark.parametrize(
    ("script", "arguments", "starts"),
    [
        (QUERY, [], True),
        (QUERY, ["--set", "parallelism.default=2", "--show", "table", "-D", "X=1"], True),
        (QUERY, ["--master", "local[1]"], False),
        (QUERY, ["--master=local[1]"], False),
        (QUERY, ["--checkpoint", "there"], False),
        (QUERY, ["--set", "spark.ui.enabled=true"], False),
        (QUERY, ["--set", "execution.checkpointing.dir=there"], False),
        (QUERY, ["--set", "firesteel.host=stream"], False),
        (QUERY, ["--help"], False),
        (QUERY, ["--set", "firesteel.fast-start=off"], False),
        ("SET 'spark.app.name' = 'mine';\n" + QUERY, [], False),
        ("SET 'firesteel.fast-start' = 'off';\n" + QUERY, [], False),
        (QUERY, ["--set", "pipeline.name=counts"], False),
        ("SET 'pipeline.name' = 'counts';\n" + QUERY, [], False),
        ("SET 'parallelism.default' = '1';\n" + QUERY, [], True),
        ("SHOW TABLES;", [], False),
    ],
)
def test_when_it_starts(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, script: str, arguments: list[str], starts: bool
) -> None:
    started: list[bool] = []
    monkeypatch.setattr(
        "firesteel.session.launch.prepare",
        lambda options, own_process, script: started.append(own_process and script == "job.sql"),
    )
    job = tmp_path / "job.sql"
    job.write_text(script, encoding="utf-8")
    prepare_early(["run", str(job), *arguments])
    assert started == ([True] if starts else [])
    prepare_early(["explain", str(job), *arguments])
    prepare_early(["run", *arguments])
    prepare_early(["run", str(tmp_path), *arguments])
    assert len(started) == int(starts)
