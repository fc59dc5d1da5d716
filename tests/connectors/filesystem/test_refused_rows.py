"""Rows that the format of a file of lines cannot write are set aside, and all others are written."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from firesteel.connectors.refused_rows import Refusals
from firesteel.connectors.registry import open_sink
from firesteel.errors import DataError
from firesteel.runtime.spec.tables import SinkSpec
from firesteel.types.sql import INT, STRING, map_of
from tests.runtime.changes import to_table

TYPES = (INT, map_of(STRING, INT))
ROWS: list[tuple[Any, ...]] = [("+I", n, [(None if n in (3, 40) else "k", n)]) for n in range(60)]


def written(folder: Path, refusals: Refusals | None) -> list[int]:
    """Write the rows as one batch, and return those that are in files."""
    options = (("connector", "filesystem"), ("path", str(folder)), ("format", "json"))
    sink = open_sink(SinkSpec("filesystem", options, ("a", "m"), TYPES, "t"))
    sink.open("job")
    sink.refusals = refusals
    sink.open_task("job", 0, 0)
    sink.write(to_table(ROWS, TYPES))
    sink.commit(0, [sink.close_task()])
    files = [file for file in folder.iterdir() if file.name.startswith("part-")]
    return [json.loads(line)["a"] for file in files for line in file.read_text().splitlines()]


def test_others_are_written(tmp_path: Path) -> None:
    refusals = Refusals()
    assert written(tmp_path, refusals) == [n for n in range(60) if n not in (3, 40)]
    rows = refusals.take()
    assert [row.row for row in rows] == ["+I[3, {null=3}]", "+I[40, {null=40}]"]
    assert {row.error_class for row in rows} == {"DataError"}


def test_without_a_dead_letter_table_the_first_ends_the_job(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="cannot be written"):
        written(tmp_path, None)
