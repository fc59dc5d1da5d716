"""Random rows of generated jobs, each explained and compared with what the generator made:
python -m tests.why.random_rows --rows 300 --seed 1
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

import pyarrow as pa

from firesteel import TableEnvironment
from firesteel.runtime.columns.keys import find_keys
from firesteel.session.upgrade.script_jobs import script_jobs
from firesteel.session.why.explanation import Explanation
from firesteel.session.why.texts import state_texts
from firesteel.spark.in_process.host import InProcessJob, MicroBatch, read_bounded
from tests.why.generated import FORMS, Generated

_MINI_BATCH = {
    "table.exec.mini-batch.enabled": "true",
    "table.exec.mini-batch.allow-latency": "1 s",
    "table.exec.mini-batch.size": "100000",
}
_OF_ONE_JOB = 25
"""Rows that are asked for of one generated job."""


class FullState:
    """State of a job after all its rows, from a run without a filter.

    Args:
        generated: The job.
    """

    def __init__(self, generated: Generated) -> None:
        environment = TableEnvironment.create(configuration=generated.job.options)
        (planned,) = script_jobs(environment, generated.job.script)
        job = InProcessJob(planned.job.job)
        list(job.run(MicroBatch(read_bounded(planned.job.job), 1)))
        self._states = list(job.states())

    def texts(self, operator: str, key: str) -> list[str]:
        """Return the entries of an operator's states for a key, as an explanation shows them."""
        keys, found = find_keys([pa.array([key])], 1), {}
        for contents in self._states:
            for name in contents.entries:
                if name.startswith(operator):
                    found[name] = contents.table(name, keys)
        shown = {name: table for name, table in found.items() if table.num_rows}
        return state_texts(shown, next(iter(found)), 3) if found else []


def check(generated: Generated, full: FullState, key: str) -> Iterator[str]:
    """Explain a row, and yield what differs from what the generator made."""
    found = generated.job.why(f"name = '{key}'", limit=100_000)
    places = {(each.table, Path(str(each.place["file"])).name, each.place["line"]) for each in found.sources}
    if places != generated.places[key]:
        yield f"{key}: too many {places - generated.places[key]}, missing {generated.places[key] - places}"
    row = generated.rows.get(key)
    if found.rows != ([] if row is None else [row]):
        yield f"{key}: the row is {found.rows}, not {row}"
    last = [each for each in found.operators if "GroupAggregate(" in each.operator and each.steps][-1]
    after, wanted = last.steps[-1].after, full.texts("group-aggregate", key)
    if list(after) != wanted:
        yield f"{key}: the state is {after}, not {wanted}"
    yield from chained(found)


def chained(found: Explanation) -> Iterator[str]:
    """Yield each step that does not begin with the state in which the step before it ended."""
    for operator in found.operators:
        before: Mapping[str, str] | list[str] = []
        for step in operator.steps:
            if list(step.before) != list(before):
                yield f"{operator.operator}: a step begins with {step.before}, not {before}"
            before = list(step.after)


def trial(form: str, seed: int, rows: int, count: int) -> Iterator[str]:
    """Yield a line for each row of one generated job: "" if it is explained rightly.

    Args:
        form: One of generated.FORMS.
        seed: Seed of the generator.
        rows: Number of rows that are asked for.
        count: Number of messages.
    """
    rng = random.Random(f"{form} {seed}")
    options = _MINI_BATCH if rng.random() < 0.3 else {}
    with tempfile.TemporaryDirectory() as folder:
        generated = FORMS[form](Path(folder), rng, count, options)
        full = FullState(generated)
        for key in rng.choices(sorted(generated.places), k=rows):
            yield "; ".join(
                f"{form} {seed} {options and 'mini-batch'} {each}" for each in check(generated, full, key)
            )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--messages", type=int, default=3000)
    given = parser.parse_args()
    started, failures, done, seed = time.monotonic(), 0, 0, given.seed
    while done < given.rows:
        for form in FORMS:
            for failure in trial(form, seed, min(_OF_ONE_JOB, given.rows - done), given.messages):
                done += 1
                if failure:
                    failures += 1
                    print(failure, flush=True)
        seed += 1
    print(f"{done} rows, {failures} failures, {time.monotonic() - started:.0f} s")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
