"""The hint LOOKUP of a query: how a lookup join asks its table (Flink: LookupJoinHintOptions)."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class LookupHint:
    """A hint LOOKUP.

    Attributes:
        table: Name of the table in the query.
        options: All options as written, in the order in which plans show them.
        shuffle: Whether rows are sent to tasks by their keys.
        attempts: How often a key without rows is looked up again.
        delay: Milliseconds before each of these lookups.
    """

    table: str
    options: tuple[tuple[str, str], ...]
    shuffle: bool = False
    attempts: int = 0
    delay: int = 0

    def text(self, path: str) -> str:
        """Return what the AST shows of it.

        Args:
            path: The way from the SELECT of the hint down to the join, as positions of inputs.
        """
        options = ", ".join(f"{key}={value}" for key, value in self.options)
        return f"[LOOKUP inheritPath:[{path}] options:{{{options}}}]"
