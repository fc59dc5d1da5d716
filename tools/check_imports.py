"""Hold the layers: which package of firesteel may import which, and who may import which library.

usage: python tools/check_imports.py [SOURCE_ROOT]

Prints one line an offence, `file:line: what may not be imported`, and exits 1 if there is any. Imports
inside functions and under TYPE_CHECKING count: an arrow is an arrow.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

LEAVES = ("types", "changelog", "errors", "option", "options", "options_table")

MAY_IMPORT = {
    "types": LEAVES,
    "changelog": (),
    "errors": (),
    "option": LEAVES,
    "options": LEAVES,
    "options_table": LEAVES,
    "catalog": (*LEAVES, "expr", "udf"),
    "expr": (*LEAVES, "runtime.spec", "runtime.operators.calc", "runtime.duck.java_dates"),
    "json_path": ("types", "runtime.duck.java_patterns"),
    "sql": LEAVES,
    "plan": (*LEAVES, "expr", "catalog"),
    "bind": (*LEAVES, "sql", "catalog", "expr", "plan"),
    "rules": (*LEAVES, "json_path", "plan", "expr", "catalog"),
    "explain": (*LEAVES, "plan", "expr", "catalog"),
    "udf": (*LEAVES, "runtime.spec"),
    "runtime": (*LEAVES, "udf", "json_path"),
    "formats": (*LEAVES, "runtime", "catalog.schema"),
    "connectors": (*LEAVES, "formats", "runtime", "catalog.schema"),
    "spark": (*LEAVES, "connectors", "formats", "runtime", "plan", "expr", "catalog"),
    "session": (
        *LEAVES,
        *("sql", "bind", "catalog", "expr", "plan", "rules", "explain"),
        *("runtime", "udf", "formats", "connectors", "spark"),
    ),
    "cli": (*LEAVES, "session", "spark", "sql"),
}
"""For each package, the packages (or single modules) that it may import besides itself."""

LIBRARY_BELONGS_TO = {
    "sqlglot": ("sql", "bind"),
    "pyspark": ("spark", "session"),
    "typer": ("cli",),
    "click": ("cli",),
    "rich": ("cli",),
}
"""Libraries that only these packages may import."""


def imported_modules(tree: ast.AST, package: str) -> Iterator[tuple[int, str]]:
    """(line, module) of every import; `from a import b` gives a.b. `package` resolves relative ones."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield node.lineno, alias.name
        elif isinstance(node, ast.ImportFrom):
            parts = package.split(".")
            base = ".".join(parts[: len(parts) - node.level + 1]) if node.level else ""
            module = ".".join(filter(None, [base, node.module]))
            for alias in node.names:
                yield node.lineno, f"{module}.{alias.name}"


def offence(layer: str, module: str) -> str | None:
    """Why `layer` may not import `module`, or None if it may."""
    top, _, rest = module.partition(".")
    if top != "firesteel":
        owners = LIBRARY_BELONGS_TO.get(top)
        return None if owners is None or layer in owners else f"only {' and '.join(owners)} may import {top}"
    target = rest.split(".")[0]
    if layer not in MAY_IMPORT:
        return f"package {layer} has no row in tools/check_imports.py"
    if target == layer or target not in MAY_IMPORT:
        return None
    allowed = MAY_IMPORT[layer]
    if any(rest == name or rest.startswith(f"{name}.") for name in allowed):
        return None
    return f"{layer} may not import {rest}"


def violations(root: Path) -> list[str]:
    """Every offence below `root`, the folder that holds the package firesteel."""
    found = []
    for path in sorted((root / "firesteel").rglob("*.py")):
        parts = path.relative_to(root).with_suffix("").parts
        if len(parts) == 2 and parts[1] == "__init__":
            continue  # the public names come from the top layer
        package = ".".join(parts if parts[-1] == "__init__" else parts[:-1]).removesuffix(".__init__")
        tree = ast.parse(path.read_text(encoding="utf-8"), str(path))
        for line, module in imported_modules(tree, package):
            why = offence(parts[1], module)
            if why:
                found.append(f"{path.relative_to(root)}:{line}: {why}")
    return found


def main() -> int:
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parents[1] / "src"
    found = violations(root)
    print("\n".join(found) or "the layers hold")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
