"""The arrows between the packages, read from the source and seen at run time."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest
from tools.check_imports import (
    arrows,
    circles,
    circular,
    imported_modules,
    offence,
    parts_of_packages,
    violations,
)

SOURCE = Path(__file__).parents[1] / "src"


def test_no_package_imports_what_it_may_not() -> None:
    assert violations(SOURCE) == []


@pytest.mark.parametrize(
    ("layer", "module", "refused"),
    [
        ("runtime", "pyspark.sql", True),
        ("runtime", "firesteel.plan.nodes.logical", True),
        ("runtime", "firesteel.types.sql", False),
        ("functions", "firesteel.kernels.hashing", False),
        ("functions", "firesteel.runtime.aggregate.row_engine.handler", True),
        ("connectors", "firesteel.plan.tree", True),
        ("plan", "pyspark", True),
        ("cli", "firesteel.session", False),
        ("session", "firesteel.cli.main", True),
        ("job", "firesteel.spark.task.source_task", True),
        ("plan", "firesteel.runtime.columns.keys", True),
        ("a_new_package", "firesteel.errors", True),
        ("plan", "firesteel.__version__", False),
        ("plan", "firesteel.TableEnvironment", True),
    ],
)
def test_the_check_sees_an_offence(layer: str, module: str, refused: bool) -> None:
    assert (offence(layer, module) is not None) == refused


def test_imports_are_found_wherever_they_stand() -> None:
    tree = ast.parse("import a.b\ndef f():\n    from .c import d\nfrom ..e import f as g\n")
    found = {module for _, module in imported_modules(tree, "firesteel.x.y")}
    assert found == {"a.b", "firesteel.x.y.c.d", "firesteel.x.e.f"}


def test_nothing_imports_itself_by_way_of_others() -> None:
    assert circular(SOURCE) == []


@pytest.mark.parametrize(
    ("graph", "expected"),
    [
        ({"a": {"b"}, "b": {"c"}, "c": set()}, []),
        ({"a": {"b"}, "b": {"c"}, "c": {"a"}}, [["a", "b", "c"]]),
        ({"a": {"b", "c"}, "b": {"d"}, "c": {"d"}, "d": set()}, []),
        ({"a": {"b"}, "b": {"c"}, "c": {"b"}}, [["b", "c"]]),
    ],
)
def test_circles_are_found(graph: dict[str, set[str]], expected: list[list[str]]) -> None:
    assert circles(graph) == expected


def test_packages_may_be_circular_where_files_are_not() -> None:
    graph = {"x.a": {"y.a"}, "y.b": {"x.b"}, "y.a": set(), "x.b": set(), "x": {"x.a", "x.b"}}
    assert circles(graph) == []
    assert circles(dict(parts_of_packages(graph))[""]) == [["x", "y"]]


def test_imports_of_a_name_lead_to_its_file(tmp_path: Path) -> None:
    for name, text in {
        "a/__init__.py": "from firesteel.a.one import x",
        "a/one.py": "def f():\n    from firesteel.b import y",
        "b.py": "from .a import one\nimport os",
        "__init__.py": "",
    }.items():
        path = tmp_path / "firesteel" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    assert arrows(tmp_path) == {"a": {"a.one"}, "a.one": {"b"}, "b": {"a.one"}}


def _loaded_by(code: str) -> set[str]:
    """The top-level names of all modules that are loaded after running `code` in a fresh process."""
    script = f"{code}\nimport sys\nprint(' '.join({{m.split('.')[0] for m in sys.modules}}))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_the_runtime_loads_neither_spark_nor_the_parser() -> None:
    code = (
        "import importlib, pkgutil, firesteel.runtime as r\n"
        "for m in pkgutil.walk_packages(r.__path__, 'firesteel.runtime.'): importlib.import_module(m.name)"
    )
    assert _loaded_by(code) & {"pyspark", "typer", "rich"} == set()


def test_importing_firesteel_loads_nothing_heavy() -> None:
    heavy = {"pyspark", "duckdb", "pyarrow", "pandas", "numpy", "typer", "rich"}
    assert _loaded_by("import firesteel") & heavy == set()


def test_the_command_line_loads_nothing_heavy_before_it_knows_the_command() -> None:
    heavy = {"pyspark", "duckdb", "pyarrow", "pandas", "numpy", "rich"}
    assert _loaded_by("import firesteel.cli.main") & heavy == set()
