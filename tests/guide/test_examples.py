"""The guide's examples, run as they stand there: every script of a page, over the files of the page."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from firesteel import TableEnvironment
from firesteel.cli.run import Runner
from firesteel.sql.variables import substitute
from tests.scale import part

if TYPE_CHECKING:
    from firesteel.spark.launch.launch import Spark

GUIDE = Path(__file__).parents[2] / "docs" / "guide"

WITH_SERVERS = {"kafka.md", "jdbc.md"}
TYPED = {
    *("diff-flink.md", "diff.md", "shell.md", "savepoints.md", "testing.md", "tutorial.md", "upgrade.md"),
    *("notebooks.md", "verify.md", "why.md"),
}
"""Pages whose commands have tests of their own (test_shell.py, test_savepoints.py and so on)."""
WITH_COMMANDS = {"payments.sql"}
"""Scripts with tests of their own on pages of other examples (test_replay.py)."""
WITHOUT_SCRIPTS = {
    "checkpoints.md",
    "cluster.md",
    "dataframes.md",
    "deployment.md",
    "memory.md",
    "metrics.md",
    "operations.md",
    "security.md",
    "web-page.md",
}


def blocks(text: str) -> dict[str, str]:
    """The fenced blocks below a line that begins with a name in backquotes, by that name."""
    found = re.findall(r"^`([^`\n]+)`[^\n]*:\n\n```\w*\n(.*?)```$", text, re.MULTILINE | re.DOTALL)
    return dict(found)


def examples() -> list[tuple[str, str]]:
    """(page, script). What needs a broker or a database is tested with one (tests/connectors)."""
    return [
        (page.name, name)
        for page in sorted(GUIDE.glob("*.md"))
        for name in blocks(page.read_text(encoding="utf-8"))
        if name.endswith(".sql") and page.name not in WITH_SERVERS | TYPED and name not in WITH_COMMANDS
    ]


@pytest.mark.spark
@pytest.mark.parametrize(("page", "script"), part(examples(), 13))
def test_an_example_prints_what_the_guide_says(
    page: str,
    script: str,
    spark: Spark,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    parts = blocks((GUIDE / page).read_text(encoding="utf-8"))
    for name, text in parts.items():
        if name.endswith((".py", ".json")):
            (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    statements = substitute(parts[script], {"DATA": str(tmp_path)})
    assert Runner(TableEnvironment.create(spark)).run(statements) == 0
    assert capsys.readouterr().out == parts[f"firesteel run {script} -D DATA=."]


def test_every_page_has_an_example() -> None:
    found = {page for page, _ in examples()} | WITH_SERVERS | TYPED | WITHOUT_SCRIPTS
    assert found == {page.name for page in GUIDE.glob("*.md")}
