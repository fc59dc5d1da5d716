"""The changes that the demo over Kafka sends, and what it says where there is no broker."""

from __future__ import annotations

import random
from collections import defaultdict
from pathlib import Path

import pytest
from tools.kafka_broker import NoJarsError

from firesteel.changelog import KIND, RowKind
from firesteel.types.sql import INT, STRING
from tests.formats.decoding import decode
from tools import demo_kafka


@pytest.mark.parametrize("seed", range(5))
def test_its_messages_say_what_becomes_of_the_table(seed: int) -> None:
    """A sum is left of what the messages add and take away; each of them changes one."""
    products = demo_kafka.Products(random.Random(seed))
    messages = [products.change()[1] for _ in range(200)]
    assert {kind for kind in ("INSERT", "UPDATE", "DELETE") for each in messages if f'"{kind}"' in each} == {
        "INSERT",
        "UPDATE",
        "DELETE",
    }
    changes = decode("canal-json", {"name": STRING, "cnt": INT}, "\n".join(messages) + "\n")
    sums: dict[str, int] = defaultdict(int)
    for kind, name, count in zip(*(changes[each].to_pylist() for each in (KIND, "f0", "f1")), strict=True):
        sums[name] += count if kind in (RowKind.INSERT, RowKind.UPDATE_AFTER) else -count
    assert {name: total for name, total in sums.items() if total} == {
        name: total for name, (total, _) in products.sums().items()
    }


def test_without_a_broker_it_says_so_in_a_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def no_jars(folder: Path) -> None:
        raise NoJarsError("Server access error")

    monkeypatch.setattr(demo_kafka, "Broker", no_jars)
    assert demo_kafka.main() == 1
    said = capsys.readouterr()
    assert said.err.splitlines()[1:] == [
        "no demo: there is no Kafka broker, its jars cannot be fetched (Server access error)"
    ]
    assert not said.out
