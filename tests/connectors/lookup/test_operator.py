"""Tables of lookup joins in a worker: opened once for each run of a job, and not for ever."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest

from firesteel import process_cache
from firesteel.connectors.lookup import operator
from firesteel.connectors.lookup.operator import MOST_OPEN, opened
from firesteel.runtime.spec.lookup_join import LookupTable
from firesteel.runtime.spec.tables import ScanSpec
from firesteel.types.sql import INT, STRING
from tests.runtime.operators.lookup_join.tables import values


@pytest.fixture(autouse=True)
def run() -> Iterator[None]:
    operator._open.clear()
    yield
    process_cache.enter("")
    operator._open.clear()


def table(folder: Path, **options: str) -> LookupTable:
    given = {k.replace("__", "-").replace("_", "."): v for k, v in options.items()}
    pairs = {"connector": "filesystem", "path": str(folder), "format": "csv", **given}
    scan = ScanSpec("filesystem", tuple(pairs.items()), ("id", "name"), (INT, STRING), (0, 1), table="c.d.t")
    return LookupTable(scan, (0,))


def names(of: LookupTable) -> list[str]:
    return [row[2] for row in values(opened(of).find([pa.array([1], pa.int32())]))]


FULL = {"lookup_cache": "FULL", "lookup_full__cache_periodic__reload_interval": "1 h"}


def test_a_run_keeps_its_cache_and_the_next_one_has_its_own(tmp_path: Path) -> None:
    file = tmp_path / "a.csv"
    file.write_text("1,old\n")
    cached = table(tmp_path, **FULL)
    process_cache.enter("first")
    assert names(cached) == ["old"]
    file.write_text("1,new\n")
    assert names(cached) == ["old"]
    process_cache.enter("second")
    assert names(cached) == ["new"]
    process_cache.enter("first")
    assert names(cached) == ["old"]


def test_files_without_a_cache_are_read_each_time(tmp_path: Path) -> None:
    assert names(table(tmp_path)) == []
    (tmp_path / "a.csv").write_text("1,one\n2,two\n")
    (tmp_path / "b.csv").write_text("1,eins\n")
    assert names(table(tmp_path)) == ["one", "eins"]
    (tmp_path / "a.csv").unlink()
    assert names(table(tmp_path)) == ["eins"]


def test_few_tables_stay_open(tmp_path: Path) -> None:
    for number in range(MOST_OPEN + 5):
        process_cache.enter(str(number))
        opened(table(tmp_path))
    assert len(operator._open) == MOST_OPEN
    assert (str(MOST_OPEN + 4), table(tmp_path)) in operator._open
