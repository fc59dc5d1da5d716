"""`make goldens` writes recorded texts again."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.goldens import SWITCH, hold, hold_file

ROOT = Path(__file__).parents[1]
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
CASES = "SELECT 1\n----\none\n\nSELECT 11\n----\none\n----\ntwo\n\nthree\n\nSELECT 2\n----\ntwo\n"
"""A golden file with three cases."""
TEST = """
from pathlib import Path
from tests.goldens import hold
from tests.rules.planning import GOLDEN, physical_text, tables

def test_plans():
    path = Path({golden!r})
    catalog = tables((GOLDEN / "tables.sql").read_text())
    for case in path.read_text().strip().split("\\n\\n"):
        sql, expected = case.split("\\n----\\n")
        hold(path, (sql, expected), physical_text(sql, catalog))
"""
"""A test of a golden file with plans."""


def _golden_tests() -> list[str]:
    found = re.search(r"^GOLDENS := (.*)$", MAKEFILE, re.MULTILINE)
    assert found is not None
    return found[1].split()


def test_the_target_reaches_all_tests_with_recorded_texts() -> None:
    named = [ROOT / path for path in _golden_tests()]
    for path in (ROOT / "tests").rglob("test_*.py"):
        takes_part = re.search(r"^from tests\.goldens import", path.read_text(encoding="utf-8"), re.MULTILINE)
        if takes_part and path != Path(__file__):
            assert any(path == one or one in path.parents for one in named), f"make goldens leaves out {path}"
    assert all(path.exists() for path in named)


def test_nothing_else_reads_the_switch() -> None:
    readers = [
        path.name
        for path in (ROOT / "tests").rglob("*.py")
        if re.search(rf"environ.*({SWITCH}|SWITCH)", path.read_text(encoding="utf-8"))
    ]
    assert sorted(readers) == ["goldens.py", "test_goldens.py"]


@pytest.mark.full
def test_the_target_writes_a_golden_file(tmp_path: Path) -> None:
    golden = tmp_path / "plans.txt"
    text = (ROOT / "tests" / "golden" / "rules" / "distinct.txt").read_text(encoding="utf-8")
    damaged = text.replace("GroupAggregate(", "Another(", 3)
    assert damaged != text
    golden.write_text(damaged, encoding="utf-8")
    (tmp_path / "test_plans.py").write_text(TEST.format(golden=str(golden)), encoding="utf-8")
    quiet = "-p no:cacheprovider"
    alone = (sys.executable, "-m", "pytest", "-q", *quiet.split(), str(tmp_path))
    assert _run(*alone).returncode == 1
    assert golden.read_text(encoding="utf-8") == damaged
    where = [f"BIN={Path(sys.executable).parent}", "READY=", f"GOLDENS={tmp_path}"]
    made = _run("make", "goldens", *where, f"ARGS={quiet}")
    assert made.returncode == 0, made.stdout + made.stderr
    assert golden.read_text(encoding="utf-8") == text
    assert _run(*alone).returncode == 0


def _run(*command: str) -> subprocess.CompletedProcess[str]:
    environment = {k: v for k, v in os.environ.items() if k not in (SWITCH, "MAKEFLAGS", "MAKELEVEL")}
    return subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False, timeout=300
    )


def test_only_the_case_that_changed_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "golden.txt"
    path.write_text(CASES, encoding="utf-8")
    with pytest.raises(AssertionError):
        hold(path, ("SELECT 1", "one"), "other")
    monkeypatch.setenv(SWITCH, "1")
    hold(path, ("SELECT 1", "one"), r"\1 [other]")
    hold(path, ("SELECT 1", "one"), r"\1 [other]")  # an equal case, which the first has written
    hold(path, ("SELECT 2", "two"), "two")
    written = "SELECT 1\n----\n\\1 [other]"
    assert path.read_text(encoding="utf-8") == CASES.replace("SELECT 1\n----\none", written)
    with pytest.raises(AssertionError, match="has no such case"):
        hold(path, ("SELECT 3", "three"), "other")


def test_a_whole_file_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "page.md"
    path.write_text("old", encoding="utf-8")
    with pytest.raises(AssertionError, match="make goldens"):
        hold_file(path, "new")
    monkeypatch.setenv(SWITCH, "1")
    hold_file(path, "new")
    assert path.read_text(encoding="utf-8") == "new"
