"""Accumulators of a bundle in columns: created from rows, or merged from local phases."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa

from firesteel.changelog import field as field_name
from firesteel.runtime.aggregate.functions.declaration import (
    AccumulatorField,
    Aggregate,
    Declared,
    Form,
    MapView,
)
from firesteel.runtime.aggregate.reduce.columns import AccumulatorColumns, arrow_type
from firesteel.runtime.aggregate.reduce.fields import contributed, extreme, total
from firesteel.runtime.aggregate.reduce.groups import Groups
from firesteel.runtime.aggregate.reduce.pair_counts import PairCounts
from firesteel.runtime.aggregate.row_engine.handler_calls import Slot
from firesteel.runtime.aggregate.scan.column import (
    Column,
    Mask,
    NoPrefixScan,
    Ranks,
    both,
    comparable,
    from_arrow,
    to_array,
)
from firesteel.runtime.aggregate.scan.pairs import Pairs
from firesteel.runtime.aggregate.scan.plan import distinct_groups
from firesteel.runtime.aggregate.scan.segments import Index
from firesteel.runtime.aggregate.scan.sorted_rows import SortedRows
from firesteel.runtime.columns.keys import Keys, one_array
from firesteel.runtime.spec.operators import AggregateSpec, GroupAggregateSpec
from firesteel.types.sql import APPROXIMATE, BIGINT, SqlType


@dataclass
class BundleAccumulators:
    """Accumulators of g keys, as columns: one for each accumulator field, and the entries of each map view.

    Fields and map views have the names of the row handler: `sum2` is field `sum` of call 2.

    Attributes:
        fields: Column of each accumulator field, g rows, by the field's name.
        maps: Entries of each map view, by the view's name.
    """

    fields: dict[str, pa.Array] = field(default_factory=dict)
    maps: dict[str, PairCounts] = field(default_factory=dict)

    def columns(self, slots: Sequence[Slot], keys: Index) -> list[pa.Array]:
        """Return a column for each of `slots`, with one row for each key in `keys`.

        Args:
            slots: Parts of the accumulators: fields and map views.
            keys: Indices of the keys.
        """
        at = pa.array(keys)
        return [
            self.fields[slot.name].take(at)
            if isinstance(slot.kind, AccumulatorField)
            else self.maps[slot.name].lists(keys, arrow_type(slot))
            for slot in slots
        ]


def lift(
    spec: GroupAggregateSpec, aggregates: Sequence[Aggregate], changes: pa.Table, keys: Keys
) -> BundleAccumulators:
    """Return new accumulators, one for each key, made from its rows in `changes`.

    Raises:
        NoPrefixScan: The rows must be processed one by one by the row handler. For example, a DECIMAL sum
            might exceed 64 bits, or MIN or MAX gets a NaN.
    """
    return _Lift(spec, aggregates, changes, keys).accumulators


def continued(
    spec: GroupAggregateSpec,
    aggregates: Sequence[Aggregate],
    changes: pa.Table,
    keys: Keys,
    stored: Mapping[str, pa.Array],
) -> dict[str, pa.Array]:
    """Return the accumulator fields of calls that sum floating-point numbers, after the rows of `changes`.

    The rows are added one by one to the stored fields. So the sums have the same bits as without bundles.

    Args:
        spec: Keys and calls.
        aggregates: Declarations of the calls.
        changes: The rows.
        keys: Keys of the rows.
        stored: Column of each stored field by name (`sum2` is field `sum` of call 2), with one row for each
            key, NULL for keys without state.

    Returns:
        A column of each field by name, with one row for each key.

    Raises:
        NoPrefixScan: The rows must be processed one by one by the row handler.
    """
    rows, groups = SortedRows(spec, changes, keys), Groups(keys.sorted_codes, len(keys))
    fields: dict[str, pa.Array] = {}
    sign = rows.signs() if spec.input_retracts else None
    for index, (call, aggregate) in enumerate(zip(spec.calls, aggregates, strict=True)):
        if call.distinct or not isinstance(aggregate, Declared) or aggregate.form is not Form.LINEAR:
            continue
        if not any(part.type.root in APPROXIMATE for part in aggregate.fields):
            continue
        begin = {part.name: from_arrow(stored[f"{part.name}{index}"], part.type) for part in aggregate.fields}
        reach = both(rows.passes(call.filter), _not_null(rows, call))
        found = contributed(aggregate, groups, rows.column(call.args[0]), reach, sign, begin)
        fields |= {f"{part.name}{index}": to_array(found[part.name], part.type) for part in aggregate.fields}
    return fields


def _not_null(rows: SortedRows, call: AggregateSpec) -> Mask | None:
    null = rows.null(call.args[0]) if call.args else None
    return None if null is None else ~null


def merge(
    columns: AccumulatorColumns,
    spec: GroupAggregateSpec,
    aggregates: Sequence[Aggregate],
    changes: pa.Table,
    keys: Keys,
) -> BundleAccumulators:
    """Return one accumulator for each key, merged from the accumulators of local phases in `changes`.

    Raises:
        NoPrefixScan: The accumulators must be merged one by one by the row handler. For example, an
            overflowed sum must stay NULL.
    """
    accumulators = BundleAccumulators()
    order, groups = pa.array(keys.order), Groups(keys.sorted_codes, len(keys))
    calls = {f"seen{i}": len(group) for i, group in enumerate(distinct_groups(spec))}
    for slot in columns.slots:
        column = one_array(changes.column(field_name(columns.position(slot)))).take(order)
        if isinstance(slot.kind, MapView):
            width = calls.get(slot.name, 1) if spec.input_retracts else 1
            bits = slot.call < 0 and not spec.input_retracts
            accumulators.maps[slot.name] = PairCounts.from_lists(keys, column, width, bits, slot.kind.sorted)
        else:
            accumulators.fields[slot.name] = merged_field(
                slot.kind, _declared(spec, aggregates, slot), groups, column
            )
    return accumulators


def regroup(
    columns: AccumulatorColumns,
    spec: GroupAggregateSpec,
    aggregates: Sequence[Aggregate],
    accumulators: BundleAccumulators,
    keys: Keys,
) -> list[pa.Array]:
    """Merge accumulators whose keys agree in some of the key fields, and return the columns of the result.

    Args:
        columns: Layout of the result, one row for each of `keys`.
        spec: Keys and calls.
        aggregates: Declarations of the calls.
        accumulators: The accumulators, by the full key.
        keys: Distinct values of these key fields. Each accumulator is one row of `keys`.

    Raises:
        NoPrefixScan: The accumulators must be merged one by one by the row handler.
    """
    order, groups = pa.array(keys.order), Groups(keys.sorted_codes, len(keys))
    parts = []
    for slot in columns.slots:
        if isinstance(slot.kind, MapView):
            parts.append(
                accumulators.maps[slot.name]
                .by(keys.codes, keys)
                .lists(np.arange(len(keys)), arrow_type(slot))
            )
        else:
            column = accumulators.fields[slot.name].take(order)
            parts.append(merged_field(slot.kind, _declared(spec, aggregates, slot), groups, column))
    return parts


def merged_field(
    kind: AccumulatorField, aggregate: Declared | None, groups: Groups, column: pa.Array
) -> pa.Array:
    """Return a field after merging the accumulators of each group in their order.

    `aggregate` is None for the hidden count of records.

    Raises:
        NoPrefixScan: The row handler is needed, for example because an overflowed sum must stay NULL.
    """
    if aggregate is not None and aggregate.form is Form.EXTREME:
        (values,), ranks = _comparable(column, kind.type)
        best = extreme(groups, values, None, aggregate.least)
        return to_array(best, kind.type) if ranks is None else ranks.strings(best)
    values = from_arrow(column, kind.type)
    if kind.initial is not None and values.null is not None:
        raise NoPrefixScan
    reach = None if values.null is None else ~values.null
    return to_array(total(kind, groups, values, reach, None), kind.type)


def _comparable(column: pa.Array, kind: SqlType) -> tuple[list[Column], Ranks | None]:
    """Return the values of an array as numbers that compare like the values, in a list of one column.

    For strings, these numbers are ranks, and the second result is the `Ranks`. Otherwise, it is None.
    """
    if kind.root in APPROXIMATE:
        return [from_arrow(column, kind)], None
    return comparable([column], kind)


def _declared(spec: GroupAggregateSpec, aggregates: Sequence[Aggregate], slot: Slot) -> Declared | None:
    aggregate = aggregates[slot.call] if slot.call < len(spec.calls) else None
    return aggregate if isinstance(aggregate, Declared) else None


class _Lift:
    """Builder of a new accumulator for each key, from the rows of a bundle. `accumulators` has the result."""

    def __init__(
        self, spec: GroupAggregateSpec, aggregates: Sequence[Aggregate], changes: pa.Table, keys: Keys
    ) -> None:
        self._spec, self._keys = spec, keys
        self._rows = SortedRows(spec, changes, keys)
        self._sign: Index | None = self._rows.signs() if spec.input_retracts else None
        self._groups = Groups(keys.sorted_codes, len(keys))
        self._pairs: dict[int, Pairs] = {}
        self.accumulators = BundleAccumulators()
        for index, (call, aggregate) in enumerate(zip(spec.calls, aggregates, strict=True)):
            if not call.distinct:
                self._call(index, call, aggregate)
        for index, group in enumerate(distinct_groups(spec)):
            self.accumulators.maps[f"seen{index}"] = self._seen([spec.calls[i] for i in group])
        if spec.input_retracts and spec.count_star is None:
            assert self._sign is not None
            counted = Column(self._groups.sum(self._sign))
            self.accumulators.fields[f"count{len(spec.calls)}"] = to_array(counted, BIGINT)

    def _call(self, index: int, call: AggregateSpec, aggregate: Aggregate) -> None:
        if isinstance(aggregate, Declared) and aggregate.form is Form.LINEAR:
            argument = None if call.function == "COUNT" else self._rows.column(call.args[0])
            fields = contributed(aggregate, self._groups, argument, self._reach(call), self._sign)
            for part in aggregate.fields:
                self.accumulators.fields[f"{part.name}{index}"] = to_array(fields[part.name], part.type)
        elif isinstance(aggregate, Declared):
            self._extreme(index, call, aggregate)
        else:
            self.accumulators.maps[f"map{index}"] = self._values(call)

    def _reach(self, call: AggregateSpec) -> Mask | None:
        """Return which rows a call counts: FILTER is true, and the argument is not NULL. None for all."""
        return both(self._rows.passes(call.filter), _not_null(self._rows, call))

    def _extreme(self, index: int, call: AggregateSpec, aggregate: Declared) -> None:
        """Compute MIN or MAX without retraction for call `index`.

        Retracted rows are ignored: Flink plans this variant only if no retraction can change the result.
        """
        kind = call.arg_types[0]
        reach = self._reach(call)
        if self._sign is not None:
            reach = both(reach, self._sign > 0)
        (values,), ranks = _comparable(self._rows.array(call.args[0]), kind)
        best = extreme(self._groups, values, reach, aggregate.least)
        (part,) = aggregate.fields
        name = f"{part.name}{index}"
        self.accumulators.fields[name] = to_array(best, kind) if ranks is None else ranks.strings(best)

    def _values(self, call: AggregateSpec) -> PairCounts:
        """Return, for each (key, value) of a MIN or MAX, how often it was added minus how often retracted."""
        moves = self._moves(self._reach(call))
        return PairCounts.over(self._pairs_of(call.args[0]), moves[:, None])

    def _seen(self, calls: list[AggregateSpec]) -> PairCounts:
        """Return how the rows change the map of values that `calls` have seen. NULL is a value.

        `calls` are the DISTINCT calls over one argument.
        """
        pairs = self._pairs_of(calls[0].args[0])
        masks = [self._rows.passes(call.filter) for call in calls]
        if self._sign is None:
            ones = np.ones(len(self._rows), np.bool_)
            bits = [(ones if m is None else m).astype(np.int64) << place for place, m in enumerate(masks)]
            return PairCounts.over(pairs, np.bitwise_or.reduce(bits)[:, None], bits=True)
        return PairCounts.over(pairs, np.stack([self._moves(mask) for mask in masks], axis=1))

    def _moves(self, mask: Mask | None) -> Index:
        sign = np.ones(len(self._rows), np.int64) if self._sign is None else self._sign
        return sign if mask is None else np.where(mask, sign, 0)

    def _pairs_of(self, position: int) -> Pairs:
        if position not in self._pairs:
            rows = self._rows
            in_order = position in self._spec.sorted_arguments
            self._pairs[position] = Pairs(rows.keys, rows.keys.sorted_codes, rows.array(position), in_order)
        return self._pairs[position]
