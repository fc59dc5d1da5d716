"""Many trials in one process, each query in every mode:
python -m tests.properties.sweep --seeds 1-300 [--queries 4] [--events 60]
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", required=True, metavar="A-B")
    parser.add_argument("--queries", type=int, default=4)
    parser.add_argument("--events", type=int, default=60)
    parser.add_argument("--stop-after", type=int, default=20, help="failures")
    given = parser.parse_args()
    first, _, last = given.seeds.partition("-")
    seeds = range(int(first), int(last or first) + 1)

    from firesteel.spark.launch.launch import create_session
    from tests.properties.merged import trial

    spark, started, failures = create_session(), time.monotonic(), 0
    with tempfile.TemporaryDirectory() as folder:
        for done, seed in enumerate(seeds, start=1):
            for failure in trial(spark, Path(folder), seed, events=given.events, count=given.queries):
                failures += 1
                print(failure, flush=True)
            if done % 20 == 0:
                print(f"{done} seeds, {failures} failures, {time.monotonic() - started:.0f} s", flush=True)
            if failures >= given.stop_after:
                break
    print(f"{done * given.queries} queries, {failures} failures, {time.monotonic() - started:.0f} s")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
