"""What the groups of a sink's transactional ids say, all tasks at once, and saying something else there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor

from firesteel.connectors.kafka.producer import Producer, owner
from firesteel.connectors.positions import Position

_AT_ONCE = 8
"""Requests side by side: each waits for brokers."""


def noted(
    properties: Mapping[str, str], names: Mapping[int, str], topics: Sequence[str]
) -> dict[int, Position]:
    """Return the positions of the tasks that have one.

    Args:
        names: The transactional id of each task.
        topics: Those of the table: a position is the furthest of what is noted for them.

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
    """Note other positions, by transactional id, each in a transaction without messages. As the furthest one
    of all topics counts, it is noted for each of them.

    Raises:
        JobError: No broker answers, or it refuses.
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
