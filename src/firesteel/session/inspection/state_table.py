"""The table function firesteel_state: the entries of a state in a checkpoint as a table in SQL."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from firesteel.catalog.schema import Column, SourceTraits, Table
from firesteel.changelog import INSERT_ONLY, KIND
from firesteel.errors import FiresteelError, SourceRange, UsageError, ValidationError
from firesteel.session.inspection.value_text import value_text
from firesteel.sql.query_syntax import LateralTable, TableName
from firesteel.sql.syntax import Call, Node, StringLiteral, rewrite, walk
from firesteel.types import sql
from firesteel.types.python_values import python_values
from firesteel.types.text import NULL_TEXT

if TYPE_CHECKING:
    from firesteel.session.context import Environment
    from firesteel.session.inspection.state_report import StateReport

NAME = "firesteel_state"
_USE = f"{NAME}('CHECKPOINT', 'OPERATOR') or {NAME}('CHECKPOINT', 'OPERATOR', 'STATE')"
_TYPES: dict[pa.DataType, sql.SqlType] = {
    pa.bool_(): sql.BOOLEAN,
    pa.int8(): sql.TINYINT,
    pa.int16(): sql.SMALLINT,
    pa.int32(): sql.INT,
    pa.int64(): sql.BIGINT,
    pa.float32(): sql.FLOAT,
    pa.float64(): sql.DOUBLE,
    pa.string(): sql.STRING,
    pa.binary(): sql.BYTES,
    pa.date32(): sql.DATE,
    pa.timestamp("us"): sql.timestamp(6),
    pa.timestamp("ns"): sql.timestamp(9),
    pa.timestamp("us", "UTC"): sql.timestamp_ltz(6),
    pa.timestamp("ns", "UTC"): sql.timestamp_ltz(9),
}
"""SQL type of a column by the Arrow type of its values.

Values of other Arrow types become texts, as `firesteel state` shows them. Their column is a STRING.
"""


def with_state_tables(environment: Environment, query: Node) -> Node:
    """Replace each call of firesteel_state in a query by a table with the state, which is read now.

    Args:
        environment: The session, which gets the tables.
        query: The query.

    Raises:
        ValidationError: A call has wrong arguments, or there is no such state.
        FiresteelError: The checkpoint cannot be read.
    """
    if not any(_is_call(node) for node in walk(query)):
        return query

    def rule(node: Node) -> Node:
        if not _is_call(node):
            return node
        assert isinstance(node, LateralTable)
        return TableName(_table(environment, node.call), range=node.range)

    return rewrite(query, rule)


def _is_call(node: Node) -> bool:
    return isinstance(node, LateralTable) and node.call.name.lower() == NAME


def _table(environment: Environment, call: Call) -> tuple[str, ...]:
    """Register the table of a call and return its path."""
    found = [arg.text for arg in call.args if isinstance(arg, StringLiteral)]
    if len(found) != len(call.args) or len(found) not in (2, 3):
        raise ValidationError("wrong arguments of the table function", range=call.range, hint=f"write {_USE}")
    try:
        columns, rows = _entries(environment, *found)
    except UsageError as error:
        raise _at(error, call.range) from None
    comment = f"{NAME}({', '.join(map(repr, found))})"
    table = _registered(environment, comment, columns, rows)
    return table.path


def _at(error: FiresteelError, place: SourceRange) -> ValidationError:
    return ValidationError(error.message, range=place, hint=error.hint)


def _entries(
    environment: Environment, checkpoint: str, operator: str, state: str | None = None
) -> tuple[tuple[Column, ...], pa.Table]:
    """Return the columns and the rows of a state.

    Args:
        environment: The session.
        checkpoint: Folder of the checkpoint.
        operator: Name of the operator, or a prefix that only one operator has. `<statement>/` may precede it,
            and must if several statements have such an operator.
        state: Short name of the state. None for the only state of the operator.

    Raises:
        UsageError: There is no such operator or state, or the choice is not unique.
    """
    from firesteel.session.inspection.state_report import open_reports  # this import is slow

    statement, _, name = operator.rpartition("/")
    session = environment.spark.session.newSession()
    reports = [each for each in open_reports(session, checkpoint) if statement in ("", each.name)]
    report = _chosen(reports, checkpoint, name)
    full = report.operator(name)
    states = report.states(full)
    if state is None and len(states) == 1:
        state = next(iter(states))
    if state not in states:
        what = f"no state {state!r}" if state is not None else "several states"
        raise UsageError(f"the operator {full} has {what}", hint=f"name one: {', '.join(states)}")
    entries = report.table(states[state])
    columns, arrays = [], []
    for title, values in zip(entries.column_names, entries.columns, strict=True):
        kind = _type(values.type)
        columns.append(Column(title, kind or sql.STRING))
        arrays.append(
            values
            if kind
            else pa.array([value_text(value, NULL_TEXT) for value in python_values(values)], pa.string())
        )
    return tuple(columns), pa.table(arrays, names=list(entries.column_names))


def _chosen(reports: Sequence[StateReport], checkpoint: str, operator: str) -> StateReport:
    """Return the report of the statement that has an operator.

    Raises:
        UsageError: No statement has it, or several have it.
    """
    if len(reports) == 1:
        return reports[0]
    having = [each for each in reports if any(row[0].startswith(operator) for row in each.overview())]
    if len(having) != 1:
        names = ", ".join(each.name for each in having or reports)
        how = "several statements have" if having else "no statement has"
        raise UsageError(
            f"{how} an operator whose name begins with {operator!r} in {checkpoint}",
            hint=f"write 'STATEMENT/OPERATOR'; the statements are {names}",
        )
    return having[0]


def _type(kind: pa.DataType) -> sql.SqlType | None:
    if pa.types.is_decimal(kind):
        return sql.decimal(kind.precision, kind.scale)
    return _TYPES.get(kind)


def _registered(environment: Environment, comment: str, columns: tuple[Column, ...], rows: pa.Table) -> Table:
    """Register the rows of a call as a temporary table, and return the table.

    If the same call has been registered before, the new table replaces the earlier one.

    Args:
        environment: The session, which gets the table.
        comment: Text of the call, by which the table of an earlier call is found.
        columns: Columns of the table.
        rows: Its rows.
    """
    from firesteel.session.snapshot import stored_changes  # needs pyspark

    kinds: Any = pa.array(np.zeros(rows.num_rows, np.int8))
    options = stored_changes(environment, rows.add_column(0, KIND, kinds))
    catalog, taken = environment.catalog, 0
    while isinstance(entry := catalog.find((f"{NAME}_{taken}",)), Table) and entry.comment != comment:
        taken += 1
    path = catalog.path((f"{NAME}_{taken}",))
    traits = SourceTraits(INSERT_ONLY)
    table = Table(*path, columns, options, comment=comment, temporary=True, traits=traits)
    catalog.replace(table)
    return table
