"""Queries that a pipeline runs over the changes and teams of a feed, and their answers."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tests.recovery.feed import Sent
from tests.recovery.job import NAMES
from tests.recovery.kills import Row, totals

SOURCES = """\
CREATE TABLE changes (id BIGINT, name STRING, cnt INT) WITH ('connector' = 'kafka', 'topic' = '{topic}',
  'properties.bootstrap.servers' = '{servers}', 'properties.group.id' = 'pipeline',
  'scan.startup.mode' = 'earliest-offset', 'format' = 'canal-json');
CREATE TABLE teams (name STRING, team STRING, PRIMARY KEY (name) NOT ENFORCED) WITH ('connector' = 'kafka',
  'topic' = '{teams}', 'properties.bootstrap.servers' = '{servers}', 'properties.group.id' = 'pipeline',
  'scan.startup.mode' = 'earliest-offset', 'format' = 'canal-json');
"""


@dataclass(frozen=True)
class Query:
    """A query over the sources.

    Attributes:
        text: The SELECT.
        columns: Columns of a table for its rows, as SQL declares them.
        key: Primary key of the table.
        names: Names of the columns.
        answer: Returns the rows that the query leaves over what a feed has sent.
    """

    text: str
    columns: str
    key: str
    names: tuple[str, ...]
    answer: Callable[[Any], Counter[Row]]


TOTALS = Query(
    "SELECT name, SUM(cnt), MAX(cnt), COUNT(DISTINCT cnt), COUNT(*) FROM changes GROUP BY name",
    "name STRING, total INT, biggest INT, different BIGINT, n BIGINT",
    "name",
    NAMES,
    lambda sent: totals(sent.rows),
)

_PLACES = 3


def _leaders(sent: Sent) -> Counter[Row]:
    counts: dict[str, dict[str, list[int]]] = defaultdict(lambda: defaultdict(list))
    for name, count in sent.rows:
        if name in sent.teams:
            counts[sent.teams[name]][name].append(count)
    answer: Counter[Row] = Counter()
    for team, names in counts.items():
        by_total = sorted((-sum(values), name, len(values)) for name, values in names.items())
        for place, (total, name, number) in enumerate(by_total[:_PLACES], 1):
            answer[team, place, name, -total, number] += 1
    return answer


LEADERS = Query(
    f"""\
SELECT team, place, name, total, n FROM (
  SELECT *, ROW_NUMBER() OVER (PARTITION BY team ORDER BY total DESC, name) AS place FROM (
    SELECT t.team, c.name, SUM(c.cnt) AS total, COUNT(*) AS n
    FROM changes AS c JOIN teams AS t ON c.name = t.name GROUP BY t.team, c.name))
WHERE place <= {_PLACES}""",
    "team STRING, place BIGINT, name STRING, total INT, n BIGINT",
    "team, place",
    ("team", "place", "name", "total", "n"),
    _leaders,
)
"""A join, an aggregate and a Top-N: the names with the greatest totals in each team, while both change."""
