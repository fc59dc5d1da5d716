"""What ARCHITECTURE.md says of folders, files and imports is so."""

from __future__ import annotations

import itertools
import re
from pathlib import Path

import pytest
from tools.check_imports import MAY_IMPORT

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "firesteel"
TEXT = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
FILES = sorted({name for name in re.findall(r"`([\w/*.]+)`", TEXT) if name.endswith(("/", ".py", ".md"))})


def blocks() -> list[str]:
    return re.findall(r"^```\n(.+?)^```$", TEXT, re.MULTILINE | re.DOTALL)


def drawn() -> set[tuple[str, str]]:
    """(from, to) of the arrows in the drawing of imports. A line that begins with `+--` hangs below the
    word of the first line that stands over the plus."""
    (drawing,) = (block for block in blocks() if "cli ->" in block)
    lines = drawing.splitlines()
    found = set()
    for line in lines:
        groups = [re.findall(r"\w+", group) for group in line.replace("|", " ").split("->")]
        if not groups[0]:
            at = line.index("+")
            groups[0] = [word[0] for word in re.finditer(r"\w+", lines[0]) if word.start() <= at < word.end()]
        found |= {
            (one, other) for left, right in itertools.pairwise(groups) for one in left for other in right
        }
    return found


@pytest.mark.parametrize("name", FILES)
def test_files_that_it_names_are_there(name: str) -> None:
    folders = [ROOT, SOURCE, *(path for path in (SOURCE / "runtime").iterdir() if path.is_dir())]
    assert any(any(folder.glob(name)) for folder in folders)


def test_the_folders_are_those_that_there_are() -> None:
    (listing,) = (block for block in blocks() if block.startswith("src/firesteel/\n"))
    named = set(re.findall(r"^  (?:  )?(\w+)/", listing, re.MULTILINE))
    packages = {path.parent.name for path in SOURCE.glob("*/__init__.py")}
    assert named - {"lower", "internals"} == packages


def test_packages_import_only_packages_listed_above_them() -> None:
    (listing,) = (block for block in blocks() if block.startswith("src/firesteel/\n"))
    order = re.findall(r"^  (\w+)/", listing, re.MULTILINE)
    wrong = {
        (package, other)
        for place, package in enumerate(order)
        for other in order[place + 1 :]
        if other in MAY_IMPORT.get(package, ())
    }
    assert wrong == set()


def test_packages_may_import_as_drawn() -> None:
    arrows = drawn()
    assert ("spark", "connectors") in arrows
    assert ("session", "bind") in arrows
    assert {(one, other) for one, other in arrows if other not in MAY_IMPORT[one]} == set()
