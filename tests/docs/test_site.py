"""The site of the pages: it builds without a warning, and loads nothing from another machine."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LOADED = re.compile(
    r"""<(?:script|img|iframe|source)[^>]* src=["']?([^"' >]+)|<link[^>]* href=["']?([^"' >]+)"""
)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the site. Strict: a broken link or anchor, or a page that the menu lacks, fails."""
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--strict", "--site-dir", str(folder)]
    environment = os.environ | {"NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    return folder


@pytest.mark.slow
@pytest.mark.full
def test_nothing_is_loaded_from_elsewhere(site: Path) -> None:
    pages = list(site.rglob("*.html"))
    assert len(pages) > 40
    found = {address for page in pages for pair in LOADED.findall(page.read_text()) for address in pair}
    assert {address for address in found if "//" in address} == set()


@pytest.mark.slow
def test_links_to_source_files_are_plain_text(site: Path) -> None:
    home = (site / "index.html").read_text()
    assert "tests/cases" in home
    assert 'href="tests/cases' not in home
    assert 'href="guide/tutorial.html"' in home
