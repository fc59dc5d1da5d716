"""The example of CONTRIBUTING.md is the one that tests/architecture/test_additions.py adds and runs."""

from __future__ import annotations

import re
from pathlib import Path
from textwrap import dedent

from tests.architecture.test_additions import ADDITIONS

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")


def test_the_file_of_the_first_change_is_the_added_one() -> None:
    (shown,) = re.findall(r"^ +```python\n(.+?)^ +```$", TEXT, re.MULTILINE | re.DOTALL)
    (added,) = ADDITIONS["aggregate"].files.values()
    assert dedent(shown) == added


def test_the_lines_of_the_first_change_are_the_added_ones() -> None:
    rows = re.findall(r"^ +\| `([\w/]+\.py)` \| `([^`]+)`", TEXT, re.MULTILINE)
    added = {
        (file, line.strip()) for file, lines in ADDITIONS["aggregate"].lines.items() for _, line in lines
    }
    assert {row for row in added if not row[1].startswith("from ")} == set(rows)


def test_the_programs_that_it_names_are_there() -> None:
    for module in re.findall(r"python -m ((?:tests|benchmarks|tools)[\w.]*)", TEXT):
        path = ROOT.joinpath(*module.split("."))
        assert path.with_suffix(".py").exists() or (path / "__main__.py").exists(), module


def test_the_targets_that_it_names_are_in_the_makefile() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    commands = re.findall(r"(?:^|`)make ((?:[a-z0-9-]+ ?)+)", TEXT, re.MULTILINE)
    assert len(commands) > 20
    for command in commands:
        for target in command.split():
            assert re.search(rf"^{target}:", makefile, re.MULTILINE), target
