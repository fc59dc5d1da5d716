"""No plan depends on where in the text an expression stands: ranges go into errors, and are never read."""

from __future__ import annotations

import ast
from pathlib import Path

SOURCE = Path(__file__).parents[2] / "src" / "firesteel"
FILES = [path for folder in ("plan", "rules", "explain") for path in sorted((SOURCE / folder).rglob("*.py"))]


def _is_range(node: ast.AST) -> bool:
    return isinstance(node, ast.Attribute) and node.attr == "range"


def _decides(node: ast.AST) -> bool:
    """Whether a range is compared, or a part of one read."""
    if isinstance(node, ast.Compare):
        return any(map(_is_range, [node.left, *node.comparators]))
    return isinstance(node, ast.Attribute) and _is_range(node.value)


def test_positions_decide_nothing() -> None:
    found = [
        f"{path.relative_to(SOURCE)}:{node.lineno}"
        for path in FILES
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if _decides(node) and isinstance(node, ast.expr)
    ]
    assert found == []


def test_what_decides_is_found() -> None:
    for text in ("a.range == b.range", "call.range.start < 3", "if x.range is None: pass"):
        assert any(map(_decides, ast.walk(ast.parse(text))))
