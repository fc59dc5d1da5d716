"""The guide's generator of watermarks, at work over a folder that Spark watches."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from firesteel import TableEnvironment
from tests.guide.test_examples import GUIDE, blocks

if TYPE_CHECKING:
    from firesteel.spark.launch.launch import Spark


def write(path: Path, *rows: tuple[str, int, bool]) -> None:
    """Rows of a worker at a second, and whether they are the last of a shift; all at once."""
    lines = [
        json.dumps({"worker": worker, "last": last, "ts": f"2026-01-01T00:00:{second:02}Z"})
        for worker, second, last in rows
    ]
    hidden = path.with_name(f".{path.name}")
    hidden.write_text("\n".join(lines) + "\n", encoding="utf-8")
    hidden.rename(path)


@pytest.mark.spark
@pytest.mark.slow
def test_shifts(spark: Spark, tmp_path: Path) -> None:
    module: dict[str, Any] = {"__name__": "__main__"}
    exec(blocks((GUIDE / "watermarks.md").read_text(encoding="utf-8"))["shifts.py"], module)
    environment = TableEnvironment.create(spark)
    environment.execute_sql("SET 'table.local-time-zone' = 'UTC'")
    write(tmp_path / "1.json", ("ann", 1, False), ("bob", 4, False), ("ann", 9, True))
    rows = spark.session.readStream.schema("worker STRING, last BOOLEAN, ts TIMESTAMP").json(str(tmp_path))
    result = module["shifts"](environment, rows)
    changes = iter(result.collect())
    assert sorted(next(changes)[0] for _ in range(2)) == ["ann", "bob"]
    write(tmp_path / "2.json", ("bob", 3, False), ("bob", 8, False), ("ann", 15, True))
    assert sorted(tuple(next(changes))[::2] for _ in range(2)) == [("ann", 1), ("bob", 1)], "bob at 3 is late"
    result.cancel()
