"""KeySketch, an estimate of the most frequent keys among the rows that go through an exchange.

A sample is at most 2,048 rows of a packet, which are counted by key in columns. Keys with less than 0.5 % of
the sample are left out. So a key with 1 % of all rows is nearly always found: it has 20 rows of a sample on
average. Not every packet is sampled: all samples together take at most 0.5 % of the process's time.
"""

from __future__ import annotations

import random
import time
from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from firesteel.changelog import field
from firesteel.runtime.columns.keys import find_keys
from firesteel.runtime.dataflow.failed_row import value_text

SAMPLED = 2048
"""Maximum number of rows of a packet that are counted by key."""
SHARE_OF_TIME = 0.005
"""Largest fraction of a process's time that samples take."""
_LEAST = 200
"""A key counts if it has at least 1 / 200 (0.5 %) of the rows of a sample."""
_MOST = 32
"""Maximum number of keys of a packet that are counted: the most frequent ones of its sample."""
_TEXT = 60
"""Characters after which the text of a value is cut."""
_SPREAD = np.arange(SAMPLED, dtype=np.float64) * ((5**0.5 - 1) / 2) % 1.0
"""Positions of sampled rows in a packet, as fractions of its length. Multiples of the golden ratio spread
evenly and have no period, so rows with a period are sampled evenly, too."""

Key = tuple[str | None, ...]
"""Texts of the values of a key; None for NULL."""


class Budget:
    """Time that a process may spend on samples, as a fraction of the time that it works.

    After a sample, there is none for about 200 times the time that it took. The factor is random, between 100
    and 300. With a fixed factor, the samples might always fall on the same tasks and exchanges.
    """

    def __init__(self) -> None:
        self._next = 0

    def allows(self) -> bool:
        """Return whether a sample may be taken now."""
        return time.process_time_ns() >= self._next

    def spend(self, begun: int) -> None:
        """Set the time of the next sample. `begun` is time.process_time_ns() at the begin of this sample."""
        now = time.process_time_ns()
        self._next = now + round((now - begun) / SHARE_OF_TIME * random.uniform(0.5, 1.5))


PROCESS = Budget()
"""The budget of this process."""


class KeySketch:
    """Counts of the most frequent keys of the rows that one task sends to a chain.

    Args:
        keys: Positions of the key fields.

    Attributes:
        rows: Number of all rows.
    """

    def __init__(self, keys: Sequence[int]) -> None:
        self._keys = keys
        self._seen = 0
        self._counts: dict[Key, int] = {}
        self.rows = 0

    @property
    def is_empty(self) -> bool:
        """Whether no packet was sampled, so nothing is known of the keys."""
        return self._seen == 0

    @property
    def counts(self) -> dict[Key, int]:
        """Estimated number of rows by key, for frequent keys."""
        return {key: round(count * self.rows / self._seen) for key, count in self._counts.items()}

    def add(self, changes: pa.Table) -> None:
        """Count the rows of a packet. Sample their keys if the budget of the process allows it."""
        self.rows += changes.num_rows
        if PROCESS.allows():
            begun = time.process_time_ns()
            self._sample(changes)
            PROCESS.spend(begun)

    def _sample(self, changes: pa.Table) -> None:
        rows = changes.num_rows
        self._seen += rows
        columns = [changes.column(field(at)) for at in self._keys]
        if rows > SAMPLED:
            positions = pa.array((_SPREAD * rows).astype(np.int64))
            columns = [column.take(positions) for column in columns]
        sampled = min(rows, SAMPLED)
        keys = find_keys(columns, sampled)
        top = np.argsort(-keys.counts, kind="stable")[:_MOST]
        top = top[keys.counts[top] * _LEAST >= sampled]
        texts = _texts([column.take(pa.array(top)) for column in keys.columns])
        for text, count in zip(texts, keys.counts[top].tolist(), strict=True):
            self._counts[text] = self._counts.get(text, 0) + round(count * rows / sampled)


def _texts(columns: Sequence[pa.Array]) -> list[Key]:
    return list(zip(*(map(_text, column) for column in columns), strict=True))


def _text(cell: pa.Scalar) -> str | None:
    if not cell.is_valid:
        return None
    is_bytes = pa.types.is_binary(cell.type) or pa.types.is_large_binary(cell.type)
    text = f"x'{cell.as_py()[:_TEXT].hex()}'" if is_bytes else value_text(cell)
    return text if len(text) <= _TEXT else f"{text[:_TEXT]}…"
