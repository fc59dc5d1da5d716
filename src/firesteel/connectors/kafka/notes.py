"""Positions in the consumer groups of a sink's transactional IDs, read and replaced for all tasks at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor

from firesteel.connectors.kafka.producer import Producer, owner
from firesteel.connectors.positions import Position

_AT_ONCE = 8
"""Number of parallel requests. Each one waits for brokers."""


def noted(
    properties: Mapping[str, str], names: Mapping[int, str], topics: Sequence[str]
) -> dict[int, Position]:
    """Return the recorded positions, by task. Tasks without one are left out.

    Args:
        properties: Properties of the client.
        names: Transactional ID of each task.
        topics: Topics of the table. A position is the furthest one that is recorded for them.

    Raises:
        JobError: No broker answers.
    """
    with ThreadPoolExecutor(_AT_ONCE) as threads:
        producers = list(threads.map(lambda name: owner(properties, name, topics), names.values()))
    for producer in producers:
        producer.release()
    found = zip(names, producers, strict=True)
    return {task: each.position for task, each in found if each.position.batch >= 0}


def moved(properties: Mapping[str, str], positions: Mapping[str, Position], topics: Sequence[str]) -> None:
    """Record other positions, by transactional ID, each in a transaction without messages.

    The furthest position of all topics counts, so the position is recorded for each topic.

    Raises:
        JobError: No broker answers, or a broker refuses.
    """

    def note(name: str, position: Position) -> Producer:
        producer = owner(properties, name, topics)
        producer.begin(position.batch, topics, origin=position.origin)
        producer.commit(position.batch)
        return producer

    with ThreadPoolExecutor(_AT_ONCE) as threads:
        producers = list(threads.map(note, positions, positions.values()))
    for producer in producers:
        producer.release()
