"""Plan lines of the guide's pages are lines that `firesteel explain` prints."""

from __future__ import annotations

from pathlib import Path

import pytest

from firesteel.cli.run import explain_script
from firesteel.sql.variables import substitute
from tests.guide.test_examples import GUIDE, blocks


def plans() -> list[tuple[str, str]]:
    """Return (page, script) of each block of plan lines."""
    return [
        (page.name, name.split()[2])
        for page in sorted(GUIDE.glob("*.md"))
        for name in blocks(page.read_text(encoding="utf-8"))
        if name.startswith("firesteel explain ")
    ]


def test_pages_show_plans() -> None:
    pages = {page for page, _ in plans()}
    assert {"interval-joins.md", "joins.md", "sub-queries.md", "ranks.md"} <= pages
    assert {"window-joins.md", "window-ranks.md"} <= pages


@pytest.mark.parametrize(("page", "script"), plans())
def test_explain_prints_the_lines_of_the_guide(
    page: str, script: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    parts = blocks((GUIDE / page).read_text(encoding="utf-8"))
    for name, text in parts.items():
        if name.endswith(".json"):
            (tmp_path / name).write_text(text, encoding="utf-8")
    statements = substitute(parts[script], {"DATA": str(tmp_path)})
    assert explain_script(statements, {}, folder=str(tmp_path), code=False, trace_rules=False) == 0
    printed = capsys.readouterr().out.splitlines()
    shown = parts[f"firesteel explain {script} -D DATA=."].splitlines()
    assert shown
    assert [line for line in shown if line not in printed] == []
