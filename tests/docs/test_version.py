"""All files that name the version name the same one."""

from __future__ import annotations

import re
from pathlib import Path

import firesteel

ROOT = Path(__file__).parents[2]


def found(pattern: str, file: str) -> str:
    match = re.search(pattern, (ROOT / file).read_text(encoding="utf-8"), re.MULTILINE)
    assert match is not None, f"{file} names no version"
    return match[1]


def test_the_files_agree() -> None:
    assert (
        found(r"^# firesteel-([\d.]+)-py3-none-any\.whl", "examples/deployment/Dockerfile")
        == firesteel.__version__
    )
    assert found(r"^## \[(\d[\d.]+)\] - \d{4}-\d\d-\d\d$", "CHANGELOG.md") == firesteel.__version__
    assert firesteel.__version__.startswith(f"{found(r'^Young: version ([0-9]+[.][0-9]+)[.]', 'README.md')}.")


def test_the_package_takes_it_from_the_module() -> None:
    assert found(r'^path = "(.+)"$', "pyproject.toml") == "src/firesteel/__init__.py"
    assert "\nversion = " not in (ROOT / "pyproject.toml").read_text(encoding="utf-8")
