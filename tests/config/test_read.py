"""Every option of the table does something, or the documentation says that it does not."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import firesteel
from firesteel.config.table import OPTIONS

SOURCE = Path(firesteel.__file__).parent
DOCUMENT = Path(__file__).parents[2] / "docs" / "compatibility.md"


@cache
def written_keys() -> frozenset[str]:
    """Strings of the sources that may be an option's key: constants, and f-strings of a name and an end."""
    return frozenset(
        key
        for path in SOURCE.rglob("*.py")
        if path.name != "config/table.py"
        for key in _keys(ast.parse(path.read_text(encoding="utf-8")))
    )


def _keys(tree: ast.Module) -> Iterator[str]:
    starts = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            starts.append(node.value)
            yield node.value
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr) and isinstance(node.values[-1], ast.Constant):
            yield from (f"{start}{node.values[-1].value}" for start in starts)


@cache
def differences() -> str:
    """What the document says under "Differs"."""
    text = DOCUMENT.read_text(encoding="utf-8")
    return text[text.index("\n## Differs\n") :]


@pytest.mark.parametrize("option", OPTIONS, ids=lambda option: option.key)
def test_an_option_is_read_or_its_lack_is_documented(option: object) -> None:
    key = getattr(option, "key", "")
    assert key in written_keys() or f"`{key}`" in differences()


def test_a_key_that_nobody_reads_is_found_out() -> None:
    assert "table.exec.no-such-option" not in written_keys()
    assert "table.exec.emit.early-fire.delay" in written_keys()  # written in two pieces
