"""Two jobs from Kafka to PostgreSQL under churn, for as long as you like: at its end all tables are the
answer, and memory and state have stayed flat.

usage: python -m tests.soak [--minutes N] [--out DIR] [--rate N] [--seed N] [--patience SECONDS]
    [--every SECONDS] [--ttl SECONDS]

`totals` joins and aggregates rows that are inserted, updated and deleted; one name has a third of them.
`recent` aggregates orders with a time to live of state, and windows of them. While the load goes on, workers,
JVMs, the broker, the database and its network are killed or cut in random order. At two fifths of the time
`totals` gets a savepoint and an upgrade, at three fifths both jobs are rescaled. The exit status is 1 if a
table is not the answer, a job ended by itself, or memory or state grew (soaks of 40 minutes and more).
It is 0 with one line that says why if Kafka or PostgreSQL cannot be had.
"""

from __future__ import annotations

import argparse
import signal
import tempfile
from pathlib import Path

from tools.kafka_broker import NoJarsError, jars

from tests.connectors.jdbc.postgres import NoServerError, programs
from tests.soak.run import Options, soak


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="tests.soak", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--minutes", type=float, default=120.0)
    parser.add_argument(
        "--out", type=Path, help="folder for samples.csv, events.csv, summary.txt and the logs"
    )
    parser.add_argument("--rate", type=int, default=Options.rate, help="messages a second")
    parser.add_argument("--seed", type=int, default=Options.seed)
    parser.add_argument(
        "--patience", type=float, default=Options.patience, help="seconds, on a slow machine more"
    )
    parser.add_argument("--every", type=float, default=Options.every, help="seconds between two kills")
    parser.add_argument("--ttl", type=int, default=Options.ttl, help="seconds, longer than any stop of a job")
    given = parser.parse_args()
    try:
        jars(), programs()
    except (NoJarsError, NoServerError) as error:
        print(f"left out: no Kafka broker or no PostgreSQL: {error}", flush=True)
        return
    options = Options(60 * given.minutes, given.rate, given.seed, given.patience, given.every, given.ttl)
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # servers are stopped then, too
    with tempfile.TemporaryDirectory(prefix="soak-") as folder:
        out = given.out or Path(folder) / "out"
        out.mkdir(parents=True, exist_ok=True)
        wrong = soak(Path(folder), out, options)
    for each in wrong:
        print(f"WRONG: {each}", flush=True)
    raise SystemExit(bool(wrong))


if __name__ == "__main__":
    main()
