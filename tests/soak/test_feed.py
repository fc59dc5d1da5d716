"""What the feed of the soak says that it has sent, against its messages."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from typing import Any, cast

import pytest
from tools.kafka_broker import Broker

from tests.recovery.load import PARTITIONS
from tests.soak.feed import SoakFeed
from tests.soak.queries import RECENT, TOTALS, WIDER_TOTALS, WINDOWS

pytest.importorskip("confluent_kafka")


class _NoBroker:
    servers = "127.0.0.1:1"

    def create(self, topic: str, partitions: int) -> str:
        return topic


class _Kept(SoakFeed):
    """A feed that keeps its messages, by topic, and sends none."""

    def __init__(self) -> None:
        super().__init__(cast("Broker", _NoBroker()), 1, 0)
        self.messages: dict[str, list[tuple[int, dict[str, Any]]]] = defaultdict(list)

    def produce(self, topic: str, key: int, message: str) -> None:
        self.messages[topic].append((key, json.loads(message)))


@pytest.fixture(scope="module")
def feed() -> _Kept:
    made = _Kept()
    for _ in range(60_000):
        made.send()
    return made


def _left(messages: list[tuple[int, dict[str, Any]]], key: str) -> dict[str, dict[str, str]]:
    """Return the rows that canal-json messages leave, by their key."""
    left: dict[str, dict[str, str]] = {}
    for _, message in messages:
        (row,) = message["data"]
        if message["type"] == "INSERT":
            assert row[key] not in left
        else:
            assert left[row[key]] == {**row, **(message["old"] or [{}])[0]}
        if message["type"] == "DELETE":
            del left[row[key]]
        else:
            left[row[key]] = row
    return left


def test_the_answers_are_those_of_the_messages(feed: _Kept) -> None:
    sent = feed.finish()
    teams = {name: row["team"] for name, row in _left(feed.messages["teams"], "name").items()}
    counts = defaultdict(list)
    for row in _left(feed.messages["changes"], "id").values():
        if row["name"] in teams:
            counts[teams[row["name"]], row["name"]].append(int(row["cnt"]))
    totals = Counter((*key, sum(of), max(of), len(of), len({*of})) for key, of in counts.items())
    assert WIDER_TOTALS.answer(sent) == totals
    assert TOTALS.answer(sent) == Counter(row[:-1] for row in totals)
    assert len(totals) > 50

    orders = defaultdict(list)
    windows = defaultdict(list)
    for _, line in feed.messages["orders"]:
        orders[line["id"]].append(line["amount"])
        if line["kind"] != "end":
            windows[line["ts"][:18], line["kind"]].append(line["amount"])
    assert RECENT.answer(sent) == Counter((key, len(of), sum(of), max(of)) for key, of in orders.items())
    found = Counter(
        {(f"{row[0]:%Y-%m-%d %H:%M:%S}"[:18], *row[2:]): n for row, n in WINDOWS.answer(sent).items()}
    )
    assert found == Counter((*key, len(of), sum(of)) for key, of in windows.items())
    last = feed.messages["orders"][-PARTITIONS:]
    assert {key % PARTITIONS for key, _ in last} == {*range(PARTITIONS)}
    assert min(line["ts"] for _, line in last) > max(
        line["ts"] for _, line in feed.messages["orders"][:-PARTITIONS]
    )


def test_one_name_is_hot_and_the_rows_stay_few(feed: _Kept) -> None:
    names = Counter(message["data"][0]["name"] for _, message in feed.messages["changes"])
    ((name, count),) = names.most_common(1)
    assert name == "name0"
    assert 0.25 < count / names.total() < 0.4
    assert len(_left(feed.messages["changes"], "id")) <= 2_000


def test_an_order_is_soon_complete(feed: _Kept) -> None:
    """So that its result is final before its state expires."""
    first: dict[int, int] = {}
    for at, (number, _) in enumerate(feed.messages["orders"][:-PARTITIONS]):
        assert at - first.setdefault(number, at) < 600
