"""Every option of the table does something, or the documentation says that it does not."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import TypeGuard

import pytest

import firesteel
from firesteel.config.table import OPTIONS

_KEY = re.compile(r"[\"'](?:table|sql-client|pipeline|parallelism|firesteel|execution|restart-strategy)[.]")
SOURCE = Path(firesteel.__file__).parent
DOCUMENT = Path(__file__).parents[2] / "docs" / "compatibility.md"


@cache
def written_keys() -> frozenset[str]:
    """Strings of the sources that may be an option's key: constants, and f-strings of a name and an end."""
    texts = (path.read_text(encoding="utf-8") for path in SOURCE.rglob("*.py"))
    return frozenset(key for text in texts if _KEY.search(text) for key in _keys(ast.parse(text)))


def _keys(tree: ast.Module) -> Iterator[str]:
    nodes = [*ast.walk(tree)]
    declared = {id(node.args[0]) for node in nodes if _declares(node)}
    constants = [node for node in nodes if isinstance(node, ast.Constant) and id(node) not in declared]
    starts = [node.value for node in constants if isinstance(node.value, str)]
    yield from starts
    for node in nodes:
        if isinstance(node, ast.JoinedStr) and isinstance(node.values[-1], ast.Constant):
            yield from (f"{start}{node.values[-1].value!s}" for start in starts)


def _declares(node: ast.AST) -> TypeGuard[ast.Call]:
    """Whether it is an entry of a table of options, which names a key and does not read it."""
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Option"


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
