"""Files and functions stay small enough to be read in one sitting, and no file is less than a thought."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCES = sorted((ROOT / "src").rglob("*.py"))
MIN_FILE_LINES, MAX_FILE_LINES = 20, 400
MAX_FUNCTION_LINES = 60
MAX_FOLDER_FILES = 25


def _lengths(path: Path) -> Iterator[str]:
    """The file, if it is too short or too long, and its functions that are too long."""
    text = path.read_text(encoding="utf-8")
    lines = text.count("\n")
    least = 0 if path.name == "__init__.py" else MIN_FILE_LINES
    if not least <= lines <= MAX_FILE_LINES:
        yield f"{path}: {lines} lines"
    if lines <= MAX_FUNCTION_LINES:
        return
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            size = (node.end_lineno or node.lineno) - node.lineno + 1
            if size > MAX_FUNCTION_LINES:
                yield f"{path}:{node.lineno}: {node.name} has {size} lines"


def test_files_and_functions_are_small() -> None:
    assert [found for path in SOURCES for found in _lengths(path)] == []


def test_nothing_is_left_for_later() -> None:
    marks = "|".join(["TO" + "DO", "FIX" + "ME", "X" * 3, "NotImplemented" + "Error"])
    texts = {path: path.read_text(encoding="utf-8") for path in SOURCES}
    assert {str(path) for path, text in texts.items() if re.search(rf"\b(?:{marks})\b", text)} == set()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x = 1\n" * (MIN_FILE_LINES - 1), "19 lines"),
        ("x = 1\n" * (MAX_FILE_LINES + 1), "401 lines"),
        ("x = 1\n" * 9 + "def f():\n" + "    x = 1\n" * MAX_FUNCTION_LINES, "py:10: f has 61 lines"),
    ],
)
def test_what_is_too_short_or_too_long_is_found(tmp_path: Path, text: str, expected: str) -> None:
    path = tmp_path / "module.py"
    path.write_text(text, encoding="utf-8")
    (found,) = _lengths(path)
    assert found.endswith(expected)


def test_the_packages_only_export() -> None:
    with_code = []
    for path in SOURCES:
        if path.name != "__init__.py":
            continue
        body = ast.parse(path.read_text(encoding="utf-8")).body
        allowed = (ast.Import, ast.ImportFrom, ast.Assign, ast.AnnAssign, ast.Expr)
        lazy = [n for n in body if isinstance(n, ast.FunctionDef) and n.name in ("__dir__", "__getattr__")]
        lazy += [n for n in body if isinstance(n, ast.If) and ast.unparse(n.test) == "TYPE_CHECKING"]
        with_code += [str(path) for n in body if not isinstance(n, allowed) and n not in lazy]
    assert with_code == []


def test_folders_are_small() -> None:
    folders = {path.parent for path in SOURCES}
    large = {str(f): n for f in folders if (n := len(list(f.glob("*.py")))) > MAX_FOLDER_FILES}
    assert large == {}
