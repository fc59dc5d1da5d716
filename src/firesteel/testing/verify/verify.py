"""Verification of the queries of a script against the batch answer over the same input."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa

from firesteel.changelog import KIND, field
from firesteel.errors import FiresteelError, NotSupportedError, UsageError
from firesteel.plan.expressions.determinism import non_deterministic_call
from firesteel.plan.tree import walk
from firesteel.runtime.columns.keys import find_keys
from firesteel.session.rows_left import RowsLeft
from firesteel.spark.in_process.host import InProcessJob, MicroBatch
from firesteel.sql.statements import Insert
from firesteel.sql.variables import substitute
from firesteel.testing.document import Document
from firesteel.testing.script import Planned, Script, query
from firesteel.testing.verify.differences import KeyDifference, Shape, differences
from firesteel.testing.verify.inputs import Input, read_inputs
from firesteel.testing.verify.plain_sql import NotPlainError, plain_answer
from firesteel.testing.verify.rows_left import as_table, last_by_key
from firesteel.types.sql import quoted_name

MOST = 10
"""Maximum number of keys with differences that a report shows."""
_ROWS = 1000
"""Rows of each source in a micro-batch of the job that is verified."""
_FROM_BEGINNING = {
    "kafka": " /*+ OPTIONS('scan.startup.mode'='earliest-offset', 'scan.bounded.mode'='latest-offset') */"
}


@dataclass(frozen=True)
class Verdict:
    """The result of one query's verification.

    Attributes:
        name: Table that the query inserts into, or `query`.
        what: What was compared: `the rows of the table` or `the changes`.
        oracle: What gave the batch answer: `DuckDB` or `a run in one micro-batch`.
        names: Names of the key's columns; names of all columns if there is no key.
        rows: Number of rows of the batch answer.
        count: Number of keys whose rows differ.
        first: Differences of the first of these keys, at most 10.
    """

    name: str
    what: str
    oracle: str
    names: tuple[str, ...]
    rows: int
    count: int
    first: Sequence[KeyDifference]

    @property
    def is_right(self) -> bool:
        return self.count == 0

    def text(self) -> str:
        """Return the report, in several lines."""
        rows = f"{self.rows:,} {'row' if self.rows == 1 else 'rows'}"
        if self.is_right:
            return f"{self.name}: {self.what} agree with the answer of {self.oracle} ({rows})"
        keys = f"{self.count:,} {'key' if self.count == 1 else 'keys'}"
        lines = [f"{self.name}: {self.what} differ from the answer of {self.oracle} ({rows}) in {keys}"]
        for each in self.first:
            named = zip(self.names, each.key, strict=True)
            lines.append(f"  {', '.join(f'{name} = {value}' for name, value in named)}")
            lines.append(f"    expected  {', '.join(each.expected) or 'no row'}")
            lines.append(f"    found     {', '.join(each.found) or 'no row'}")
        if self.count > len(self.first):
            lines.append(f"  ... {self.count - len(self.first):,} more")
        return "\n".join(lines)


def verify_script(
    path: Path,
    *,
    define: Mapping[str, str] | None = None,
    settings: Mapping[str, str] | None = None,
    checkpoint: str | None = None,
    sink: bool = False,
) -> list[Verdict]:
    """Verify each query and INSERT of a script.

    Args:
        path: The script.
        define: Values of `${NAME}` in the script. Other names get the values of environment variables.
        settings: Options to set, by key.
        checkpoint: Folder of the job's checkpoint. The sources are read as far as its last micro-batch has
            read them. None reads the sources up to their end.
        sink: Whether to read the tables that the script inserts into, not the changes of its queries.

    Raises:
        FiresteelError: The script is wrong, or a table cannot be read.
    """
    text = substitute(Document.read(path).text, define or {}, os.environ)
    script = Script.load(str(path), text, str(path.absolute().parent), settings or {}, default_zone=None)
    if not script.targets:
        raise UsageError(f"{path} has no query and no INSERT")
    return [verify(script, script.planned(target), checkpoint, sink=sink) for target in script.targets]


def assert_verified(path: Path, **options: object) -> None:
    """Raise AssertionError if the verification of a script finds a difference in one of its queries.

    Args:
        path: The script.
        options: Further arguments of `verify_script`.
    """
    wrong = [each for each in verify_script(path, **options) if not each.is_right]  # type: ignore[arg-type]
    assert not wrong, "\n".join(each.text() for each in wrong)


def verify(script: Script, planned: Planned, checkpoint: str | None, *, sink: bool) -> Verdict:
    """Verify one query or INSERT. `checkpoint`, `sink` and the errors are as in `verify_script`."""
    spec = planned.job.sinks[0]
    if sink and not isinstance(planned.target.statement, Insert):
        raise UsageError("--sink needs an INSERT: a query has no sink")
    _check_determinism(planned)
    inputs = read_inputs(script, planned, checkpoint)
    is_upsert = bool(spec.primary_key) and not spec.mode.update_before and spec.mode.has_retraction
    is_keyed = bool(spec.primary_key) and (is_upsert or sink)
    zone = script.environment.time_zone
    shape = Shape(planned.names, spec.types, spec.primary_key, zone)
    expected, oracle = _answer(planned, inputs, zone, spec.primary_key if is_keyed else ())
    if is_keyed:
        expected = last_by_key(expected, spec.primary_key)
    if sink:
        found = _sink_rows(script, planned)
    else:
        found = as_table(list(_cut(planned, inputs)), spec.types)
        found = last_by_key(found, spec.primary_key) if is_upsert else found
    count, first = differences(expected, found, shape, MOST)
    names = tuple(shape.names[i] for i in shape.key_columns)
    left = expected.num_rows if is_keyed else _left(expected, planned).num_rows
    name = planned.target.name.removeprefix("default_catalog.default_database.")
    return Verdict(
        name, "the rows of the table" if sink else "the changes", oracle, names, left, count, first
    )


def _check_determinism(planned: Planned) -> None:
    """Raise NotSupportedError if a function of the query returns a different value in each run."""
    for node in walk(planned.plans.physical):
        condition = getattr(node, "condition", None)
        exprs = (*getattr(node, "exprs", ()), *(() if condition is None else (condition,)))
        for expr in exprs:
            if (name := non_deterministic_call(expr)) is not None:
                raise NotSupportedError(
                    f"Verification of a query that calls {name}, whose value is another one in each run"
                )


def _answer(
    planned: Planned, inputs: Mapping[int, Input], zone: str, key: Sequence[int]
) -> tuple[pa.Table, str]:
    """Return changes whose merge gives the batch answer, and the name of what computed the answer.

    DuckDB computes the answer if it can. Otherwise, the job itself runs over the whole input in one
    micro-batch. The job also runs if several rows of DuckDB's answer have equal values in the columns `key`:
    the sink keeps the last of these rows, and DuckDB does not know their order.

    Args:
        planned: The job.
        inputs: Input of each source chain.
        zone: Time zone of the session.
        key: Positions of the sink's primary key, by which rows replace each other; () if they do not.
    """
    types = planned.job.sinks[0].types
    try:
        rows = plain_answer(planned.plans.logical, _tables(inputs), zone)
        if key and len(find_keys([rows.column(field(i)) for i in key], rows.num_rows)) < rows.num_rows:
            raise NotPlainError("several rows of one key")
    except NotPlainError:
        job = InProcessJob(planned.job, at_once=True)
        rows_of = {chain: each.projected() for chain, each in inputs.items()}
        batch = MicroBatch(rows_of, _now(), ends=planned.job.bounded)
        return as_table(list(job.run(batch)), types), "a run in one micro-batch"
    kinds = pa.array(np.zeros(rows.num_rows, np.int8))
    return as_table([rows.add_column(0, KIND, kinds)], types), "DuckDB"


def _tables(inputs: Mapping[int, Input]) -> dict[str, pa.Table]:
    """Return the rows of each table by its path, after all changes are merged.

    Raises:
        NotPlainError: Two scans of a table were read up to different offsets.
    """
    found: dict[str, tuple[Input, pa.Table]] = {}
    for each in inputs.values():
        if each.scan.table in found:
            if found[each.scan.table][0].end != each.end:
                raise NotPlainError("a table that is read up to two ends")
            continue
        scan = each.scan
        if scan.upsert_key:
            rows = last_by_key(each.rows, [scan.names.index(name) for name in scan.upsert_key])
        else:
            left = RowsLeft(scan.types)
            left.apply(each.rows)
            rows = left.by_row()
        found[scan.table] = each, rows
    return {path: rows for path, (_, rows) in found.items()}


def _cut(planned: Planned, inputs: Mapping[int, Input]) -> Iterator[pa.Table]:
    """Run the job on its input, cut into micro-batches of _ROWS rows a source, and yield its changes."""
    job = InProcessJob(planned.job)
    rows = {chain: each.projected() for chain, each in inputs.items()}
    longest = max((table.num_rows for table in rows.values()), default=0)
    batches = max(1, -(-longest // _ROWS))
    now = _now()
    for number in range(batches):
        part = {chain: table.slice(number * _ROWS, _ROWS) for chain, table in rows.items()}
        yield from job.run(MicroBatch(part, now + number, planned.job.bounded and number == batches - 1))


def _sink_rows(script: Script, planned: Planned) -> pa.Table:
    """Read the sink and return changes whose merge gives its rows.

    Raises:
        UsageError: The table cannot be read.
    """
    spec = planned.job.sinks[0]
    path = ".".join(map(quoted_name, spec.table.split(".", 2)))
    columns = ", ".join(map(quoted_name, spec.names))
    hint = _FROM_BEGINNING.get(spec.connector or "", "")
    try:
        reading = script.planned(query(f"SELECT {columns} FROM {path}{hint}", spec.table))
    except NotSupportedError:
        raise
    except FiresteelError as error:
        raise UsageError(f"the table '{spec.table}' cannot be read: {error.message}") from error
    inputs = read_inputs(script, reading, None)
    job = InProcessJob(reading.job, at_once=True)
    rows = {chain: each.projected() for chain, each in inputs.items()}
    return as_table(list(job.run(MicroBatch(rows, _now(), ends=reading.job.bounded))), spec.types)


def _left(changes: pa.Table, planned: Planned) -> pa.Table:
    left = RowsLeft(planned.job.sinks[0].types)
    left.apply(changes)
    return left.by_row()


def _now() -> int:
    return time.time_ns() // 1_000_000
