"""Reduce the fields of linear and extreme aggregates by group."""

from __future__ import annotations

import numpy as np

from firesteel.runtime.aggregate.functions.declaration import AccumulatorField, Argument, Constant, Declared
from firesteel.runtime.aggregate.reduce.groups import Groups
from firesteel.runtime.aggregate.scan.column import Column, Mask, NoPrefixScan, both
from firesteel.runtime.aggregate.scan.extreme import refuse_odd_floats, ufunc_of
from firesteel.runtime.aggregate.scan.segments import Index, Numbers, wrapped
from firesteel.types.sql import INTEGER_BITS, INTEGERS, TypeRoot

_SAFE = float(1 << 62)


def contributed(
    aggregate: Declared, groups: Groups, argument: Column | None, reach: Mask | None, sign: Index | None,
    begin: dict[str, Column] | None = None,
) -> dict[str, Column]:  # fmt: skip
    """Return the fields of a linear aggregate after the entries of each group were added or retracted.

    An entry is an input row, or a value of a DISTINCT call. `argument` has the value of each entry. An entry
    is added where `sign` is 1 or None, and retracted where it is -1. Where `reach` is False, the entry has no
    effect; None stands for True everywhere. `begin` has the fields of each group before its entries, None for
    the initial values. The result has the fields by name, with one row for each group.

    Raises:
        NoPrefixScan: A sum might exceed 64 bits.
    """
    result = {}
    for field in aggregate.fields:
        contribution = aggregate.contributions[field.name]
        values = argument
        if isinstance(contribution, Constant):
            values = None
        else:
            assert isinstance(contribution, Argument)
        result[field.name] = total(field, groups, values, reach, sign, begin[field.name] if begin else None)
    return result


def total(
    field: AccumulatorField, groups: Groups, values: Column | None, reach: Mask | None, sign: Index | None,
    begin: Column | None = None,
) -> Column:  # fmt: skip
    """Return a field after the values of each group were added, one row for each group.

    Args:
        field: The field.
        groups: Groups of the entries.
        values: Value of each entry; None counts each entry as 1.
        reach: Which entries count, None for all.
        sign: -1 for a retraction, else 1; None for no retractions.
        begin: The field of each group before its entries. A NULL is replaced by the field's initial value.
            None if all groups begin with the initial value.

    Returns:
        The field of each group. It is NULL if the initial value is NULL (as for SUM), the group has no entry
        that counts, and `begin` has no value for the group.
    """
    if values is None:
        return Column(_begin(field, groups, begin) + _counted(groups, reach, sign))
    if field.type.root in INTEGERS:
        summed = _summed(groups, values, reach, sign) + _begin(field, groups, begin)
        summed = wrapped(summed, INTEGER_BITS[field.type.root])
    elif field.type.root is TypeRoot.DECIMAL:
        summed = _decimals(field, groups, values, reach, sign, begin)
    else:
        summed = _floats(field, groups, values, reach, sign, begin)
    return Column(summed, _missing(field, groups, reach, begin))


def extreme(
    groups: Groups, values: Column, reach: Mask | None, least: bool, begin: Column | None = None
) -> Column:
    """Return the least or greatest value of each group, one row for each group.

    A group without a value has NULL.

    Args:
        groups: Groups of the entries.
        values: Value of each entry. NULLs do not count.
        reach: Which entries count, None for all.
        least: Whether the least value is returned. If False, the greatest.
        begin: One more value of each group: its extreme before the entries, or NULL. None if all are NULL.

    Raises:
        NoPrefixScan: There are NaN or negative zeros, for which it matters which came first.
    """
    ufunc, neutral = ufunc_of(values.values.dtype, least)
    there = both(reach, None if values.null is None else ~values.null)
    refuse_odd_floats(values.values, there)
    best = groups.reduce(ufunc, values.values if there is None else np.where(there, values.values, neutral),
                         neutral)  # fmt: skip
    found = groups.any(there)
    if begin is not None:
        refuse_odd_floats(begin.values, None if begin.null is None else ~begin.null)
        best = ufunc(
            best, begin.values if begin.null is None else np.where(begin.null, neutral, begin.values)
        )
        found |= ~begin.is_null
    return Column(best, None if found.all() else ~found)


def _counted(groups: Groups, reach: Mask | None, sign: Index | None) -> Index:
    if sign is None:
        ones = np.ones(groups.rows, np.int64) if reach is None else reach.astype(np.int64)
        return groups.sum(ones)
    return groups.sum(sign if reach is None else np.where(reach, sign, 0))


def _summed(groups: Groups, values: Column, reach: Mask | None, sign: Index | None) -> Index:
    numbers = values.values if sign is None else values.values * sign
    return groups.sum(numbers if reach is None else np.where(reach, numbers, 0))


def _begin(field: AccumulatorField, groups: Groups, begin: Column | None) -> Index:
    if begin is None:
        return np.zeros(groups.size, np.int64)
    return begin.values if begin.null is None else np.where(begin.null, 0, begin.values)


def _decimals(
    field: AccumulatorField, groups: Groups, values: Column, reach: Mask | None, sign: Index | None,
    begin: Column | None,
) -> Index:  # fmt: skip
    """Return the DECIMAL sum of each group. Arguments as in `total`.

    Raises:
        NoPrefixScan: A sum might overflow. It would then have to become NULL.
    """
    start = _begin(field, groups, begin)
    bound = np.abs(values.values.astype(np.float64)).sum() + np.abs(start.astype(np.float64)).max(initial=0)
    if not bound < _SAFE:
        raise NoPrefixScan
    return _summed(groups, values, reach, sign) + start


def _floats(
    field: AccumulatorField, groups: Groups, values: Column, reach: Mask | None, sign: Index | None,
    begin: Column | None,
) -> Numbers:  # fmt: skip
    """Return the floating-point sum of each group. Arguments as in `total`.

    Values are added one by one, so that the bits equal the row handler's.
    """
    dtype = np.dtype(np.float32 if field.type.root is TypeRoot.FLOAT else np.float64)
    numbers = values.values.astype(dtype, copy=False)
    if sign is not None:
        numbers = np.where(sign > 0, numbers, -numbers)
    # An entry that does not count adds -0.0, which changes no sum. Adding 0.0 would change -0.0 to 0.0.
    neutral = dtype.type(-0.0)
    if reach is not None:
        numbers = np.where(reach, numbers, neutral)
    if field.initial is not None:
        start = np.zeros(groups.size, dtype)
    else:
        start = np.full(groups.size, neutral, dtype)
        if sign is not None:
            # The row handler retracts x from a NULL sum as 0 - x, which is 0.0 for x = 0.0. Here, -0.0 - x
            # would be -0.0. So a group whose first entry that counts is a retraction starts from 0.0.
            first = groups.first(np.ones(groups.rows, np.bool_) if reach is None else reach)
            there = np.flatnonzero(first >= 0)
            start[there[sign[first[there]] < 0]] = 0.0
    if begin is not None:
        known = begin.values.astype(dtype, copy=False)
        start = known if begin.null is None else np.where(begin.null, start, known)
    with np.errstate(all="ignore"):
        return groups.sum_in_order(numbers, start)


def _missing(
    field: AccumulatorField, groups: Groups, reach: Mask | None, begin: Column | None
) -> Mask | None:
    if field.initial is not None:
        return None
    missing = ~groups.any(reach)
    if begin is not None:
        missing &= begin.is_null
    return missing if missing.any() else None
