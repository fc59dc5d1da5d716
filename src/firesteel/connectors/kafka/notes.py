"""Read and replace the positions of a sink, for all its tasks at once.

A position is the last micro-batch that a task has written. Each task has a transactional ID and a consumer
group of the same name. The group reads no messages: it only stores the position. For this, the task commits
an offset for the group in partition 0 of a topic of the table. The offset is no message's offset, but the
number of the micro-batch plus 1: offset 8 means that batch 7 is written (transactions.py).
"""

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
    """Return by task number the last micro-batch that each task has recorded, without tasks that have none.

    Args:
        properties: Properties of the client.
        names: Transactional ID of each task.
        topics: Topics of the table. A task may have a record in several topics. The latest batch counts.

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
    """Replace the last micro-batches that tasks have recorded, each in a transaction without messages.

    The new micro-batch is recorded in every topic, because `noted` returns the latest one of all topics: an
    old record of a later micro-batch would win.

    Args:
        properties: Properties of the client.
        positions: New last micro-batch of each task, by the task's transactional ID.
        topics: Topics of the table.

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
