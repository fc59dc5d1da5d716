"""Number of unread messages in the topics of a running job, counted on request."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from typing import Any

from firesteel.connectors.base import Lags, Offset
from firesteel.errors import FiresteelError
from firesteel.job.spec import JobSpec
from firesteel.job.topology import stages
from firesteel.runtime.spec.tables import ScanSpec, ValuesSpec
from firesteel.spark.stream.reader_offset import own_offset
from firesteel.spark.task.splits import open_head

_FRESH_SECONDS = 1.0
"""Seconds for which a lag is reused, because the progress line asks for it more often."""


class Lag:
    """Number of unread messages of one job. The object opens the job's sources once more to ask them.

    No lag is counted for a bounded job, nor for a job that reads a DataFrame of the user (`framed`). In the
    latter, Spark does not report which of its sources belongs to which table.
    """

    def __init__(self, job: JobSpec, framed: bool = False) -> None:
        sources = [] if job.bounded or framed else [each.head.source for each in stages(job)[0]]
        self._heads: list[ScanSpec | ValuesSpec | None] = list(sources)
        self._opened: dict[int, Any] = {}
        self._known: Lags = {}
        self._asked: float | None = None

    def behind(self, sources: Sequence[Mapping[str, Any]]) -> Lags:
        """Return the number of messages after the offsets of a micro-batch, by topic and partition.

        A source that cannot be asked now is left out. `sources` are the entries of Spark's progress, in the
        order of the job's sources.
        """
        now = time.monotonic()
        if self._asked is None or now >= self._asked + _FRESH_SECONDS:
            self._asked, self._known = now, self._ask([_own(each["endOffset"]) for each in sources])
        return self._known

    def _ask(self, offsets: Sequence[Offset | None]) -> Lags:
        found: dict[tuple[str, int], int] = {}
        for number, (head, offset) in enumerate(zip(self._heads, offsets, strict=False)):
            if head is not None and offset is not None:
                found.update(self._of_source(number, head, offset))
        return found

    def _of_source(self, number: int, head: ScanSpec | ValuesSpec, offset: Offset) -> Lags:
        try:
            source = self._opened.setdefault(number, None) or open_head(head)
            self._opened[number] = source
            return source.lag(offset)
        except FiresteelError:
            return {}  # the job itself reports the failure


def _own(offset: Any) -> Offset | None:
    """Return the connector's own offset within an offset of Spark; None if Spark has no offset.

    Spark's offset also holds the processing time, the last replay, and whether the source has ended.
    """
    while isinstance(offset, str):
        offset = json.loads(offset)
    if offset is None:
        return None
    return own_offset(offset)
