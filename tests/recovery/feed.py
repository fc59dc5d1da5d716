"""A producer that never rests: random inserts, updates and deletes as canal-json, in four partitions.

A row's changes are all in one partition, so that they keep their order. Some groups only grow: a message
about one of them that does not say more than the one before was sent twice. A second topic has the teams of
the names, which change, too.
"""

from __future__ import annotations

import json
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tools.kafka_broker import Broker

from tests.recovery.load import PARTITIONS, Load
from tests.recovery.teams import Teams
from tests.spark.jobs import random_changes

GROWING = "grows"
"""How the names of groups begin that only grow."""
_GROWING = 5
_TEAM_CHANGES = 0.1
"""Changes of teams for each change of a row."""


@dataclass(frozen=True)
class Sent:
    """What is left after all that a feed has sent.

    Attributes:
        rows: Name and count of each row.
        teams: Team of each name that has one.
    """

    rows: Sequence[tuple[str, int]]
    teams: Mapping[str, str]


class Feed(Load):
    """Sends changes until it is stopped.

    Args:
        broker: Where the topics are made.
        seed: Seed of all that is random.
        rate: Changes a second, about.
        names: Number of groups.
    """

    def __init__(self, broker: Broker, seed: int, rate: int = 200, names: int = 60) -> None:
        super().__init__(broker, rate)
        self.topic = broker.create("changes", PARTITIONS)
        self.sent = 0
        self.teams_topic = broker.create("teams", PARTITIONS)
        self._chance = random.Random(seed)
        grows = [f"{GROWING}{number}" for number in range(_GROWING)]
        self._teams = Teams([f"name{number}" for number in range(names)] + grows, seed + 1)
        self._rows: dict[int, dict[str, Any]] = {}
        self._changes = random_changes(self._chance, self._rows, names)
        self._grown: list[tuple[str, int]] = []
        self.begin()

    def pause(self) -> Sent:
        """Send nothing any more until `go_on`, and return what is left of all that was sent."""
        self.hold()
        rows = [(row["name"], row["cnt"]) for row in self._rows.values()]
        return Sent(rows + self._grown, dict(self._teams.left))

    def send(self) -> None:
        if self._chance.random() < 0.1:
            name, count = f"{GROWING}{self._chance.randrange(_GROWING)}", self._chance.randrange(100)
            self._grown.append((name, count))
            key = -len(self._grown)
            row = {"id": str(key), "name": name, "cnt": str(count)}
            message = json.dumps({"data": [row], "old": None, "type": "INSERT", "isDdl": False})
        else:
            key, message = next(self._changes)
        self.produce(self.topic, key, message)
        self.sent += 1
        if self._chance.random() < _TEAM_CHANGES and (change := self._teams.change()):
            self.produce(self.teams_topic, *change)
