"""The jobs whose checkpoints are kept: small ones that between them have every kind of state and notes.

Used by `python -m tests.recovery.kept_checkpoint`, which keeps them. What it keeps is whole: a job here may
change without touching what was kept.
"""

from __future__ import annotations

import json
import random
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import islice

from tests.spark.jobs import random_changes


@dataclass(frozen=True)
class Job:
    """A job that is kept."""

    name: str
    script: str
    """SQL whose last statement is the job. `{base}` stands for the job's folder."""
    lines: list[str]
    """The lines of the source's files."""
    stop: int
    """How many of the lines are in the first file, which is there before the job stops."""
    configuration: Mapping[str, str] = field(default_factory=dict)
    batches: int | None = None
    """After how many micro-batches to stop, in the middle of the first file; None for when it is read."""
    unfinished: bool = False
    """Whether the last micro-batch is at the sinks, but not in Spark's log of commits."""
    tables: tuple[str, ...] = ()
    """SQL that makes the tables of the job's SQLite database."""


ROWS_A_BATCH = 12
_EVENTS, _STOP = 48, 32
"""Lines that a job reads in all, and before it is stopped."""

_CANAL = """\
CREATE TABLE changes (id BIGINT, name STRING, cnt INT{key}) WITH ('connector' = 'filesystem',
  'path' = '{{base}}/in', 'format' = 'canal-json', 'source.monitor-interval' = '1 s');
"""
_JSON = """\
CREATE TABLE events (k STRING, n BIGINT, v INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '2' SECOND)
  WITH ('connector' = 'filesystem', 'path' = '{base}/in', 'format' = 'json',
  'source.monitor-interval' = '1 s');
"""
_FILES = """\
CREATE TABLE {name} ({columns}) WITH ('connector' = 'filesystem', 'path' = '{{base}}/out/{name}',
  'format' = 'debezium-json');
"""
_DATABASE = """\
CREATE TABLE {name} ({columns}) WITH ('connector' = 'jdbc', 'url' = 'jdbc:sqlite:{{base}}/db',
  'table-name' = '{name}');
"""


def _files(name: str, columns: str) -> str:
    return _FILES.format(name=name, columns=columns)


_TOTALS = "name STRING, total INT, most INT, different BIGINT"
_SUMS = "SELECT name, SUM(cnt), MAX(cnt), COUNT(DISTINCT cnt) FROM changes GROUP BY name"

RECORDS = (
    _CANAL.format(key="")
    + _files("totals", _TOTALS)
    + _files(
        "others",
        "name STRING, least INT, mean INT, f INT, l INT, listed STRING, spread DOUBLE, half DOUBLE, n BIGINT",
    )
    + _files("nested", "most INT, names BIGINT, total BIGINT")
    + "EXECUTE STATEMENT SET BEGIN INSERT INTO totals "
    + _SUMS
    + """;
INSERT INTO others SELECT name, MIN(cnt), AVG(cnt), FIRST_VALUE(cnt), LAST_VALUE(cnt),
  LISTAGG(CAST(cnt AS STRING)), STDDEV_POP(CAST(cnt AS DOUBLE)), PERCENTILE(cnt, 0.5), COUNT(*)
  FROM changes GROUP BY name;
INSERT INTO nested SELECT most, COUNT(*), SUM(n) FROM (
  SELECT name, MAX(cnt) most, COUNT(*) n FROM changes GROUP BY name) GROUP BY most;
END
"""
)
BUNDLES = _CANAL.format(key="") + _SUMS
INCREMENTAL = (
    _JSON + "SELECT k, COUNT(DISTINCT v), SUM(v), COUNT(*), COUNT(DISTINCT n) FROM events GROUP BY k"
)
WINDOWS = (
    _JSON
    + _files("tumbles", "k STRING, s TIMESTAMP(3), e TIMESTAMP(3), n BIGINT, total INT, different BIGINT")
    + _files("hops", "k STRING, s TIMESTAMP(3), e TIMESTAMP(3), n BIGINT, most INT")
    + _files("sessions", "k STRING, s TIMESTAMP(3), e TIMESTAMP(3), n BIGINT, total INT, different BIGINT")
    + _files("panes", "k STRING, s TIMESTAMP(3), n BIGINT, total INT")
    + _files("members", "k STRING, n BIGINT, s TIMESTAMP(3), e TIMESTAMP(3)")
    + _files("gaps", "k STRING, s TIMESTAMP(3), e TIMESTAMP(3), n BIGINT, most INT")
    + """\
EXECUTE STATEMENT SET BEGIN
INSERT INTO tumbles SELECT k, window_start, window_end, COUNT(*), SUM(v), COUNT(DISTINCT v)
  FROM TABLE(TUMBLE(TABLE events, DESCRIPTOR(ts), INTERVAL '5' SECOND)) GROUP BY k, window_start, window_end;
INSERT INTO hops SELECT k, window_start, window_end, COUNT(*), MAX(v)
  FROM TABLE(HOP(TABLE events, DESCRIPTOR(ts), INTERVAL '5' SECOND, INTERVAL '10' SECOND))
  GROUP BY k, window_start, window_end;
INSERT INTO sessions SELECT k, window_start, window_end, COUNT(*), SUM(v), COUNT(DISTINCT v)
  FROM TABLE(SESSION(TABLE events PARTITION BY k, DESCRIPTOR(ts), INTERVAL '3' SECOND))
  GROUP BY k, window_start, window_end;
INSERT INTO members SELECT k, n, window_start, window_end
  FROM TABLE(SESSION(TABLE events PARTITION BY k, DESCRIPTOR(ts), INTERVAL '3' SECOND));
INSERT INTO panes SELECT k, HOP_START(ts, INTERVAL '3' SECOND, INTERVAL '10' SECOND), COUNT(*), SUM(v)
  FROM events GROUP BY k, HOP(ts, INTERVAL '3' SECOND, INTERVAL '10' SECOND);
INSERT INTO gaps SELECT k, SESSION_START(ts, INTERVAL '2' SECOND), SESSION_END(ts, INTERVAL '2' SECOND),
  COUNT(*), MAX(v) FROM events GROUP BY k, SESSION(ts, INTERVAL '2' SECOND);
END
"""
)
OVER = (
    _JSON
    + _files("ranges", "k STRING, n BIGINT, total INT, c BIGINT, most INT")
    + _files("lasts", "k STRING, n BIGINT, total INT, different BIGINT, least INT")
    + _files("lags", "k STRING, n BIGINT, prior INT, earlier BIGINT")
    + """\
EXECUTE STATEMENT SET BEGIN
INSERT INTO ranges SELECT k, n, SUM(v) OVER w, COUNT(*) OVER w, MAX(v) OVER w FROM events
  WINDOW w AS (PARTITION BY k ORDER BY ts RANGE BETWEEN INTERVAL '10' SECOND PRECEDING AND CURRENT ROW);
INSERT INTO lasts SELECT k, n, SUM(v) OVER w, COUNT(DISTINCT v) OVER w, MIN(v) OVER w FROM events
  WINDOW w AS (PARTITION BY k ORDER BY ts ROWS BETWEEN 4 PRECEDING AND CURRENT ROW);
INSERT INTO lags SELECT k, n, LAG(v) OVER w, LAG(n, 2, CAST(-1 AS BIGINT)) OVER w FROM events
  WINDOW w AS (PARTITION BY k ORDER BY ts);
END
"""
)
SORTED = _JSON + "SELECT k, n, v, ts FROM events ORDER BY ts"
CONFLICTS = (
    _JSON
    + _DATABASE.format(name="firsts", columns="v INT, k STRING, n BIGINT, PRIMARY KEY (v) NOT ENFORCED")
    + "INSERT INTO firsts SELECT v, k, n FROM events ON CONFLICT DO NOTHING"
)
UPSERTS = (
    _CANAL.format(key=", PRIMARY KEY (id) NOT ENFORCED")
    + _DATABASE.format(
        name="by_most", columns="most INT, name STRING, total INT, PRIMARY KEY (most) NOT ENFORCED"
    )
    + _DATABASE.format(name="copies", columns="kind STRING, id STRING, cnt STRING")
    + """\
CREATE TABLE messages (`type` STRING, data ARRAY<ROW<id STRING, name STRING, cnt STRING>>) WITH (
  'connector' = 'filesystem', 'path' = '{base}/in', 'format' = 'json', 'source.monitor-interval' = '1 s');
"""
    + """\
EXECUTE STATEMENT SET BEGIN
INSERT INTO by_most SELECT MAX(cnt) / 50, name, SUM(cnt) FROM changes GROUP BY name
  ON CONFLICT DO DEDUPLICATE;
INSERT INTO copies SELECT `type`, data[1].id, data[1].cnt FROM messages;
END
"""
)


def _changes() -> list[str]:
    made = random_changes(random.Random(7), {}, 4)
    return [message for _, message in islice(made, _EVENTS)]


def _repeated(lines: list[str]) -> list[str]:
    """Some of the changes twice, as a source may send them."""
    return [line for number, line in enumerate(lines) for _ in range(1 + (number % 5 == 4))][:_EVENTS]


def _events() -> list[str]:
    """Rows (k, n, v, ts): two a second, out of order by up to two seconds, one in ten later than that."""
    chance = random.Random(11)
    lines = []
    for number in range(_EVENTS):
        late = chance.uniform(2, 9) if chance.random() < 0.1 else chance.uniform(0, 2)
        time = datetime(2026, 1, 1) + timedelta(seconds=20 + number / 2 - late)
        row = {"k": f"k{chance.randrange(4)}", "n": number, "v": chance.randrange(20)}
        lines.append(json.dumps(row | {"ts": f"{time:%Y-%m-%d %H:%M:%S.%f}"[:-3]}))
    return lines


_MINI_BATCH = {
    "table.exec.mini-batch.enabled": "true",
    "table.exec.mini-batch.allow-latency": "100 ms",
    "table.exec.mini-batch.size": "8",
}


def jobs() -> list[Job]:
    """Return all jobs, in the order in which they are kept."""
    changes, events = _changes(), _events()
    split = {"table.optimizer.distinct-agg.split.enabled": "true"}
    repeats = {"table.exec.source.cdc-events-duplicate": "true"}
    copies = "CREATE TABLE copies (kind TEXT, id TEXT, cnt TEXT)"
    by_most = "CREATE TABLE by_most (most INTEGER PRIMARY KEY, name VARCHAR(20), total INTEGER)"
    firsts = "CREATE TABLE firsts (v INTEGER PRIMARY KEY, k VARCHAR(20), n BIGINT)"
    return [
        Job("records", RECORDS, changes, _STOP, batches=2, unfinished=True),
        Job("bundles", BUNDLES, changes, _STOP, _MINI_BATCH),
        Job("incremental", INCREMENTAL, events, _STOP, _MINI_BATCH | split),
        Job("windows", WINDOWS, events, _STOP),
        Job("over", OVER, events, _STOP),
        Job("sorted", SORTED, events, _STOP),
        Job("conflicts", CONFLICTS, events, _STOP, unfinished=True, tables=(firsts,)),
        Job(
            "upserts", UPSERTS, _repeated(changes), _STOP, repeats, unfinished=True, tables=(copies, by_most)
        ),
    ]
