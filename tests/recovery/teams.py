"""Random inserts, updates and deletes of the teams that names belong to, as canal-json."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence

_TEAMS = 5
_LEAVES = 0.3
"""Share of changes that take a name out of its team."""


class Teams:
    """The team of each name, and its random changes.

    Attributes:
        left: Team of each name that has one.
    """

    def __init__(self, names: Sequence[str], seed: int) -> None:
        self.left: dict[str, str] = {}
        self._names = names
        self._chance = random.Random(seed)

    def change(self) -> tuple[int, str] | None:
        """Change the team of one name.

        Returns:
            The number of the name and the message; None if the new team is the old one.
        """
        number = self._chance.randrange(len(self._names))
        name, new = self._names[number], f"team{self._chance.randrange(_TEAMS)}"
        old = self.left.get(name)
        if old is not None and self._chance.random() < _LEAVES:
            del self.left[name]
            return number, _message("DELETE", name, old)
        if old == new:
            return None
        self.left[name] = new
        return number, _message("INSERT" if old is None else "UPDATE", name, new, old)


def _message(kind: str, name: str, team: str, old: str | None = None) -> str:
    before = None if old is None else [{"team": old}]
    return json.dumps({"data": [{"name": name, "team": team}], "old": before, "type": kind, "isDdl": False})
