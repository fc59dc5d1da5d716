"""Events of the connector in tests."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from firesteel.connectors.nexmark.columns import COLUMNS
from firesteel.connectors.nexmark.source import NexmarkSource
from firesteel.runtime.spec.tables import ScanSpec
from firesteel.types.value_parts import Parts

BASE_TIME = 1_700_000_000_000


def source(
    projection: tuple[int, ...] = (0, 1, 2, 3), parts: tuple[Parts, ...] = (), **options: object
) -> NexmarkSource:
    """Return a source. Underscores in option names stand for dots, double ones for hyphens."""
    given = {"connector": "nexmark", "base-time": str(BASE_TIME)}
    given |= {key.replace("__", "-").replace("_", "."): str(value) for key, value in options.items()}
    kinds = tuple(COLUMNS.values())
    return NexmarkSource(
        ScanSpec("nexmark", tuple(given.items()), tuple(COLUMNS), kinds, projection, parts=parts)
    )


def table(made: NexmarkSource, parallelism: int = 1) -> pa.Table:
    """Return all events of a bounded source."""
    found = [each for split in made.splits(parallelism) for each in made.read(split)]
    return pa.concat_tables(found).combine_chunks()


def rows(made: NexmarkSource) -> list[dict[str, Any]]:
    """Return all events, each with its own fields only."""
    events = table(made).to_pylist()
    return [each["f1"] or each["f2"] or each["f3"] for each in events]
