"""Features of Flink SQL, each with the statement that shows it: the files in features/, one a group.

A line `-- NAME` names the feature of the statement that follows. A statement without a name prepares those
behind it. `[not recorded]` marks a feature of Flink that its package cannot show: it lacks the connector, or
only its SQL client knows the statement.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parent
TABLES = FOLDER / "tables.sql"
ANSWERS = FOLDER / "flink.json"
_UNRECORDED = " [not recorded]"


@dataclass(frozen=True)
class Statement:
    """A statement of a group.

    Attributes:
        sql: Its text.
        feature: The feature that it shows, "" for a statement that only prepares others.
        is_recorded: Whether Flink's answer is recorded.
    """

    sql: str
    feature: str = ""
    is_recorded: bool = True


def groups() -> dict[str, list[Statement]]:
    """Return the statements of each group, by the group's name."""
    files = sorted((FOLDER / "features").glob("*.sql"))
    return {file.stem.partition("-")[2].capitalize(): list(statements(file.read_text())) for file in files}


def statements(text: str) -> Iterator[Statement]:
    """Yield the statements of a file. Each ends with `;` at the end of a line."""
    for piece in re.split(r";[ \t]*(?:\n|$)", text):
        lines = piece.strip().splitlines()
        if not lines:
            continue
        name = lines[0].removeprefix("-- ") if lines[0].startswith("-- ") else ""
        sql = "\n".join(lines[1:] if name else lines)
        yield Statement(sql, name.removesuffix(_UNRECORDED), not name.endswith(_UNRECORDED))
