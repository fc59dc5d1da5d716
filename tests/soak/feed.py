"""What the soak sends: rows that change and their teams, and orders that are soon complete.

changes   canal-json: inserts, updates and deletes of rows; one name has about a third of them
teams     canal-json: the team of each name, which changes, too
orders    json: the lines of orders, each with its time
"""

from __future__ import annotations

import bisect
import itertools
import json
import random
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from tools.kafka_broker import Broker

from tests.recovery.load import PARTITIONS, Load
from tests.recovery.teams import Teams
from tests.spark.jobs import random_changes

NAMES = 100
_SKEW = 1.25
"""Exponent of the names' frequencies (Zipf)."""
_ROWS = 2_000
"""Rows that are left at most, so that the state of their query stays as it is."""
_ORDERS = 0.4
"""Share of lines of orders among all that is sent."""
_TEAMS = 0.05
"""Changes of teams for each change of a row."""
_OPEN = 20
"""Orders that get lines at the same time. So an order is complete within a second or two."""
_LINES = 6
_KINDS = 5
WINDOW_SECONDS = 10
_BEHIND = timedelta(hours=1)
"""How far behind all others the last line of each partition lies: it closes all windows."""


@dataclass(frozen=True)
class Sent:
    """What is left after all that was sent.

    Attributes:
        rows: Name and count of each row.
        teams: Team of each name that has one.
        orders: Number, sum and maximum of the lines of each order.
        windows: Number and sum of the lines of each window and kind.
    """

    rows: Sequence[tuple[str, int]]
    teams: Mapping[str, str]
    orders: Mapping[int, Sequence[int]]
    windows: Mapping[tuple[datetime, str], Sequence[int]]


class SoakFeed(Load):
    """Sends rows, teams and orders.

    Args:
        broker: Where the topics are made.
        seed: Seed of all that is random, but for the times.
        rate: Messages a second, about.
    """

    def __init__(self, broker: Broker, seed: int, rate: int) -> None:
        super().__init__(broker, rate)
        self.changes = broker.create("changes", PARTITIONS)
        self.teams = broker.create("teams", PARTITIONS)
        self.orders = broker.create("orders", PARTITIONS)
        self._chance = random.Random(seed)
        self._weights = list(itertools.accumulate((n + 1) ** -_SKEW for n in range(NAMES)))
        self._team = Teams([f"name{number}" for number in range(NAMES)], seed + 1)
        self._rows: dict[int, dict[str, Any]] = {}
        self._changes = random_changes(self._chance, self._rows, NAMES, self._name, _ROWS)
        self._open: list[tuple[int, int]] = []
        self._lines: dict[int, list[int]] = {}
        self._windows: dict[tuple[datetime, str], list[int]] = {}
        self._begun = datetime.now().replace(microsecond=0), time.monotonic()

    def finish(self) -> Sent:
        """Send no more but a line that closes the windows of each partition. Return what is left."""
        self.stop()
        for _ in range(PARTITIONS):  # numbers that follow each other are in different partitions
            self._line(len(self._lines), "end", self._now() + _BEHIND)
        self.flush()
        rows = [(row["name"], row["cnt"]) for row in self._rows.values()]
        return Sent(rows, dict(self._team.left), self._lines, self._windows)

    def send(self) -> None:
        if self._chance.random() < _ORDERS:
            self._order()
            return
        self.produce(self.changes, *next(self._changes))
        if self._chance.random() < _TEAMS and (change := self._team.change()):
            self.produce(self.teams, *change)

    def _name(self) -> int:
        return bisect.bisect(self._weights, self._chance.random() * self._weights[-1])

    def _order(self) -> None:
        """Send a line of an order, which may be a new one."""
        if len(self._open) < _OPEN:
            number, left = len(self._lines), self._chance.randint(1, _LINES)
        else:
            number, left = self._open.pop(self._chance.randrange(_OPEN))
        if left > 1:
            self._open.append((number, left - 1))
        kind, now = f"kind{min(self._chance.randrange(_KINDS) for _ in range(2))}", self._now()
        amount = self._line(number, kind, now)
        begins = now.replace(second=now.second // WINDOW_SECONDS * WINDOW_SECONDS, microsecond=0)
        window = self._windows.setdefault((begins, kind), [0, 0])
        window[0] += 1
        window[1] += amount

    def _line(self, number: int, kind: str, moment: datetime) -> int:
        """Send a line of an order and return its amount."""
        amount = self._chance.randrange(1000)
        count, total, most = self._lines.get(number, (0, 0, 0))
        self._lines[number] = [count + 1, total + amount, max(most, amount)]
        text = f"{moment:%Y-%m-%d %H:%M:%S}.{moment.microsecond // 1000:03}"
        row = {"id": number, "kind": kind, "amount": amount, "ts": text}
        self.produce(self.orders, number, json.dumps(row))
        return amount

    def _now(self) -> datetime:
        """Return a time that never goes back."""
        at, begun = self._begun
        return at + timedelta(seconds=time.monotonic() - begun)
