"""Events of the Nexmark benchmark as a file, made once and kept in the cache folder."""

from __future__ import annotations

from pathlib import Path

import duckdb

from benchmarks.data import cache
from firesteel.connectors.nexmark.columns import COLUMNS
from firesteel.connectors.nexmark.source import NexmarkSource
from firesteel.runtime.spec.tables import ScanSpec

RATE = 10_000
"""Events in a second of event time."""
_BASE_TIME = 1_767_225_600_000
_SIDE_INPUT = 10_000


def events(count: int) -> Path:
    """Return a folder with events.json, an event a line, and side_input.csv for query 13.

    Args:
        count: Number of events.
    """
    folder = cache() / f"nexmark-{count}"
    if not folder.exists():
        part = folder.with_suffix(".part")
        part.mkdir(exist_ok=True)
        _write_events(part / "events.json", count)
        lines = (f"{number},value-{number % 100}\n" for number in range(_SIDE_INPUT))
        (part / "side_input.csv").write_text("".join(lines), encoding="utf-8")
        part.rename(folder)
    return folder


def _write_events(path: Path, count: int) -> None:
    options = {
        "connector": "nexmark",
        "events.num": str(count),
        "first-event.rate": str(RATE),
        "base-time": str(_BASE_TIME),
    }
    scan = ScanSpec("nexmark", tuple(options.items()), tuple(COLUMNS), tuple(COLUMNS.values()), (0, 1, 2, 3))
    source = NexmarkSource(scan)
    members = ", ".join(f"'{name}': f{at}" for at, name in enumerate(COLUMNS))
    with duckdb.connect() as connection, path.open("wb") as out:
        connection.execute("SET enable_progress_bar = false")
        for split in source.splits(1):
            for table in source.read(split):
                connection.register("events", table)
                query = connection.execute(f"SELECT to_json({{{members}}}) FROM events")
                out.write("".join(f"{line}\n" for (line,) in query.fetchall()).encode())
