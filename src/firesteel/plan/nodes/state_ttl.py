"""Retention of an aggregate's state by the hint STATE_TTL of its query."""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass(frozen=True)
class StateTtl:
    """Hint STATE_TTL for the table of a query with an aggregate.

    Attributes:
        time: The duration as written, "" for the job's default.
        inherited: Whether plans print the hint as inherited from a node above (`inheritPath:[0]`), because a
            rule added a projection there.
    """

    time: str = ""
    inherited: bool = False

    def below(self) -> StateTtl:
        """Return this hint, marked as inherited, for a node above which a rule adds a projection."""
        return replace(self, inherited=bool(self.time))

    @property
    def attributes(self) -> list[tuple[str, str]]:
        """Return the hint as last attributes of a node in physical plans (Flink: RelTreeWriterImpl)."""
        if not self.time:
            return []
        path = "inheritPath:[0] " if self.inherited else ""
        return [("stateTtlHints", f"[[STATE_TTL {path}options:[{self.time}]]]")]


NO_TTL = StateTtl()
