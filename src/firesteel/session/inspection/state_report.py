"""Report of the state in a checkpoint: one row for each state, or the entries of one operator's states."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from firesteel.errors import UsageError
from firesteel.runtime.columns.keys import Keys, find_keys
from firesteel.runtime.state.size import StateSize
from firesteel.session.inspection.value_text import value_text
from firesteel.spark.checkpoint.fingerprint import has_saved
from firesteel.spark.checkpoint.folder import no_checkpoint
from firesteel.spark.checkpoint.pending_change import UPGRADE
from firesteel.spark.internals.hadoop_files import names
from firesteel.spark.stream.stored_state import StoredState
from firesteel.sql.parser import parse_type
from firesteel.types.arrow import to_arrow
from firesteel.types.python_values import python_values
from firesteel.types.text import NULL_TEXT

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

OVERVIEW = ("operator", "state", "kind", "entries", "bytes", "key groups", "largest key group", "oldest")
"""Columns of an overview."""
_NULL = "NULL"


@dataclass(frozen=True)
class StateReport:
    """The state of one statement.

    Attributes:
        name: Name of the statement's folder in the checkpoint.
        state: The stored state of the statement.
    """

    name: str
    state: StoredState

    def overview(self) -> list[tuple[str, ...]]:
        """Return one row of OVERVIEW for each state, sorted by operator and state."""
        sizes: dict[str, list[StateSize]] = {}
        kinds: dict[str, str] = {}
        for group in self.state.groups:
            for name in group.contents.entries:
                kinds.setdefault(name, group.contents.kind(name))
                sizes.setdefault(name, []).append(group.contents.size(name))
        return sorted(self._row(name, kinds[name], groups) for name, groups in sizes.items())

    def _row(self, name: str, kind: str, groups: Sequence[StateSize]) -> tuple[str, ...]:
        """Return the row of a state, from its size in each key group."""
        whole = reduce(StateSize.plus, groups)
        filled = sum(size.entries > 0 for size in groups)
        most = max(size.entries for size in groups)
        share = f"{100 * most // whole.entries} %" if whole.entries else ""
        operator = self._operator(name)
        numbers = (str(whole.entries), str(whole.bytes), str(filled), share)
        return (operator, _short(name, operator), kind, *numbers, _time(whole.oldest))

    def operator(self, wanted: str) -> str:
        """Return the full name of an operator: `wanted` itself, or else the only name that begins with it.

        Raises:
            UsageError: No operator has such a name, or several have.
        """
        return operator_named(wanted, self.name, self.operators())

    def operators(self) -> set[str]:
        """Return the names of the operators that have state."""
        return {row[0] for row in self.overview()}

    def entries(
        self, operator: str, key: Sequence[str] = ()
    ) -> Iterator[tuple[str, list[str], Iterator[list[str]]]]:
        """Yield the live entries of an operator's states.

        Args:
            operator: Full name of the operator.
            key: Values of the key columns as text, NULL for a NULL; empty for all keys.

        Yields:
            Name of a state, names of its columns, and the cells of each entry.

        Raises:
            UsageError: The key does not fit the operator.
        """
        for short, name in self.states(operator).items():
            table = self.table(name, operator, key)
            yield short, table.column_names, _cells(table)

    def states(self, operator: str) -> dict[str, str]:
        """Return the full names of an operator's states by their short names, sorted."""
        names_ = sorted({name for group in self.state.groups for name in group.contents.entries})
        return {_short(name, operator): name for name in names_ if self._operator(name) == operator}

    def table(self, state: str, operator: str = "", key: Sequence[str] = ()) -> pa.Table:
        """Return the live entries of a state (Contents.table).

        Args:
            state: Full name of the state.
            operator: Full name of its operator, if `key` is given.
            key: Values of the key columns as text, NULL for a NULL; empty for all keys.

        Raises:
            UsageError: The key does not fit the operator.
        """
        wanted = self._key(operator, key) if key else None
        tables = list(self.state.tables(state, wanted))
        filled = [table for table in tables if table.num_rows]
        return pa.concat_tables(filled or tables[:1]) if tables else pa.table({})

    def _operator(self, state: str) -> str:
        """Return the operator of a state: the one with the longest name that begins the state's name."""
        fitting = [
            name for name in self.state.specs if state == name or state.startswith((f"{name}.", f"{name}/"))
        ]
        return max(fitting, key=len, default=state)

    def _key(self, operator: str, values: Sequence[str]) -> Keys:
        types = key_types(self.state.specs.get(operator, {}))
        if not types:
            raise UsageError(f"the state of {operator} has no keys", hint="leave out --key")
        if len(types) != len(values):
            raise UsageError(
                f"the key of {operator} has {len(types)} columns, got {len(values)} values",
                hint=f"give --key once for each of ({', '.join(map(str, types))})",
            )
        columns = []
        for kind, value in zip(types, values, strict=True):
            try:
                columns.append(pa.array([None if value == _NULL else value], pa.string()).cast(kind))
            except pa.ArrowException as error:
                raise UsageError(f"{value!r} is no value of the type {kind}: {error}") from None
        return find_keys(columns, 1)


def open_reports(session: SparkSession, checkpoint: str, batch: int | None = None) -> Iterator[StateReport]:
    """Yield the state of each statement of a checkpoint after micro-batch `batch`, None for the last one.

    Raises:
        UsageError: The folder is not a checkpoint, or has no state of this micro-batch.
        JobError: A file of the checkpoint is damaged, or this version cannot read it.
    """
    context = session.sparkContext
    UPGRADE.complete_if_interrupted(checkpoint)
    folders = [name for name in names(context, checkpoint) if has_saved(context, f"{checkpoint}/{name}")]
    if not folders:
        raise no_checkpoint(checkpoint)
    for name in folders:
        yield StateReport(name, StoredState(session, f"{checkpoint}/{name}", batch))


def key_types(spec: Mapping[str, Any]) -> list[pa.DataType]:
    """Return the types of an operator's key columns, an empty list if it has no keys.

    Args:
        spec: The operator's spec as JSON. It is a part of the job's description in the fingerprint file of
            the checkpoint (checkpoint/fingerprint.py).
    """
    if "inputs" in spec:
        side = spec["inputs"][0]
        types, at = side["types"], side["keys"]
    elif "aggregate" in spec and "partition" in spec:
        # This is a SortedOverSpec. Its state is kept by the columns of PARTITION BY (`partition`). The only
        # key of its `aggregate` is a version number that the operator computes, which is no column.
        types, at = spec["aggregate"]["input_types"], spec["partition"]
    elif "aggregate" in spec:
        return key_types(spec["aggregate"])
    else:
        types, at = spec.get("input_types", []), spec.get("partition", spec.get("keys", []))
    return [to_arrow(parse_type(types[position])) for position in at]


def _time(milliseconds: int | None) -> str:
    """Return a time as text, in UTC; empty for None."""
    return "" if milliseconds is None else str(np.datetime64(milliseconds, "ms")).replace("T", " ")


def _short(state: str, operator: str) -> str:
    """Return a state's name without that of its operator."""
    return state[len(operator) :].lstrip("./") or state


def operator_named(wanted: str, statement: str, operators: Set[str]) -> str:
    """Return the one of `operators` that is `wanted`, or else the only one that begins with `wanted`.

    Args:
        wanted: Name of an operator, or the beginning of it.
        statement: Name of the statement, for the error.
        operators: Names of the statement's operators.

    Raises:
        UsageError: No operator has such a name, or several have.
    """
    found = [wanted] if wanted in operators else [name for name in operators if name.startswith(wanted)]
    if len(found) == 1:
        return found[0]
    what = "several operators" if found else "no operator"
    raise UsageError(
        f"{statement} has {what} whose name begins with {wanted!r}",
        hint=f"the operators with state are {', '.join(sorted(operators))}",
    )


def _cells(table: pa.Table) -> Iterator[list[str]]:
    for batch in table.to_batches():
        for row in zip(*map(python_values, batch.columns), strict=True):
            yield [value_text(value, NULL_TEXT) for value in row]
