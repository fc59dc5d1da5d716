"""A producer that sends messages to topics at a steady rate, in a thread, until it is stopped."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections import Counter

from tools.kafka_broker import Broker

PARTITIONS = 4
_FLUSH_SECONDS = 120.0
_STEP_SECONDS = 0.1


class Load(ABC):
    """Sends changes from `begin` on.

    Attributes:
        produced: Messages so far, by topic. Some may wait for a broker that is away.

    Args:
        broker: Where the topics are.
        rate: Changes a second, about.
    """

    def __init__(self, broker: Broker, rate: int) -> None:
        from confluent_kafka import Producer

        self.produced: Counter[str] = Counter()
        self._client = Producer(
            {
                "bootstrap.servers": broker.servers,
                "enable.idempotence": True,
                "message.timeout.ms": 0,
                "linger.ms": 5,
                "log_level": 2,
            }
        )
        self._rate = rate
        self._running = threading.Lock()
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def begin(self) -> None:
        self._thread.start()

    def hold(self) -> None:
        """Send nothing any more until `go_on`, once all that was sent is in the topics."""
        self._running.acquire()
        self.flush()

    def go_on(self) -> None:
        self._running.release()

    def stop(self) -> None:
        self._over.set()
        if self._thread.is_alive():
            self._thread.join()

    def flush(self) -> None:
        """Wait until all messages are in the topics."""
        assert self._client.flush(_FLUSH_SECONDS) == 0

    @abstractmethod
    def send(self) -> None:
        """Send one change."""

    def produce(self, topic: str, key: int, message: str) -> None:
        """Send a message to the partition of a key."""
        while True:
            try:
                self._client.produce(topic, message, partition=key % PARTITIONS)
                break
            except BufferError:
                self._client.poll(0.1)
        self.produced[topic] += 1
        self._client.poll(0)

    def _run(self) -> None:
        while not self._over.wait(_STEP_SECONDS):
            with self._running:
                for _ in range(round(self._rate * _STEP_SECONDS)):
                    self.send()
