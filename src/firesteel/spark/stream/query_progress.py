"""Numbers that Spark reports of a running query, asked for on demand."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from firesteel.connectors.base import Lags
from firesteel.spark.stream.lag import Lag

if TYPE_CHECKING:
    from pyspark.sql.streaming.query import StreamingQuery

_FRESH_SECONDS = 0.4
"""Seconds for which an answer of Spark is reused: a snapshot of the web page needs it several times."""


class QueryProgress:
    """The last progress report of Spark's query. Any thread may ask for it.

    A request takes milliseconds, because Spark converts the report to JSON.

    Attributes:
        query: The query; None before it starts and after it has ended. Then there is no report.
    """

    def __init__(self, lag: Lag) -> None:
        self.query: StreamingQuery | None = None
        self._lag = lag
        self._known: tuple[float, Any] = (float("-inf"), None)

    def state_bytes(self) -> int | None:
        """Return the bytes of Spark's state store after the last micro-batch; None without a report."""
        last = self._last()
        return None if last is None else sum(each["memoryUsedBytes"] for each in last["stateOperators"])

    def lags(self) -> Lags:
        """Return the number of messages that the last micro-batch left unread, by (topic, partition).

        Return {} without a report.
        """
        last = self._last()
        return {} if last is None else self._lag.behind(last["sources"])

    def _last(self) -> Any:
        """Return Spark's last report; None before the first micro-batch and after the query's end."""
        query, (asked, known) = self.query, self._known
        if query is None:
            return None
        if time.monotonic() < asked + _FRESH_SECONDS:
            return known
        try:
            known = query.lastProgress if query.isActive else None
        except Exception:  # the JVM does not answer: it is ending
            known = None
        self._known = time.monotonic(), known
        return known
