"""Check a sink's rows against the constraints of its columns (Flink: ConstraintEnforcer and its Constraints).

Violations are found in columns. Only rows with violations, usually few, are processed one by one. By the
setting of the violated constraint, a row is dropped, or the job fails with Flink's error for the row's first
violation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from firesteel.changelog import field
from firesteel.errors import JobError
from firesteel.types.arrow_maps import pairs_in
from firesteel.types.constraints import FIXED, LENGTH, NOT_NULL, Constraints, inner_names
from firesteel.types.internal_values import one_chunk
from firesteel.types.sql import BYTES_LIKE, CHARACTER, SqlType, TypeRoot

Mask = NDArray[np.bool_]

_IS_NULL = (
    " is NOT NULL, however, a null value is being written into it. You can set job configuration "
    f"'{NOT_NULL}'='DROP' to suppress this exception and drop such records silently."
)


def enforced(batches: Iterable[pa.Table], constraints: Constraints) -> Iterator[pa.Table]:
    """Yield the changes that the sink accepts.

    Raises:
        JobError: A row violates a constraint whose setting is ERROR. The message is Flink's.
    """
    for changes in batches:
        yield enforce(changes, constraints)


Refuse = Callable[[pa.Table, str], None]
"""Function called for a row that violates a constraint, with the row as a table and Flink's message."""


def enforce(changes: pa.Table, constraints: Constraints, refuse: Refuse | None = None) -> pa.Table:
    """Return the changes of one table that the sink accepts.

    Args:
        changes: The changes.
        constraints: The constraints of the sink.
        refuse: Function that is called with each row that violates a constraint whose setting is ERROR. The
            row is not returned, and the job goes on. None if the first such row fails the job.

    Raises:
        JobError: `refuse` is None, and a row violates a constraint whose setting is ERROR. The message is
            Flink's.
    """
    if constraints.not_null == "DROP":
        changes = _without_nulls(changes, constraints)
    if constraints.length == "TRIM_PAD":
        for index, kind in enumerate(constraints.types):
            fitted = _fitted(one_chunk(changes.column(field(index))), kind, constraints)
            changes = changes.set_column(changes.schema.get_field_index(field(index)), field(index), fitted)
    wrong = np.zeros(changes.num_rows, bool)
    for index, kind in enumerate(constraints.types):
        wrong |= _wrong(one_chunk(changes.column(field(index))), kind, constraints)
    if not wrong.any():
        return changes
    for row in np.flatnonzero(wrong).tolist():
        _refuse_unless_dropped(changes, row, constraints, refuse)
    return changes.filter(pa.array(~wrong))


def _without_nulls(changes: pa.Table, constraints: Constraints) -> pa.Table:
    keep = np.ones(changes.num_rows, bool)
    for index, kind in enumerate(constraints.types):
        if not kind.nullable:
            keep &= _mask(changes.column(field(index)).is_valid())
    return changes if keep.all() else changes.filter(pa.array(keep))


# --- in columns ----------------------------------------------------------------------------------
def _wrong(values: pa.Array, kind: SqlType, constraints: Constraints) -> Mask:
    """Return which values violate a constraint, bool[n]."""
    missing = _mask(values.is_null()) if values.null_count else np.zeros(len(values), bool)
    wrong = np.zeros(len(values), bool)
    if constraints.length == "ERROR" and constraints.has_length(kind):
        sizes = pc.utf8_length(values) if kind.root in CHARACTER else pc.binary_length(values)
        compare = pc.not_equal if kind.root in FIXED else pc.greater
        wrong = _mask(pc.fill_null(compare(sizes, kind.length), False))
    elif constraints.looks_into(kind):
        wrong = _wrong_inside(values, kind, constraints) & ~missing
    return wrong if kind.nullable else wrong | missing


def _wrong_inside(values: pa.Array, kind: SqlType, constraints: Constraints) -> Mask:
    if kind.root is TypeRoot.ROW:
        parts = [_wrong(f, k, constraints) for f, k in zip(values.flatten(), kind.children, strict=True)]
        broken: Mask = np.logical_or.reduce(parts)
        return broken
    items = pc.list_flatten(values)
    parts = items.flatten() if kind.root is TypeRoot.MAP else [items]
    inside = [_wrong(part, k, constraints) for part, k in zip(parts, kind.children, strict=True)]
    wrong = np.zeros(len(values), bool)
    wrong[pc.list_parent_indices(values).to_numpy()[np.logical_or.reduce(inside)]] = True
    return wrong


def _fitted(values: pa.Array, kind: SqlType, constraints: Constraints) -> pa.Array:
    """Return the values, trimmed or padded to the length that their type declares."""
    if constraints.has_length(kind):
        if kind.root in CHARACTER:
            cut = pc.utf8_slice_codeunits(values, 0, kind.length)
            return pc.utf8_rpad(cut, kind.length, " ") if kind.root in FIXED else cut
        if kind.root in FIXED:
            zeros = pa.scalar(bytes(kind.length or 0), values.type)
            values = pc.binary_join_element_wise(values, zeros, pa.scalar(b"", values.type))
        return pc.binary_slice(values, 0, kind.length)
    if kind.root is TypeRoot.ROW and constraints.looks_into(kind):
        parts = [_fitted(f, k, constraints) for f, k in zip(values.flatten(), kind.children, strict=True)]
        return pa.StructArray.from_arrays(parts, fields=list(values.type), mask=values.is_null())
    return values


def _mask(values: Any) -> Mask:
    found: Mask = values.to_numpy(zero_copy_only=False) if isinstance(values, pa.Array) else values.to_numpy()
    return found


# --- one row -------------------------------------------------------------------------------------
def _refuse_unless_dropped(
    changes: pa.Table, row: int, constraints: Constraints, refuse: Refuse | None
) -> None:
    values = [_value(changes.column(field(index))[row], kind) for index, kind in enumerate(constraints.types)]
    column, problem = next(_problems(values, constraints.names, constraints.types, constraints))
    if problem is not _IS_NULL or constraints.not_null == "ERROR":
        text = f"Column '{column}'{problem}"
        if refuse is None:
            raise JobError(text)
        refuse(changes.slice(row, 1), text)


def _value(scalar: pa.Scalar, kind: SqlType) -> Any:
    """Return the value of one column of a row, as `_problems` needs it.

    This is None for NULL, a Python object for strings, bytes and collections, and True for any other value.
    """
    looked_at = (*CHARACTER, *BYTES_LIKE, TypeRoot.ROW, TypeRoot.ARRAY, TypeRoot.MAP)
    if kind.root in looked_at:
        return pairs_in([scalar.as_py()], scalar.type)[0]
    return True if scalar.is_valid else None


def _problems(
    values: Sequence[Any], names: Sequence[str], types: Sequence[SqlType], constraints: Constraints
) -> Iterator[tuple[str, str]]:
    """Yield the violations of one row in Flink's order: name of the column, end of Flink's message."""
    columns = list(zip(names, types, values, strict=True))
    for name, kind, value in columns:
        if value is None and not kind.nullable:
            yield name, _IS_NULL
    present = [column for column in columns if column[2] is not None]
    for family in (CHARACTER, BYTES_LIKE):
        for name, kind, value in present:
            if kind.root in family and constraints.length == "ERROR" and constraints.has_length(kind):
                assert kind.length is not None
                if len(value) > kind.length or (kind.root in FIXED and len(value) < kind.length):
                    yield name, _length_problem(kind, len(value))
    for root, inside in ((TypeRoot.ROW, _in_row), (TypeRoot.ARRAY, _in_array), (TypeRoot.MAP, _in_map)):
        for name, kind, value in present:
            if kind.root is root and constraints.looks_into(kind):
                yield from inside(name, kind, value, constraints)


def _length_problem(kind: SqlType, size: int) -> str:
    return (
        f" is {kind.with_nullable(True)}, however, a string of length {size} is being written into it. "
        f"You can set job configuration '{LENGTH}' to control this behaviour."
    )


def _in_row(name: str, kind: SqlType, value: Any, constraints: Constraints) -> Iterator[tuple[str, str]]:
    for column, problem in _problems(list(value.values()), kind.names, kind.children, constraints):
        yield f"{name}.{column}", problem


def _in_array(name: str, kind: SqlType, value: Any, constraints: Constraints) -> Iterator[tuple[str, str]]:
    for position, element in enumerate(value):
        for column, problem in _problems([element], inner_names(kind), kind.children, constraints):
            yield f"{name}[{position}]{column.replace('element', '')}", problem


def _in_map(name: str, kind: SqlType, value: Any, constraints: Constraints) -> Iterator[tuple[str, str]]:
    for pair in value:
        for column, problem in _problems(pair, inner_names(kind), kind.children, constraints):
            inner = f"{column}]" if column in inner_names(kind) else column.replace(".", "]", 1)
            yield f"{name}[{inner}", problem
