"""`firesteel help`: the pages of the documentation that ship with the wheel."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from firesteel.cli.app import run_app
from firesteel.cli.help_pages import pages
from firesteel.errors import NotSupportedError, UsageError

ROOT = Path(__file__).parents[2]


def test_the_page_that_errors_name_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    said = str(NotSupportedError("a join"))
    page = re.search(r"`firesteel help ([a-z-]+)`", said)
    assert page is not None, said
    assert run_app(["help", page[1]]) == 0
    assert capsys.readouterr().out == (ROOT / "docs" / f"{page[1]}.md").read_text(encoding="utf-8")


def test_pages_are_listed_with_their_titles(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_app(["help"]) == 0
    lines = dict(re.split(r"  +", line, maxsplit=1) for line in capsys.readouterr().out.splitlines())
    assert lines.keys() == pages().keys() >= {"compatibility", "kafka", "operations"}
    assert lines["compatibility"] == "What Flink has and Firesteel does not"


def test_a_page_that_is_none_is_an_error_that_lists_them() -> None:
    with pytest.raises(UsageError) as raised:
        run_app(["help", "nothing"])
    assert "compatibility" in (raised.value.hint or "")


def test_the_wheel_has_the_pages() -> None:
    shipped = dict(re.findall(r'^"(docs/.+)" = "(.+)"$', (ROOT / "pyproject.toml").read_text(), re.MULTILINE))
    assert shipped == {page: f"firesteel/cli/{page}" for page in shipped}
    wanted = {f"docs/{file.name}" for file in (ROOT / "docs").glob("*.md")} | {"docs/guide"}
    assert shipped.keys() == wanted
