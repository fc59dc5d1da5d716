"""Comparison of one statement of both sides: its plan, operator by operator, and its rows by key."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import pyarrow as pa

from firesteel.changelog import KIND, field
from firesteel.plan.nodes.physical import Sink
from firesteel.plan.properties.keys import upsert_keys
from firesteel.plan.varying import varying_call
from firesteel.session.upgrade.comparison import Change, OperatorChange, compare
from firesteel.spark.in_process.host import InProcessJob, MicroBatch
from firesteel.testing.diff.side import Side
from firesteel.testing.script import Planned
from firesteel.testing.verify.differences import KeyDifference, Shape, differences
from firesteel.testing.verify.inputs import KnownInputs, read_inputs
from firesteel.testing.verify.rows_left import as_table, last_by_key, weights
from firesteel.types.arrow import to_arrow

MOST = 10
"""Maximum number of keys that a report shows."""


@dataclass(frozen=True)
class StatementDiff:
    """The comparison of one statement.

    Attributes:
        name: Table that the statement inserts into, or `query`.
        operators: The operators of the plans that were added, removed or changed.
        remarks: Lines about columns that only one side has, or about the reason why no rows are compared.
        rows: (number of rows of the old side, of the new side); None if rows are not compared.
        names: Names of the key columns, by which rows are compared.
        count: Number of keys whose rows differ.
        first: The differences of at most 10 of these keys. `expected` has rows of the old side, `found` of
            the new side.
        is_different: Whether the plan, the columns or the rows differ.
    """

    name: str
    operators: Sequence[OperatorChange] = ()
    remarks: Sequence[str] = ()
    rows: tuple[int, int] | None = None
    names: tuple[str, ...] = ()
    count: int = 0
    first: Sequence[KeyDifference] = ()
    is_different: bool = False

    def lines(self) -> Iterator[str]:
        """Yield the lines of the report."""
        yield f"{self.name}: {', '.join(self._heads())}"
        for operator, change, before in self.operators:
            yield f"  {change.value}: {operator}"
            if before:
                yield f"    before: {before}"
        yield from (f"  {remark}" for remark in self.remarks)
        for each in self.first:
            yield f"  {', '.join(f'{n} = {v}' for n, v in zip(self.names, each.key, strict=True))}"
            yield f"    old  {', '.join(each.expected) or 'no row'}"
            yield f"    new  {', '.join(each.found) or 'no row'}"
        if self.count > len(self.first):
            yield f"  ... {self.count - len(self.first):,} more"

    def _heads(self) -> Iterator[str]:
        yield "the plan changes" if self.operators else "the same plan"
        if self.rows is None:
            return
        old, new = self.rows
        if not self.count:
            yield f"the same rows ({new:,})"
        else:
            differ = "key differs" if self.count == 1 else "keys differ"
            yield f"{self.count:,} {differ} (rows: old {old:,}, new {new:,})"


def compare_statement(
    name: str, sides: tuple[Side, Side], planned: tuple[Planned, Planned], known: Sequence[KnownInputs]
) -> StatementDiff:
    """Compare one statement of both sides.

    Args:
        name: Name of the statement.
        sides: The old and the new side.
        planned: The statement's plans and job on each side.
        known: For each side, the inputs that were read before. Newly read inputs are added. If the sides read
            the same rows of equal tables, both items are the same object.

    Raises:
        FiresteelError: A source cannot be read, or a row makes the query fail.
    """
    plans = [[each.plans.physical] for each in planned]
    operators = [each for each in compare(plans[0], plans[1]) if each.change is not Change.UNCHANGED]
    varying = next(filter(None, (varying_call(each.plans.physical) for each in planned)), None)
    if varying is not None:
        remark = f"the rows are not compared: each run gives {varying} another value"
        return StatementDiff(name, operators, [remark], is_different=bool(operators))
    rows = [_rows(*each) for each in zip(sides, planned, known, strict=True)]
    common, remarks = _common(planned)
    old, new = (table.select([KIND, *map(field, at)]) for table, at in zip(rows, common, strict=True))
    shape = _shape(planned[1], common[1], sides[1].script.environment.time_zone)
    old, new = (_renamed(table) for table in (old, new))
    count, first = differences(old, new, shape, MOST) if common[0] else (0, [])
    sizes = (int(weights(rows[0]).sum()), int(weights(rows[1]).sum()))
    names = tuple(shape.names[i] for i in shape.key_columns)
    differs = bool(operators or remarks or count)
    return StatementDiff(name, operators, remarks, sizes, names, count, first, differs)


def _rows(side: Side, planned: Planned, known: KnownInputs) -> pa.Table:
    """Run a statement on one side, and return a changes table whose merge is the statement's result.

    If the sink takes an upsert stream, the table has one change for each key that is left at the end.
    """
    inputs = read_inputs(side.script, planned, side.checkpoint, known)
    job = InProcessJob(planned.job, at_once=True)
    batch = MicroBatch(
        {chain: each.projected() for chain, each in inputs.items()},
        time.time_ns() // 1_000_000,
        ends=planned.job.bounded,
    )
    sink = planned.job.sinks[0]
    changes = as_table(list(job.run(batch)), sink.types)
    is_upsert = bool(sink.primary_key) and not sink.mode.update_before and sink.mode.has_retraction
    return last_by_key(changes, sink.primary_key) if is_upsert else changes


def _common(planned: tuple[Planned, Planned]) -> tuple[tuple[list[int], list[int]], list[str]]:
    """Return the columns that both sides have with the same name and type, and remarks on other columns.

    The columns are two lists of equal length: positions on the old side, and positions on the new side. The
    columns at the same index of both lists belong together.
    """
    old, new = (list(zip(each.names, each.job.sinks[0].types, strict=True)) for each in planned)
    if len(old) == len(new) and all(_fits(a, b) for a, b in zip(old, new, strict=True)):
        return (list(range(len(old))), list(range(len(new)))), []
    pairs = [(i, j) for i, a in enumerate(old) for j, b in enumerate(new) if _fits(a, b)]
    pairs = list({j: (i, j) for i, j in reversed(pairs)}.values())[::-1]
    gone = [f"{name} {kind}" for i, (name, kind) in enumerate(old) if i not in {a for a, _ in pairs}]
    added = [f"{name} {kind}" for j, (name, kind) in enumerate(new) if j not in {b for _, b in pairs}]
    sides = (("old", gone), ("new", added))
    remarks = [f"only the {side} side has {', '.join(columns)}" for side, columns in sides if columns]
    shared = ", ".join(new[j][0] for _, j in pairs)
    remarks.append(f"the rows are compared by {shared}" if pairs else "no column is the same")
    return ([i for i, _ in pairs], [j for _, j in pairs]), remarks


def _fits(old: tuple[str, object], new: tuple[str, object]) -> bool:
    return old[0] == new[0] and to_arrow(old[1]) == to_arrow(new[1])  # type: ignore[arg-type]


def _shape(planned: Planned, columns: list[int], zone: str) -> Shape:
    """Return the names, types, key and time zone of some columns of a query, as a Shape.

    `columns` has the positions of these columns. The key is the sink's primary key if all its columns are
    among them, else the shortest upsert key of the query for which this is so, else ().
    """
    sink, root = planned.job.sinks[0], planned.plans.physical
    found = upsert_keys(root.input if isinstance(root, Sink) else root)
    keys = [tuple(sink.primary_key)] if sink.primary_key else []
    keys += sorted(map(tuple, map(sorted, found)), key=lambda key: (len(key), key))
    key = next((key for key in keys if set(key) <= set(columns)), ())
    types = tuple(sink.types[i] for i in columns)
    return Shape(tuple(planned.names[i] for i in columns), types, tuple(map(columns.index, key)), zone)


def _renamed(table: pa.Table) -> pa.Table:
    return table.rename_columns([KIND, *(field(i) for i in range(table.num_columns - 1))])
