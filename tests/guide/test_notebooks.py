"""The page on notebooks: its cells show what it says."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from firesteel import TableEnvironment
from tests.guide.test_examples import GUIDE, blocks

pytest.importorskip("IPython", reason="of the extra `notebook`")

from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output

if TYPE_CHECKING:
    from firesteel.spark.launch.launch import Spark

PAGE = (GUIDE / "notebooks.md").read_text(encoding="utf-8")


@pytest.fixture
def shell(spark: Spark) -> Iterator[Any]:
    InteractiveShell.clear_instance()
    made = InteractiveShell.instance()
    made.user_ns["env"] = TableEnvironment.create(spark)
    yield made
    InteractiveShell.clear_instance()


@pytest.mark.spark
def test_the_cells_show_what_the_page_says(
    shell: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    parts = blocks(PAGE)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "orders.json").write_text(parts["orders.json"], encoding="utf-8")
    monkeypatch.setattr("firesteel.notebook.magics.importlib.util.find_spec", lambda _: None)
    with capture_output() as found:
        shell.run_cell(parts["first cell"]).raise_error()
        shell.run_cell(parts["second cell"]).raise_error()
    assert found.stdout == "OK\n"
    (row,) = re.findall(r"^\| name \| total \|\n\| --- \| --- \|\n\| (\w+) \| (\d+) \|$", PAGE, re.MULTILINE)
    last = found.outputs[-1].data["text/html"]
    assert f"<tbody><tr><td>{row[0]}</td><td>{row[1]}</td></tr></tbody>" in last
    (foot,) = re.findall(r"state of the query: `([^`]+)`", PAGE)
    assert f"<div>{foot}</div>" in last
