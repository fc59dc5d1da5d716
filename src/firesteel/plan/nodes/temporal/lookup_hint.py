"""Hint LOOKUP of a query: how a lookup join queries its table (Flink: LookupJoinHintOptions)."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class LookupHint:
    """Hint LOOKUP.

    Attributes:
        table: Name of the table in the query.
        options: Key and value of each option as written, in the order in which plans print them.
        shuffle: Whether rows are sent to tasks by the columns that are looked up.
        attempts: Number of further lookups for a key without rows.
        delay: Milliseconds before each further lookup.
    """

    table: str
    options: tuple[tuple[str, str], ...]
    shuffle: bool = False
    attempts: int = 0
    delay: int = 0

    def text(self, path: str) -> str:
        """Return the text of the hint in the AST.

        Args:
            path: Path from the SELECT of the hint down to the join, as positions of inputs.
        """
        options = ", ".join(f"{key}={value}" for key, value in self.options)
        return f"[LOOKUP inheritPath:[{path}] options:{{{options}}}]"
