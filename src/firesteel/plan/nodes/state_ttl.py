"""Retention of an aggregate's state by the hint STATE_TTL of its query."""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True)
class StateTtl:
    """The hint STATE_TTL about the table of a query with an aggregate.

    Attributes:
        time: The duration as written, "" for the job's.
        inherited: Whether the aggregate stands below what a rule has put above it, which plans show.
    """

    time: str = ""
    inherited: bool = False

    def below(self) -> StateTtl:
        """Return the same hint below a projection that a rule has made."""
        return replace(self, inherited=bool(self.time))

    @property
    def attributes(self) -> list[tuple[str, str]]:
        """Return the last attributes of the node in physical plans: the hint (Flink: RelTreeWriterImpl)."""
        if not self.time:
            return []
        path = "inheritPath:[0] " if self.inherited else ""
        return [("stateTtlHints", f"[[STATE_TTL {path}options:[{self.time}]]]")]


NO_TTL = StateTtl()
