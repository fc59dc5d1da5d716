"""GroupAggregate, one row at a time, every result computed anew from the rows that are left.

It is slow and obviously right, for inputs whose every retraction takes back an earlier row.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from decimal import ROUND_DOWN, ROUND_HALF_UP, Context, Decimal
from functools import reduce
from typing import Any

import numpy as np
import pyarrow as pa

from firesteel.functions.java.hash_code import hasher
from firesteel.runtime.spec.operators import AggregateSpec, GroupAggregateSpec
from firesteel.types.arrow import to_arrow
from firesteel.types.internal_values import to_keys as from_arrow
from firesteel.types.sql import SqlType, TypeRoot
from tests.reference.java_hash_map import HashMap, copied

Row = tuple[Any, ...]

BITS = {TypeRoot.TINYINT: 8, TypeRoot.SMALLINT: 16, TypeRoot.INTEGER: 32, TypeRoot.BIGINT: 64}
_WIDE = Context(prec=100)


def group_aggregate(spec: GroupAggregateSpec, rows: Iterable[Row]) -> list[Row]:
    """rows and result: (kind, value, ...). No time to live."""
    histories: dict[Any, list[Row]] = {}
    out: list[Row] = []
    for kind, *values in rows:
        row = tuple(values)
        key = tuple(row[i] for i in spec.keys)
        name = tuple(map(binary, key))
        history = histories.get(name, [])
        if not history and kind in ("-U", "-D"):
            continue
        before = results(spec, history) if history else None
        history = histories[name] = [*history, (kind, *row)]
        if rows_left(history) == 0:
            assert before is not None
            del histories[name]
            out.append(("-D", *key, *before))
            continue
        now = results(spec, history)
        if before is None:
            out.append(("+I", *key, *now))
        elif not all(map(equal, before, now)):
            out += [("-U", *key, *before)] if spec.emit_update_before else []
            out.append(("+U", *key, *now))
    return out


def results(spec: GroupAggregateSpec, history: Sequence[Row]) -> Row:
    """The result of each call over the rows that a key's history leaves."""
    return tuple(result(call, history) for call in spec.calls)


def result(call: AggregateSpec, history: Sequence[Row]) -> Any:
    """The result of one call."""
    if call.filter is not None:
        history = [row for row in history if row[1 + call.filter] is True]
    if not call.args:
        return rows_left(history)
    if call.distinct:
        history = first_and_last(history, 1 + call.args[0])
    if call.function == "COLLECT":
        return collected(history, 1 + call.args[0], call.arg_types[0])
    values = left(history, 1 + call.args[0])
    if call.function != "ARRAY_AGG" or "IGNORE NULLS" in call.options:
        values = [v for v in values if v is not None]
    return FUNCTIONS[call.function](values, call.type)


def collected(history: Sequence[Row], position: int, kind: SqlType) -> list[tuple[Any, int]]:
    """The number of each value, in the order of a Java map that lived through the history."""
    column = from_arrow(pa.array([row[position] for row in history], to_arrow(kind)), kind)
    values: HashMap = HashMap(hasher(kind))
    shown: dict[Any, Any] = {}
    for row, key in zip(history, column, strict=True):
        if key is None:
            continue
        shown[key] = row[position]
        count = (values.get(key) or 0) + (1 if row[0] in ("+I", "+U") else -1)
        if count:
            values.put(key, count)
        else:
            values.remove(key)
            values = values if len(values) else HashMap(hasher(kind))
    return [(shown[key], count) for key, count in copied(values, hasher(kind))]


def first_and_last(history: Sequence[Row], position: int) -> list[Row]:
    """The rows that DISTINCT lets through: the first to bring a value and the last to take it away."""
    counts: dict[Any, int] = {}
    through = []
    for row in history:
        name = binary(row[position])
        counts[name] = counts.get(name, 0) + (1 if row[0] in ("+I", "+U") else -1)
        if counts[name] == (1 if row[0] in ("+I", "+U") else 0):
            through.append(row)
    return through


def left(history: Sequence[Row], position: int) -> list[Any]:
    """The values that are left, in order of arrival; a retraction takes the first equal one."""
    values: list[Any] = []
    for row in history:
        value = row[position]
        if row[0] in ("+I", "+U"):
            values.append(value)
            continue
        del values[[binary(each) for each in values].index(binary(value))]
    return values


def rows_left(history: Sequence[Row]) -> int:
    """How many rows there are."""
    return sum(1 if row[0] in ("+I", "+U") else -1 for row in history)


def binary(value: Any) -> Any:
    """Equal where the bytes are."""
    return (type(value), repr(value)) if isinstance(value, float) else (type(value), value)


def equal(old: Any, new: Any) -> bool:
    """NULL is equal to NULL, NaN to nothing."""
    if isinstance(new, list) and None in new:  # an ARRAY with a NULL in it equals nothing
        return False
    return bool(old == new) if old is not None and new is not None else old is new


def wrapped(value: int, kind: SqlType) -> int:
    """The low bits of an integer."""
    bits = BITS[kind.root]
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


def total(values: Sequence[Any], kind: SqlType) -> Any:
    """SUM of at least one value."""
    if kind.is_integer:
        return wrapped(sum(values), kind)
    if kind.root is TypeRoot.DECIMAL:
        exact = reduce(_WIDE.add, values, Decimal(0))
        return exact.quantize(Decimal(1).scaleb(-(kind.scale or 0)), context=_WIDE)
    return float(sum(values))


def average(values: Sequence[Any], kind: SqlType) -> Any:
    """AVG of at least one value."""
    if kind.is_integer:
        return int((Decimal(sum(values)) / len(values)).to_integral_value(ROUND_DOWN))
    if kind.root is TypeRoot.DECIMAL:
        exact = _WIDE.divide(reduce(_WIDE.add, values, Decimal(0)), Decimal(len(values)))
        return exact.quantize(Decimal(1).scaleb(-(kind.scale or 0)), ROUND_HALF_UP, _WIDE)
    mean = sum(values) / len(values)
    return float(np.float32(mean)) if kind.root is TypeRoot.FLOAT else mean


def variance(values: Sequence[Any], divisor: int) -> Any:
    """The sum of squared distances from the mean over the divisor; NULL where that is 0."""
    if divisor <= 0:
        return None
    numbers = [float(value) for value in values]
    mean = sum(numbers) / len(numbers)
    return sum((number - mean) ** 2 for number in numbers) / divisor


def if_any(function: Callable[..., Any]) -> Callable[..., Any]:
    """NULL for no values."""
    return lambda values, kind: function(values, kind) if values else None


FUNCTIONS: dict[str, Callable[[list[Any], SqlType], Any]] = {
    "COUNT": lambda values, kind: len(values),
    "SUM": if_any(total),
    "$SUM0": lambda values, kind: total(values, kind),
    "AVG": if_any(average),
    "MIN": if_any(lambda values, kind: min(values)),
    "MAX": if_any(lambda values, kind: max(values)),
    "ARRAY_AGG": if_any(lambda values, kind: values),
    "LISTAGG": if_any(lambda values, kind: ",".join(values)),
    "JSON_ARRAYAGG": lambda values, kind: f"[{','.join(values)}]",
    "FIRST_VALUE": if_any(lambda values, kind: values[0]),
    "LAST_VALUE": if_any(lambda values, kind: values[-1]),
    "$WELFORD_M2$1": if_any(lambda values, kind: variance(values, 1)),
    "VAR_POP": lambda values, kind: variance(values, len(values)),
    "VAR_SAMP": lambda values, kind: variance(values, len(values) - 1),
    "STDDEV_POP": if_any(lambda values, kind: variance(values, len(values)) ** 0.5),
    "STDDEV_SAMP": lambda values, kind: variance(values, len(values) - 1) ** 0.5 if len(values) > 1 else None,
}
