"""The two scripts of the soak, and the answers of their queries over all that was sent.

`totals` is upgraded while the soak runs: it gets a column more. `recent` is not, because its state has a time
to live: what it has sent depends on when rows came.

The answer of `recent` is known in spite of its time to live: all lines of an order are sent within a second
or two, and then nothing ever comes for it again. Its result is final long before its state expires, as long
as the job never stands still for that time between two lines. The soak measures the longest pause between
two micro-batches and compares it with the time to live.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from datetime import timedelta

from tests.recovery.kills import Row
from tests.recovery.queries import Query
from tests.soak.feed import WINDOW_SECONDS, Sent

_HEAD = """\
SET 'restart-strategy.exponential-delay.initial-backoff' = '200 ms';
SET 'restart-strategy.exponential-delay.max-backoff' = '3 s';
SET 'parallelism.default' = '2';
SET 'pipeline.max-parallelism' = '8';
SET 'table.exec.mini-batch.enabled' = 'true';
SET 'table.exec.mini-batch.allow-latency' = '2 s';
SET 'table.exec.mini-batch.size' = '5000';
"""
_KAFKA = """\
WITH ('connector' = 'kafka', 'topic' = '{topic}', 'properties.bootstrap.servers' = '{servers}',
  'properties.group.id' = 'soak', 'scan.startup.mode' = 'earliest-offset', 'format' = '{format}');
"""
CHANGES = f"""\
{_HEAD}CREATE TABLE changes (id BIGINT, name STRING, cnt INT)
  {_KAFKA.format(topic="{changes}", servers="{servers}", format="canal-json")}\
CREATE TABLE teams (name STRING, team STRING, PRIMARY KEY (name) NOT ENFORCED)
  {_KAFKA.format(topic="{teams}", servers="{servers}", format="canal-json")}"""
ORDERS = f"""\
{_HEAD}SET 'table.exec.state.ttl' = '{{ttl}} s';
CREATE TABLE orders (id BIGINT, kind STRING, amount INT, ts TIMESTAMP(3),
  WATERMARK FOR ts AS ts - INTERVAL '1' SECOND)
  {_KAFKA.format(topic="{orders}", servers="{servers}", format="json")}"""


def _counts(sent: Sent) -> dict[tuple[str, str], list[int]]:
    """Return the counts of the rows of each team and name."""
    found = defaultdict(list)
    for name, count in sent.rows:
        if name in sent.teams:
            found[sent.teams[name], name].append(count)
    return found


def _totals(sent: Sent) -> Counter[Row]:
    return Counter((*key, sum(of), max(of), len(of)) for key, of in _counts(sent).items())


def _wider_totals(sent: Sent) -> Counter[Row]:
    return Counter((*key, sum(of), max(of), len(of), len(set(of))) for key, of in _counts(sent).items())


_JOINED = """\
SELECT t.team, c.name, SUM(c.cnt) AS total, MAX(c.cnt) AS biggest, COUNT(*) AS n{more}
FROM changes AS c JOIN teams AS t ON c.name = t.name GROUP BY t.team, c.name"""
TOTALS = Query(
    _JOINED.format(more=""),
    "team STRING, name STRING, total INT, biggest INT, n BIGINT",
    "team, name",
    ("team", "name", "total", "biggest", "n"),
    _totals,
)
WIDER_TOTALS = Query(
    _JOINED.format(more=", COUNT(DISTINCT c.cnt) AS different"),
    f"{TOTALS.columns}, different BIGINT",
    TOTALS.key,
    (*TOTALS.names, "different"),
    _wider_totals,
)
RECENT = Query(
    "SELECT id, COUNT(*) AS n, SUM(amount) AS total, MAX(amount) AS biggest FROM orders GROUP BY id",
    "id BIGINT, n BIGINT, total INT, biggest INT",
    "id",
    ("id", "n", "total", "biggest"),
    lambda sent: Counter((number, *of) for number, of in sent.orders.items()),
)
WINDOWS = Query(
    f"""\
SELECT window_start AS begins, window_end AS ends, kind, COUNT(*) AS n, SUM(amount) AS total
FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '{WINDOW_SECONDS}' SECOND))
GROUP BY window_start, window_end, kind""",
    "begins TIMESTAMP(3), ends TIMESTAMP(3), kind STRING, n BIGINT, total INT",
    "begins, ends, kind",
    ("begins", "ends", "kind", "n", "total"),
    lambda sent: Counter(
        (begins, begins + timedelta(seconds=WINDOW_SECONDS), kind, *of)
        for (begins, kind), of in sent.windows.items()
    ),
)
