"""Links of the pages lead somewhere, the README lists all pages of the guide, and prose is wrapped."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tools.check_words import PAGES

ROOT = Path(__file__).parents[2]
FILES = sorted(file for pattern in PAGES for file in ROOT.glob(pattern))
LONGEST = 150
"""Characters of a line of prose. Pages are wrapped at 110; a paragraph that is one line is above this."""


def prose(file: Path) -> list[str]:
    """Return the lines of a page outside of its blocks of code, which become empty lines."""
    text = file.read_text(encoding="utf-8")
    return re.sub(r"^ *```.*?^ *```$", "", text, flags=re.DOTALL | re.MULTILINE).splitlines()


def anchors(file: Path) -> set[str]:
    """Return the anchors of a page's headings, as GitHub makes them."""
    headings = (line.lstrip("#").strip().lower() for line in prose(file) if line.startswith("#"))
    return {re.sub(r"[^\w\- ]", "", heading).replace(" ", "-") for heading in headings}


def broken(file: Path) -> list[str]:
    """Return the links of a page to files or headings that are not there."""
    found = []
    for link in re.findall(r"\]\(([^)\s]+)\)", "\n".join(prose(file))):
        path, _, anchor = link.partition("#")
        target = file.parent / path if path else file
        if "://" not in link and (not target.exists() or (anchor and anchor not in anchors(target))):
            found.append(link)
    return found


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_links_lead_to_files_and_headings(file: Path) -> None:
    assert broken(file) == []


def test_a_broken_link_is_found(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# A heading\n[a](page.md#a-heading) [b](page.md#no) [c](no.md) [d](https://x/y)\n")
    assert broken(page) == ["page.md#no", "no.md"]


def test_the_readme_lists_all_pages() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    listed = set(re.findall(r"\]\((docs/[\w/-]+\.md)\)", readme))
    there = {str(file.relative_to(ROOT)) for file in FILES if file.parent.name in ("docs", "guide")}
    assert there - listed == set()


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_prose_is_wrapped(file: Path) -> None:
    lines = prose(file) if file.name != "CHANGELOG.md" else []
    assert [line for line in lines if len(line) > LONGEST and not line.lstrip().startswith("|")] == []
