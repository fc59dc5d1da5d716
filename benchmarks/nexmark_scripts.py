"""Scripts of the Nexmark queries in examples/nexmark, over a file of events."""

from __future__ import annotations

import re
from pathlib import Path

from benchmarks.nexmark_data import events
from firesteel.sql.variables import substitute

FOLDER = Path(__file__).parents[1] / "examples" / "nexmark"
QUERIES = tuple(range(24))
REFUSED = (6,)
"""Queries that Flink refuses."""


def script(query: int, count: int, out: Path) -> str:
    """Return the script of a query: its tables, views, sink and INSERT.

    Args:
        query: Number of the query.
        count: Number of events.
        out: Folder that query 10 writes files to.
    """
    values = {"DATA": str(events(count)), "SINK": "blackhole", "OUT": str(out)}
    files = ("files.sql", f"q{query}.sql")
    return "\n".join(substitute((FOLDER / file).read_text(encoding="utf-8"), values) for file in files)


def select(query: int) -> str:
    """Return the SELECT of a query, without its sink."""
    text = (FOLDER / f"q{query}.sql").read_text(encoding="utf-8")
    return re.split(r"^INSERT INTO \w+$", text, flags=re.MULTILINE)[1].strip().rstrip(";")
