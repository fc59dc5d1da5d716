"""Files and functions stay small enough to be read in one sitting, and no file is less than a thought."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCES = sorted((ROOT / "src").rglob("*.py"))
MIN_FILE_LINES, MAX_FILE_LINES = 20, 400
MAX_FUNCTION_LINES = 60
MAX_FOLDER_FILES = 25


def _functions(path: Path) -> list[ast.FunctionDef | ast.AsyncFunctionDef]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)]


@pytest.mark.parametrize("path", SOURCES, ids=lambda p: str(p.relative_to(ROOT / "src")))
def test_files_and_functions_are_small(path: Path) -> None:
    lines = path.read_text(encoding="utf-8").count("\n")
    least = 0 if path.name == "__init__.py" else MIN_FILE_LINES
    assert least <= lines <= MAX_FILE_LINES, f"{path.name} has {lines} lines"
    long = [
        f"{path.name}:{f.lineno}: {f.name} has {size} lines"
        for f in _functions(path)
        if (size := (f.end_lineno or f.lineno) - f.lineno + 1) > MAX_FUNCTION_LINES
    ]
    assert long == []


@pytest.mark.parametrize("path", SOURCES, ids=lambda p: str(p.relative_to(ROOT / "src")))
def test_nothing_is_left_for_later(path: Path) -> None:
    marks = "|".join(["TO" + "DO", "FIX" + "ME", "X" * 3, "NotImplemented" + "Error"])
    text = path.read_text(encoding="utf-8")
    assert re.findall(rf"\b(?:{marks})\b", text) == []


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
