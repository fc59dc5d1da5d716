"""Jobs of event time to kill: windows and sessions, OVER aggregates, joins, over rows out of order and late.

Their whole output is held against that of a run without kills: each key's changes in their order, and how
many rows were late in each micro-batch.
"""

from __future__ import annotations

import json
import random
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

_SOURCE = """\
CREATE TABLE {name} (k STRING, n BIGINT, v INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '2' SECOND)
  WITH ('connector' = 'filesystem', 'path' = '{folder}/{name}.json', 'format' = 'json');
"""
_SINK = """\
CREATE TABLE {name} ({columns}) WITH ('connector' = 'filesystem', 'path' = '{output}/{name}',
  'format' = 'canal-json');
"""

_SESSIONS = """\
CREATE VIEW events AS SELECT * FROM clicks UNION ALL SELECT * FROM hits;
CREATE VIEW visits AS
  SELECT k, window_start s, window_end e, window_time wt, COUNT(*) c, SUM(v) total, MAX(v) most,
    COUNT(DISTINCT v) different
  FROM TABLE(SESSION(TABLE events PARTITION BY k, DESCRIPTOR(ts), INTERVAL '3' SECOND))
  GROUP BY k, window_start, window_end, window_time;
EXECUTE STATEMENT SET BEGIN
INSERT INTO sessions SELECT k, s, e, c, total, most, different FROM visits;
INSERT INTO many SELECT window_start, window_end, COUNT(*), SUM(c)
  FROM TABLE(TUMBLE(TABLE visits, DESCRIPTOR(wt), INTERVAL '30' SECOND)) GROUP BY window_start, window_end;
INSERT INTO best SELECT k, MAX(total), COUNT(*) FROM (
  SELECT k, SUM(v) total FROM TABLE(TUMBLE(TABLE events, DESCRIPTOR(ts), INTERVAL '10' SECOND))
  GROUP BY k, window_start, window_end) GROUP BY k;
END;
"""
_OVER = """\
EXECUTE STATEMENT SET BEGIN
INSERT INTO ranges SELECT k, n, SUM(v) OVER w, COUNT(*) OVER w, MAX(v) OVER w FROM clicks
  WINDOW w AS (PARTITION BY k ORDER BY ts RANGE BETWEEN INTERVAL '10' SECOND PRECEDING AND CURRENT ROW);
INSERT INTO lasts SELECT k, n, SUM(v) OVER w, COUNT(DISTINCT v) OVER w, MIN(v) OVER w FROM clicks
  WINDOW w AS (PARTITION BY k ORDER BY ts ROWS BETWEEN 4 PRECEDING AND CURRENT ROW);
INSERT INTO befores SELECT k, n, LAG(v) OVER w, LAG(n, 2, CAST(-1 AS BIGINT)) OVER w FROM clicks
  WINDOW w AS (PARTITION BY k ORDER BY ts);
END;
"""

_JOINS = """\
CREATE VIEW versions AS SELECT k, n, v, ts FROM (
  SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY ts DESC) AS place FROM hits) WHERE place = 1;
EXECUTE STATEMENT SET BEGIN
INSERT INTO pairs SELECT c.k, c.n, h.n, c.v, h.v FROM clicks c
  LEFT JOIN hits h ON c.k = h.k AND h.ts BETWEEN c.ts - INTERVAL '2' SECOND AND c.ts + INTERVAL '1' SECOND;
INSERT INTO priced SELECT c.k, c.n, h.n, c.v * h.v FROM clicks c
  LEFT JOIN versions FOR SYSTEM_TIME AS OF c.ts AS h ON c.k = h.k;
INSERT INTO tops SELECT k, n, v, place, window_end FROM (
  SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end, k ORDER BY v DESC, n) AS place
  FROM TABLE(TUMBLE(TABLE clicks, DESCRIPTOR(ts), INTERVAL '10' SECOND))) WHERE place <= 3;
END;
"""

_SUMS = "k STRING, n BIGINT, a INT, b BIGINT, c INT"


@dataclass(frozen=True)
class Job:
    """A job over sources of rows (k, n, v, ts).

    Attributes:
        sources: Names of the sources.
        sinks: Columns of each sink, by its name.
        text: The statements that run.
        together: Whether the rows of all sources are of the same time. Otherwise each source begins where
            the one before ends.
    """

    sources: tuple[str, ...]
    sinks: Mapping[str, str]
    text: str
    together: bool = False


JOBS: Mapping[str, Job] = {
    "sessions": Job(
        ("clicks", "hits"),
        {
            "sessions": "k STRING, s TIMESTAMP(3), e TIMESTAMP(3), c BIGINT, t INT, m INT, d BIGINT",
            "many": "s TIMESTAMP(3), e TIMESTAMP(3), c BIGINT, n BIGINT",
            "best": "k STRING, t INT, c BIGINT",
        },
        _SESSIONS,
    ),
    "over": Job(
        ("clicks",),
        {"ranges": _SUMS, "lasts": _SUMS, "befores": "k STRING, n BIGINT, a INT, b BIGINT"},
        _OVER,
    ),
    "joins": Job(
        ("clicks", "hits"),
        {
            "pairs": "k STRING, n BIGINT, m BIGINT, a INT, b INT",
            "priced": "k STRING, n BIGINT, m BIGINT, a INT",
            "tops": "k STRING, n BIGINT, v INT, place BIGINT, e TIMESTAMP(3)",
        },
        _JOINS,
        together=True,
    ),
}
"""An interval join, a temporal join and a window Top-N among them."""


def write_script(job: str, folder: Path, output: Path, events: int, seed: int) -> Path:
    """The job's input and its SQL, in `folder`; it writes to folders in `output`."""
    found = JOBS[job]
    each = events // len(found.sources)
    for number, name in enumerate(found.sources):
        begin = 0 if found.together else number * each
        write_events(folder / f"{name}.json", range(begin, begin + each), seed + number)
    tables = [_SOURCE.format(name=name, folder=folder) for name in found.sources]
    tables += [_SINK.format(name=name, columns=of, output=output) for name, of in found.sinks.items()]
    script = folder / f"{job}.sql"
    script.write_text("".join(tables) + found.text)
    return script


def write_events(path: Path, numbers: range, seed: int) -> None:
    """Rows (k, n, v, ts) as JSON: ten a second, most within the two seconds that a watermark waits for, one
    in twenty up to half a minute late. Keys come and go, so that sessions end."""
    chance = random.Random(seed)
    with path.open("w", encoding="utf-8") as file:
        for number in numbers:
            late = chance.uniform(2, 30) if chance.random() < 0.05 else chance.uniform(0, 2)
            time = datetime(2026, 1, 1) + timedelta(seconds=max(0.0, number / 10 - late))
            key = f"k{number // 200 % 9}-{chance.randrange(7)}"
            row = {"k": key, "n": number, "v": chance.randrange(100), "ts": f"{time:%F %T.%f}"[:-3]}
            file.write(json.dumps(row) + "\n")


def changes(output: Path) -> dict[tuple[str, str], list[str]]:
    """What stands in the sinks' files: by sink and first column the changes in the order in which they were
    written. A key's changes of one micro-batch are in one file, and a micro-batch begins when the one before
    is written."""
    found: dict[tuple[str, str], list[str]] = defaultdict(list)
    files = [file for file in output.glob("*/part-*") if file.is_file()]
    for file in sorted(files, key=lambda file: file.stat().st_mtime_ns):
        for line in file.read_text().splitlines():
            row = json.loads(line)["data"][0]
            found[file.parent.name, str(next(iter(row.values())))].append(line)
    return dict(found)


def late_rows(told: Path) -> dict[int, int]:
    """By micro-batch how many rows were late. Raises AssertionError where two runs of one differ."""
    found: dict[int, int] = {}
    for line in told.read_text().splitlines():
        batch, late = map(int, line.split())
        assert found.setdefault(batch, late) == late, f"batch {batch}: {found[batch]}, then {late} late rows"
    return found
