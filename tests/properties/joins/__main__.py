"""Random queries with joins and sub-queries, without Spark: python -m tests.properties.joins --cases 1000

Their answers are held against DuckDB; with --partition each query against its three parts (partition.py);
with --upserts what a sink's table has (upserts.py).
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Sequence

from firesteel.errors import NotSupportedError
from tests.properties.joins.compositions import composition
from tests.properties.joins.partition import partition_failure, partitioned_case
from tests.properties.joins.trial import MODES, Failure, Mode, case, trial
from tests.properties.joins.upserts import upsert_case, upsert_failure


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=100)
    parser.add_argument("--seed", default="1", help="of the first case is SEED-0")
    parser.add_argument("--from", dest="start", type=int, default=0, help="number of the first case")
    kinds = parser.add_mutually_exclusive_group()
    kinds.add_argument("--partition", action="store_true", help="true, false and unknown rows")
    kinds.add_argument("--wide", action="store_true", help="ranks, limits, sets, UNNEST, LATERAL, WITH")
    kinds.add_argument("--upserts", action="store_true", help="below a sink with a primary key")
    parser.add_argument("--modes", type=int, default=3, help="modes for each case, of 9")
    parser.add_argument("--stop-after", type=int, default=20, help="failures")
    given = parser.parse_args()
    refused: Counter[str] = Counter()
    started, failures, compared, done = time.monotonic(), 0, 0, 0
    for number in range(given.start, given.start + given.cases):
        done += 1
        modes = [MODES[(number * given.modes + i) % len(MODES)] for i in range(given.modes)]
        try:
            run = _partition if given.partition else _upserts if given.upserts else _trial
            if given.wide:
                run = _wide
            is_compared, found = run(f"{given.seed}-{number}", modes)
        except NotSupportedError as error:
            refused[str(error).splitlines()[0]] += 1
            continue
        compared += is_compared
        for failure in found[:1]:
            failures += 1
            print(f"{failure}\n   in {len(found)} of {len(modes)} modes", flush=True)
        if done % 50 == 0:
            print(f"{done} cases, {compared} compared, {failures} failures", flush=True)
        if failures >= given.stop_after:
            break
    seconds = time.monotonic() - started
    print(f"{done} cases, {compared} compared, {failures} failures, {seconds:.0f} s")
    for words, count in refused.most_common():
        print(f"   {count} refused: {words}")
    return 1 if failures else 0


def _trial(seed: str, modes: Sequence[Mode]) -> tuple[bool, list[Failure]]:
    made = case(seed)
    return made.expected is not None, trial(made, modes)


def _wide(seed: str, modes: Sequence[Mode]) -> tuple[bool, list[Failure]]:
    made = case(seed, draw=composition)
    return made.expected is not None, trial(made, modes)


def _partition(seed: str, modes: Sequence[Mode]) -> tuple[bool, list[Failure]]:
    made = partitioned_case(seed)
    if made is None:
        return False, []
    failure = partition_failure(made, *modes[0])
    return True, [] if failure is None else [failure]


def _upserts(seed: str, modes: Sequence[Mode]) -> tuple[bool, list[Failure]]:
    made = upsert_case(seed)
    found = [upsert_failure(made, mode) for mode in modes]
    return True, [failure for failure in found if failure is not None]


if __name__ == "__main__":
    sys.exit(main())
