"""The page's files: nothing is loaded from elsewhere, licences are there, the wheel has them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

STATIC = Path(__file__).parents[2] / "src" / "firesteel" / "ui" / "static"
OWN = sorted([*STATIC.glob("*.*"), *STATIC.glob("js/*.js")])
VENDOR = sorted(STATIC.glob("vendor/*.*s"))
_LOADED = re.compile(
    r"""(?:\bsrc\s*=|\bhref\s*=|\burl\(|\bimport\b[^;\n]{0,200}?|\bfetch\(|importScripts\(|EventSource\()\s*"""
    r"""["'`(]?\s*(?:https?:)?//""",
    re.IGNORECASE,
)


@pytest.mark.parametrize("file", [*OWN, *VENDOR], ids=lambda file: file.name)
def test_nothing_is_loaded_from_elsewhere(file: Path) -> None:
    assert _LOADED.findall(file.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize("file", OWN, ids=lambda file: file.name)
def test_own_files_name_no_other_machine_and_have_no_inline_code(file: Path) -> None:
    text = file.read_text(encoding="utf-8").replace("http://www.w3.org/2000/svg", "")
    assert re.findall(r"https?://|\bon\w+=\"|<style|style=", text) == []
    assert text.count("\n") <= 400


@pytest.mark.parametrize(
    "text", ['<script src="https://x.y/z.js">', "import a from 'http://x'", "fetch('//x')", "url(http://x)"]
)
def test_the_search_finds_what_is_loaded(text: str) -> None:
    assert _LOADED.search(text) is not None


def test_the_notice_lists_all_software_of_others() -> None:
    notice = (STATIC / "vendor" / "NOTICE").read_text(encoding="utf-8")
    assert [file.name for file in VENDOR if file.name not in notice] == []
    for licence in re.findall(r"\(([\w.-]+)\)", notice):
        assert (STATIC / "vendor" / licence).stat().st_size > 500


def test_files_that_the_page_names_are_there() -> None:
    text = (STATIC / "index.html").read_text(encoding="utf-8")
    for name in re.findall(r'"/static/([^"]+)"', text):
        assert (STATIC / name).is_file()
    for file in STATIC.glob("js/*.js"):
        for name in re.findall(r"from '(\.[^']+)'", file.read_text(encoding="utf-8")):
            assert (file.parent / name).resolve().is_file()
