"""Hold the layers: which package of firesteel may import which, who may import which library, and no circles.

usage: python tools/check_imports.py [SOURCE_ROOT]

Prints one line an offence, `file:line: what may not be imported`, and exits 1 if there is any. Imports
inside functions and under TYPE_CHECKING count: an arrow is an arrow. No files import each other in a circle,
nor do the parts of any package.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

LEAVES = (
    *("types", "changelog", "errors", "config", "sensitive"),
    *("process_cache", "background", "cache_folder"),
    *("file_trust", "durability", "durability_trace", "notices", "counted"),
)

MAY_IMPORT = {
    "sensitive": (),
    "changelog": (),
    "process_cache": (),
    "background": (),
    "file_trust": (),
    "cache_folder": ("file_trust", "notices"),
    "notices": (),
    "counted": (),
    "durability": ("durability_trace",),
    "durability_trace": (),
    "errors": ("sensitive",),
    "config": ("errors", "sensitive"),
    "types": LEAVES,
    "sql": LEAVES,
    "kernels": ("cache_folder", "errors", "file_trust"),
    "functions": (*LEAVES, "kernels"),
    "catalog": (*LEAVES, "functions"),
    "plan": (*LEAVES, "functions", "catalog"),
    "bind": (*LEAVES, "sql", "functions", "catalog", "plan"),
    "rules": (*LEAVES, "functions", "catalog", "plan"),
    "explain": (*LEAVES, "functions", "catalog", "plan"),
    "runtime": (*LEAVES, "functions", "kernels"),
    "formats": (*LEAVES, "functions", "kernels", "runtime"),
    "connectors": (*LEAVES, "functions", "kernels", "runtime", "formats", "catalog"),
    "job": (*LEAVES, "functions", "catalog", "plan", "runtime", "formats", "connectors"),
    "spark": (*LEAVES, "functions", "kernels", "runtime", "formats", "connectors", "job"),
    "jobs": (*LEAVES, "spark"),
    "session": (
        *LEAVES,
        *("sql", "bind", "catalog", "functions", "plan", "rules", "explain"),
        *("runtime", "formats", "connectors", "job", "spark", "jobs"),
    ),
    "testing": (
        *LEAVES,
        *("sql", "catalog", "functions", "plan"),
        *("runtime", "formats", "connectors", "job", "spark", "session"),
    ),
    "ui": LEAVES,
    "notebook": (*LEAVES, "session", "spark", "sql", "jobs"),
    "cli": (*LEAVES, "session", "spark", "sql", "jobs", "testing", "ui"),
}
"""For each package, the packages (or single modules) that it may import besides itself."""

LIBRARY_BELONGS_TO = {
    "pyspark": ("spark", "session"),
    "numba": ("kernels",),
    "llvmlite": ("kernels",),
    "typer": ("cli",),
    "click": ("cli",),
    "rich": ("cli",),
    "prompt_toolkit": ("cli",),
    "pytest": ("testing",),
    "starlette": ("ui",),
    "uvicorn": ("ui",),
    "yaml": ("testing",),
    "IPython": ("notebook",),
    "anywidget": ("notebook",),
    "traitlets": ("notebook",),
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
    if target in (layer, "", "__version__"):
        return None
    allowed = MAY_IMPORT[layer]
    if any(rest == name or rest.startswith(f"{name}.") for name in allowed):
        return None
    return f"{layer} may not import {rest}"


@cache  # of the imports alone: kept syntax trees cost the garbage collector more time than parsing
def modules(root: Path) -> tuple[tuple[str, Path, tuple[tuple[int, str], ...]], ...]:
    """Each file below `root`, the folder that holds the package firesteel: its dotted name, its path, and
    the line and the module of each of its imports."""
    found = []
    for path in sorted((root / "firesteel").rglob("*.py")):
        parts = path.relative_to(root).with_suffix("").parts
        package = ".".join(parts[:-1])
        name = package if parts[-1] == "__init__" else ".".join(parts)
        tree = ast.parse(path.read_text(encoding="utf-8"), str(path))
        found.append((name, path, tuple(imported_modules(tree, package))))
    return tuple(found)


def violations(root: Path) -> list[str]:
    """Every offence below `root`."""
    found = []
    for name, path, imports in modules(root):
        if name == "firesteel":
            continue  # the public names come from the top layer
        for line, module in imports:
            why = offence(name.split(".")[1], module)
            if why:
                found.append(f"{path.relative_to(root)}:{line}: {why}")
    return found


def arrows(root: Path) -> dict[str, set[str]]:
    """For each file, by its name without `firesteel.`, the files that it imports."""
    files = {name: imports for name, _, imports in modules(root) if name != "firesteel"}
    found: dict[str, set[str]] = {}
    for name, imports in files.items():
        targets = {_file_of(module, files) for _, module in imports}
        found[_short(name)] = {_short(t) for t in targets - {name, None} if t is not None}
    return found


def _short(name: str) -> str:
    return name.removeprefix("firesteel.")


def _file_of(module: str, files: Mapping[str, object]) -> str | None:
    """The file that an import reads: of a name in a module the module's."""
    while module and module not in files:
        module = module.rpartition(".")[0]
    return module or None


def circles(graph: Mapping[str, set[str]]) -> list[list[str]]:
    """The circles of a graph, each as the names that are on it, in order."""
    found: list[list[str]] = []
    done: set[str] = set()
    for start in sorted(graph):
        way: list[str] = []
        pending: list[tuple[str, bool]] = [(start, False)]
        while pending:
            name, leaving = pending.pop()
            if leaving:
                way.pop()
                done.add(name)
            elif name in way:
                found.append(way[way.index(name) :])
            elif name not in done:
                way.append(name)
                pending.append((name, True))
                pending += ((target, False) for target in sorted(graph.get(name, ()), reverse=True))
    return found


def parts_of_packages(graph: Mapping[str, set[str]]) -> Iterator[tuple[str, dict[str, set[str]]]]:
    """For each package, firesteel itself first, which of its parts (files and packages) imports which."""
    packages = {""} | {name.rpartition(".")[0] for name in graph}
    for package in sorted(packages):
        depth = len(package.split(".")) if package else 0
        inside = f"{package}." if package else ""
        parts: dict[str, set[str]] = {}
        for name, targets in graph.items():
            if name.startswith(inside) and name != package:
                part = name.split(".")[depth]
                into = {t.split(".")[depth] for t in targets if t.startswith(inside) and t != package}
                parts.setdefault(part, set()).update(into - {part})
        yield package, parts


def circular(root: Path) -> list[str]:
    """A line for each circle, of files and of the parts of a package."""
    graph = arrows(root)
    found = [f"a circle of files: {' -> '.join([*names, names[0]])}" for names in circles(graph)]
    for package, parts in parts_of_packages(graph):
        where = f"the parts of {package}" if package else "packages"
        found += [f"a circle of {where}: {' -> '.join([*names, names[0]])}" for names in circles(parts)]
    return found


def main() -> int:
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parents[1] / "src"
    found = violations(root) + circular(root)
    print("\n".join(found) or "the layers hold, and nothing is circular")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
