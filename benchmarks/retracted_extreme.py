"""usage: python -m benchmarks.retracted_extreme [VALUES ...]

MAX under retraction, without Spark, on one core: what a batch of 1000 changes costs over one key that has
10K, 100K and 1M values. Each batch takes the greatest 500 values away and puts 500 others in their stead, so
that each has to look for the next. CPU milliseconds a batch, record by record in columns, through the row
handler, and in bundles; with the state in memory and, committed after each batch, in a store. Then SUM and
MAX over many keys of few values, in microseconds a row.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa

from benchmarks.kernels import call, seconds, spec_of, stream
from firesteel.changelog import KIND, SEQUENCE
from firesteel.runtime.operators.group.group_aggregate import GroupAggregate
from firesteel.runtime.operators.group.mini_batch_group_aggregate import MiniBatchGroupAggregate
from firesteel.runtime.spec.operators import GroupAggregateSpec
from firesteel.runtime.state.backend import SortedRunBackend
from firesteel.runtime.state.base import StateBackend
from firesteel.runtime.state.cache import RunCache
from firesteel.runtime.state.memory import MemoryStore, memory_backend
from firesteel.types.sql import BIGINT, DOUBLE, INT, STRING

SIZES = (10_000, 100_000, 1_000_000)
CHANGES, BATCHES, LOAD = 1000, 9, 250_000

Step = Callable[[pa.Table], object]
Ways = dict[str, Callable[[GroupAggregateSpec, StateBackend | None], Step]]

WAYS: Ways = {
    "columns": lambda spec, state: GroupAggregate(spec, state, lambda: 0).process,
    "row handler": lambda spec, state: GroupAggregate(spec, state, lambda: 0, False).process,
    "bundles": lambda spec, state: MiniBatchGroupAggregate(spec, state, lambda: 0).finish_bundle,
}


def changes(kinds: np.ndarray, values: np.ndarray) -> pa.Table:
    """Rows of one key."""
    keys = pa.array(np.zeros(len(values), np.int64))
    columns = {KIND: kinds, SEQUENCE: np.arange(len(values)), "f0": keys, "f1": pa.array(values)}
    return pa.table(columns)


def batches(size: int) -> Iterator[pa.Table]:
    """What loads the key with `size` values, and the batches that are measured."""
    generator = np.random.default_rng(0)
    values = generator.permutation(size).astype(np.int64) * 2
    for start in range(0, size, LOAD):
        part = values[start : start + LOAD]
        yield changes(np.zeros(len(part), np.int8), part)
    half, held = CHANGES // 2, np.sort(values)
    for number in range(BATCHES):
        gone = held[len(held) - half * (number + 1) : len(held) - half * number]
        come = generator.choice(size // 2, half, replace=False) * 2 + 1
        kinds = np.tile(np.array([3, 0], np.int8), half)
        yield changes(kinds, np.stack([gone[::-1], come], axis=1).reshape(-1))


def in_memory(spec: GroupAggregateSpec, way: str, size: int) -> float:
    """Median milliseconds of a batch."""
    step, taken = WAYS[way](spec, memory_backend()), []
    for batch in batches(size):
        begin = time.process_time()
        step(batch)
        taken.append(1e3 * (time.process_time() - begin))
    return statistics.median(taken[-BATCHES:])


def in_store(spec: GroupAggregateSpec, way: str, size: int) -> float:
    """The same with a task of its own for each batch, and its commit."""
    taken = []
    with tempfile.TemporaryDirectory() as folder:
        store, cache = MemoryStore(), RunCache(Path(folder))
        for batch in batches(size):
            begin = time.process_time()
            backend = SortedRunBackend.open(store, cache)
            WAYS[way](spec, backend)(batch)
            backend.commit()
            taken.append(1e3 * (time.process_time() - begin))
    return statistics.median(taken[-BATCHES:])


def main() -> None:
    sizes = [int(each) for each in sys.argv[1:]] or SIZES
    one = spec_of(BIGINT, BIGINT, (call("MAX", BIGINT, BIGINT),), True)
    for way in WAYS:
        for place, cost in (("memory", in_memory), ("store", in_store)):
            costs = [f"{size:>9,} values {cost(one, way, size):8.2f} ms" for size in sizes]
            print(f"one key, {way:<11} {place:<6} {'  '.join(costs)}", flush=True)
    for name, kind in {"INT": INT, "DOUBLE": DOUBLE, "STRING": STRING}.items():
        calls = (call("SUM", INT, INT), call("MAX", INT, INT)) if kind is INT else (call("MAX", kind, kind),)
        many = spec_of(STRING, kind, calls, True)
        rows = stream(INT if kind is INT else DOUBLE, True)
        if kind is STRING:
            rows = rows.set_column(3, "f1", pa.array([f"value {v}" for v in rows["f1"].to_pylist()]))
        costs = [
            f"{seconds(many, rows, columnar) / len(rows) * 1e6:6.2f} us/row" for columnar in (True, False)
        ]
        text = "SUM, MAX" if kind is INT else f"MAX of {name}"
        print(f"many keys, {text:<14} columns {costs[0]}   row handler {costs[1]}", flush=True)


if __name__ == "__main__":
    main()
