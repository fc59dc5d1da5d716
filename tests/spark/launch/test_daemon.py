"""The workers' daemon loads what workers need, and not what they do not."""

from __future__ import annotations

import importlib
import subprocess
import sys
from pathlib import Path

import pyspark
import pytest

from firesteel.spark.launch.daemon import MODULES, installed_first, load_optional


@pytest.mark.parametrize("module", MODULES)
def test_what_it_loads_exists(module: str) -> None:
    importlib.import_module(module)


def test_what_may_be_missing_is_not_searched_for_again() -> None:
    load_optional("no_such_module")
    try:
        with pytest.raises(ModuleNotFoundError, match=r"None in sys\.modules"):
            importlib.import_module("no_such_module")
    finally:
        del sys.modules["no_such_module"]


def test_pandas_is_loaded_only_where_it_is_asked_for() -> None:
    script = """
import sys
from firesteel.spark.launch.daemon import load
from firesteel.spark.launch.without_pandas import spare_pandas
spare_pandas(spark=True)
load()
from pyspark.sql.types import NumpyArrayConverter
NumpyArrayConverter().can_convert([1])
import pyarrow as pa
table = pa.table({"a": [1, 2]})
assert "pandas" not in sys.modules
assert "firesteel.sql" not in sys.modules
assert table.to_pandas()["a"].sum() == 3
import pandas
assert pa.array(pandas.Series([1.0, None])).null_count == 1
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_what_is_loaded_is_out_of_collections() -> None:
    script = (
        "import gc; from firesteel.spark.launch.daemon import keep_out_of_collections, load;"
        "load(('numpy', 'pyarrow')); keep_out_of_collections();"
        "print(gc.get_freeze_count() > 10_000, len(gc.get_objects()) < 1_000)"
    )
    said = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert said.stdout.split() == ["True", "True"]


def test_its_ordinary_end_is_silent() -> None:
    """DuckDB tells what it finds left over at the end of a process."""
    script = "from firesteel.spark.launch.daemon import prepare; prepare(); raise SystemExit(3)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (3, "")


def test_sparks_zips_are_left_out_where_their_package_is_installed(tmp_path: Path) -> None:
    lib = Path(pyspark.__file__).parent / "python" / "lib"
    zips = [str(path) for path in sorted(lib.glob("*.zip"))]
    assert zips
    elsewhere = str(tmp_path / "spark" / "python" / "lib" / "pyspark.zip")
    path = ["", *zips, elsewhere, "/usr/lib/python311.zip"]
    assert installed_first(path) == ["", elsewhere, "/usr/lib/python311.zip"]
