"""The guide's example, run as it stands there."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from firesteel import TableEnvironment
from firesteel.cli.run import Runner
from firesteel.sql.variables import substitute

if TYPE_CHECKING:
    from firesteel.spark.launch import Spark

GUIDE = Path(__file__).parents[2] / "docs" / "guide" / "user-defined-functions.md"


def blocks(text: str) -> dict[str, str]:
    """The fenced blocks below a line that begins with a name in backquotes, by that name."""
    found = re.findall(r"^`([^`\n]+)`[^\n]*:\n\n```\w*\n(.*?)```$", text, re.MULTILINE | re.DOTALL)
    return dict(found)


@pytest.mark.spark
def test_the_example_prints_what_the_guide_says(
    spark: Spark, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    parts = blocks(GUIDE.read_text(encoding="utf-8"))
    for name in ("functions.py", "orders.json"):
        (tmp_path / name).write_text(parts[name], encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    script = substitute(parts["job.sql"], {"DATA": str(tmp_path)})
    assert Runner(TableEnvironment.create(spark)).run(script) == 0
    assert capsys.readouterr().out == parts["firesteel run job.sql -D DATA=."]
