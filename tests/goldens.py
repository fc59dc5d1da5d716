"""Recorded texts of the tests: golden files. `make goldens` writes them again, as the code answers now.

A case of a golden file is a statement and its texts, with a line `----` between each two of them.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path

SWITCH = "FIRESTEEL_RECORD"
"""Environment variable: if it is set, tests write what they find into their golden files."""


def hold(path: Path, case: Sequence[str], *found: str) -> None:
    """Assert that a case of a golden file has the texts found, or write these into the file.

    Args:
        path: The golden file.
        case: The case as the file has it: the statement, then its texts.
        found: The texts of the case that the code gives now.
    """
    statement, *expected = case
    if os.environ.get(SWITCH) and list(found) != expected:
        _replace(path, _text(case), _text([statement, *found]))
    else:
        assert list(found) == expected


def hold_file(path: Path, found: str) -> None:
    """Assert that a golden file has the text found, or write it."""
    if os.environ.get(SWITCH):
        path.write_text(found, encoding="utf-8")
    assert path.read_text(encoding="utf-8") == found, "if the difference is meant, run make goldens"


def _text(case: Sequence[str]) -> str:
    return "\n----\n".join(case)


def _replace(path: Path, old: str, new: str) -> None:
    """Replace a case wherever the file has it."""
    text = path.read_text(encoding="utf-8")
    replaced, count = re.subn(_pattern(old), lambda _: new, text, flags=re.MULTILINE)
    is_written = re.search(_pattern(new), text, re.MULTILINE)  # by the test of an equal case
    assert count or is_written, f"{path} has no such case:\n{old}"
    path.write_text(replaced, encoding="utf-8")


def _pattern(case: str) -> str:
    """Return the pattern of a whole case: a blank line, a line `====` or the end of the file is behind it."""
    return rf"^{re.escape(case)}(?=\n\n|\n====\n|\n*\Z)"
