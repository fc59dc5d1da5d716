"""usage: python -m benchmarks.kernels

The operators alone, without Spark, on one core: CPU time in microseconds a row of GroupAggregate over 1M
rows of 100K string keys, 30 % of them retractions, by columns and through the row handler; what a
batch of 50,000 changes costs over 50K and over 5M keys of state, with the commit; and what NumPy takes to
find the keys of 1M rows with all that it would use of this processor, and as workers have it.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa

from firesteel.changelog import KIND, SEQUENCE
from firesteel.runtime.operators.group.group_aggregate import GroupAggregate
from firesteel.runtime.spec.operators import AggregateSpec, GroupAggregateSpec
from firesteel.runtime.state.backend import SortedRunBackend
from firesteel.runtime.state.cache import RunCache
from firesteel.runtime.state.memory import MemoryStore
from firesteel.types.arrow import to_arrow
from firesteel.types.sql import BIGINT, DOUBLE, INT, STRING, SqlType, decimal

ROWS, KEYS = 1_000_000, 100_000
CHANGES, BATCHES, LOAD = 50_000, 25, 500_000
REPEATS = 3


def call(
    function: str, kind: SqlType, result: SqlType, retract: bool = True, distinct: bool = False
) -> AggregateSpec:
    """A call over the value column, or over none (COUNT(*))."""
    args = () if function == "COUNT" and not distinct else (1,)
    return AggregateSpec(function, args, (kind,) * len(args), result, retract, distinct)


def cases() -> dict[str, tuple[SqlType, tuple[AggregateSpec, ...], bool]]:
    """By name: the value's type, the calls, and whether the input retracts."""
    money = decimal(10, 2)
    return {
        "SUM, COUNT, AVG": (
            INT,
            (call("SUM", INT, INT), call("COUNT", INT, BIGINT), call("AVG", INT, INT)),
            True,
        ),
        "SUM, MAX": (INT, (call("SUM", INT, INT), call("MAX", INT, INT)), True),
        "SUM, AVG of DECIMAL": (
            money,
            (call("SUM", money, decimal(38, 2)), call("AVG", money, decimal(38, 6))),
            True,
        ),
        "SUM of DOUBLE": (DOUBLE, (call("SUM", DOUBLE, DOUBLE),), True),
        "COUNT(DISTINCT)": (INT, (call("COUNT", INT, BIGINT, distinct=True),), True),
        "SUM, MAX, appends": (INT, (call("SUM", INT, INT, False), call("MAX", INT, INT, False)), False),
    }


def stream(kind: SqlType, retract: bool) -> pa.Table:
    """Rows of a random key and value; in three of ten an earlier row is taken back."""
    generator = np.random.default_rng(0)
    keys, values = generator.integers(0, KEYS, ROWS), generator.integers(0, 1000, ROWS)
    kinds = np.zeros(ROWS, np.int8)
    if retract:
        backs = np.sort(generator.permutation(np.arange(1, ROWS))[: ROWS * 3 // 10])
        kinds[backs] = 3
        sources = np.minimum((generator.random(len(backs)) * backs).astype(np.int64), backs - 1)
        _, first = np.unique(sources, return_index=True)
        kinds[np.setdiff1d(backs, backs[first])] = 0
        good = first[kinds[sources[first]] == 0]
        kinds[np.setdiff1d(backs[first], backs[good])] = 0
        keys[backs[good]], values[backs[good]] = keys[sources[good]], values[sources[good]]
    names = pa.array([f"user-{i}" for i in range(KEYS)]).take(pa.array(keys))
    column = pa.array(values)
    if kind == decimal(10, 2):
        column = column.cast(pa.decimal128(21, 2))
    column = column.cast(to_arrow(kind))
    return pa.table({KIND: kinds, SEQUENCE: np.arange(ROWS), "f0": names, "f1": column})


def spec_of(
    key: SqlType, kind: SqlType, calls: tuple[AggregateSpec, ...], retract: bool
) -> GroupAggregateSpec:
    star = next((i for i, each in enumerate(calls) if not each.args), None) if retract else None
    return GroupAggregateSpec((0,), calls, (key, kind), retract, True, star)


def seconds(spec: GroupAggregateSpec, changes: pa.Table, columnar: bool) -> float:
    """CPU seconds of the best of some runs, over an empty state."""
    best = float("inf")
    for _ in range(REPEATS):
        operator = GroupAggregate(spec, None, lambda: 0, columnar=columnar)
        begin = time.process_time()
        operator.process(changes)
        best = min(best, time.process_time() - begin)
    return best


def state_cost(keys: int) -> tuple[float, float, float]:
    """Median milliseconds of process and of commit for a batch, and the megabytes that it wrote."""
    generator = np.random.default_rng(1)
    calls = (call("SUM", INT, INT, False), call("COUNT", INT, BIGINT, False))
    spec = spec_of(BIGINT, INT, calls, False)
    taken: list[tuple[float, float, float]] = []
    with tempfile.TemporaryDirectory() as directory:
        store, cache = MemoryStore(), RunCache(Path(directory))
        numbers = generator.permutation(keys)
        batches = [numbers[i : i + LOAD] for i in range(0, keys, LOAD)]
        batches += [generator.choice(keys, CHANGES, replace=False) for _ in range(BATCHES)]
        for batch in batches:
            rows = len(batch)
            values = pa.array(generator.integers(0, 100, rows), pa.int32())
            changes = pa.table(
                {KIND: np.zeros(rows, np.int8), SEQUENCE: np.arange(rows), "f0": batch, "f1": values}
            )
            before, begin = store.bytes_put, time.process_time()
            backend = SortedRunBackend.open(store, cache)
            GroupAggregate(spec, backend, lambda: 0).process(changes)
            middle = time.process_time()
            backend.commit()
            end = time.process_time()
            taken.append((1e3 * (middle - begin), 1e3 * (end - middle), (store.bytes_put - before) / 1e6))
    process, commit, size = zip(*taken[-BATCHES:], strict=True)
    return statistics.median(process), statistics.median(commit), statistics.mean(size)


FIND_KEYS = """
import sys, time
if sys.argv[1:]:
    from firesteel.spark.launch.processor import spare_slow_sorts
    spare_slow_sorts()
import numpy as np, pyarrow as pa
from firesteel.runtime.columns.keys import find_keys
keys = pa.array(np.random.default_rng(0).integers(0, 100_000, 1_000_000))
times = []
for _ in range(9):
    begin = time.process_time()
    find_keys([keys], len(keys))
    times.append(time.process_time() - begin)
print(min(times) * 1e3)
"""


def find_keys_cost(*arguments: str) -> float:
    """Milliseconds, in a process of its own. arguments: any, to have it as workers have it."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("NPY_")}
    command = [sys.executable, "-c", FIND_KEYS, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=inherited)
    return float(done.stdout)


def main() -> None:
    every, workers = (min(find_keys_cost(*of) for _ in range(REPEATS)) for of in ((), ("workers",)))
    print(f"keys of 1M rows: {every:5.1f} ms, in workers {workers:5.1f} ms", flush=True)
    for name, (kind, calls, retract) in cases().items():
        changes = stream(kind, retract)
        spec = spec_of(STRING, kind, calls, retract)
        columns, rows = (seconds(spec, changes, columnar) / ROWS * 1e6 for columnar in (True, False))
        print(f"{name:<22} {columns:6.2f} us/row   row handler {rows:6.2f} us/row", flush=True)
    totals = []
    for keys in (50_000, 5_000_000):
        process, commit, size = state_cost(keys)
        totals.append(process + commit)
        times = f"process {process:5.1f} ms, commit {commit:5.1f} ms, {size:4.1f} MB written"
        print(f"50K changes, {keys:>9,} keys  {times}")
    print(f"{'ratio':<22} {totals[1] / totals[0]:6.2f}")


if __name__ == "__main__":
    main()
