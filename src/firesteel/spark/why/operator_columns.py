"""Columns by which `why` finds the input rows of an operator's output rows: keys, and copied columns."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from firesteel.errors import NotSupportedError
from firesteel.functions.duckdb.calc_spec import CalcSpec
from firesteel.job.identities import identity
from firesteel.runtime.spec.attached_window import WindowJoinSpec, WindowRankSpec
from firesteel.runtime.spec.correlate import CorrelateSpec
from firesteel.runtime.spec.interval_join import IntervalJoinSpec
from firesteel.runtime.spec.join import JoinSpec, SemiJoinSpec
from firesteel.runtime.spec.operators import (
    ChangelogNormalizeSpec,
    CurrentWatermarkSpec,
    DropUpdateBeforeSpec,
    ExpandSpec,
    GeneratedWatermarksSpec,
    GlobalGroupAggregateSpec,
    GroupAggregateSpec,
    LocalGroupAggregateSpec,
    MiniBatchAssignerSpec,
    OperatorSpec,
    WatermarkAssignerSpec,
)
from firesteel.runtime.spec.over import OverAggregateSpec, SortedOverSpec, TemporalSortSpec
from firesteel.runtime.spec.rank import DeduplicateSpec, RankSpec
from firesteel.runtime.spec.sharing import SequenceShiftSpec
from firesteel.runtime.spec.sink import (
    ConstraintEnforcerSpec,
    SinkUpsertMaterializerSpec,
    WatermarkCompactingSinkMaterializerSpec,
)
from firesteel.runtime.spec.temporal_join import TemporalJoinSpec
from firesteel.runtime.spec.window import (
    GroupWindowAggregateSpec,
    LocalWindowAggregateSpec,
    SessionWindowAggregateSpec,
    SessionWindowTableFunctionSpec,
    WindowAggregateSpec,
    WindowTableFunctionSpec,
)
from firesteel.spark.why.condition import Condition

_FIELD = re.compile(r"f(\d+)")
_ALL = 1 << 12
"""Number that is above the number of columns of any row."""


@dataclass(frozen=True)
class OperatorColumns:
    """Columns of one operator.

    Attributes:
        passed: For each port, a map from the position of an output column to the position of the input column
            that it copies. Computed columns are left out.
        keys: For each port, the positions of the key columns. None for an operator without keys, whose result
            for a row depends on this row alone.
        bundle: Number of rows after which a bundle ends; 0 if the operator makes no bundles.
        joins: For each port, whether the output rows that come from one input row of the port do not depend
            on other rows of the port, as in an inner join; () if they do for all ports.
        makes_watermarks: Whether the operator makes watermarks from its input rows.
        whole: Whether the operator has to get all rows of a micro-batch at once.
        appends: Whether the output has all columns of the input, and then others. Then `passed` maps every
            position to itself, even positions beyond the last input column. Callers have to ignore those.
        null_apart: For each key column, whether a NULL in it equals no key of another port, as in a join by
            `=`; () for an operator with one port.
        alone: For each port, whether the operator sends a row of the port that has no partner because of a
            NULL in a column of `null_apart`; () for an operator with one port.
        padded: For each port, whether all its columns can be NULL in an output row, because a row of the
            other port has no partner, as in an outer join; () if this is so for no port.
    """

    passed: tuple[Mapping[int, int], ...]
    keys: tuple[tuple[int, ...], ...] | None = None
    bundle: int = 0
    joins: tuple[bool, ...] = ()
    makes_watermarks: bool = False
    whole: bool = False
    appends: bool = False
    null_apart: tuple[bool, ...] = ()
    alone: tuple[bool, ...] = ()
    padded: tuple[bool, ...] = ()

    def key_in_output(self, port: int) -> tuple[int, ...] | None:
        """Return the output positions of a port's key columns; None if the output lacks one of them."""
        assert self.keys is not None
        outputs = {position: output for output, position in self.passed[port].items()}
        found = [outputs.get(position) for position in self.keys[port]]
        known = [each for each in found if each is not None]
        return tuple(known) if len(known) == len(found) else None

    def before(self, wanted: Condition, port: int, width: int | None) -> tuple[Condition, bool]:
        """Return a condition on the input rows from which the wanted output rows come, and its kind.

        Args:
            wanted: Condition on the output rows.
            port: The input.
            width: Number of columns of the input, None if it is unknown.

        Returns:
            (condition, True) if the wanted output rows depend only on input rows that satisfy the condition.
            (condition, False) if they can also depend on other input rows. If such a condition has fields,
            these other rows have the key of a row that satisfies it. If it has none, all rows satisfy it.
        """
        moved = wanted.moved(self.passed[port])
        if self.appends:
            known = {at: value for at, value in moved.values.items() if width is not None and at < width}
            moved = Condition(known)
        if self.padded and self.padded[port]:  # a wanted NULL may come from a missing partner
            moved = Condition({at: value for at, value in moved.values.items() if value.is_valid})
        if self.keys is None:
            return moved, bool(moved.values)
        of_key = Condition({at: value for at, value in moved.values.items() if at in self.keys[port]})
        if self.joins and self.joins[port] and moved.values:
            return moved, True
        return (of_key, True) if of_key.values else (moved, False)


def columns_of(spec: OperatorSpec) -> OperatorColumns:
    """Return the key columns of an operator, and the columns that it copies from input to output.

    Raises:
        NotSupportedError: `why` cannot trace rows through operators of this class.
    """
    find = _COLUMNS.get(type(spec))
    if find is None:
        name = identity(type(spec)).removesuffix("Spec")
        raise NotSupportedError(f"`why` for a query with {name}: its rows are not traced")
    return find(spec)


def _same(count: int = _ALL) -> dict[int, int]:
    return {position: position for position in range(count)}


def _row_by_row(spec: OperatorSpec) -> OperatorColumns:
    return OperatorColumns((_same(),))


def _watermarks(spec: OperatorSpec) -> OperatorColumns:
    return OperatorColumns((_same(),), makes_watermarks=True)


def _calc(spec: CalcSpec) -> OperatorColumns:
    steps = (step.rpartition(" AS f")[2] for each in (*spec.condition_steps, *spec.steps) for step in each)
    appended = {*map(int, steps), *(position for position, *_ in spec.parts)}
    matches = {position: _FIELD.fullmatch(text) for position, text in enumerate(spec.projection)}
    found = {position: int(match[1]) for position, match in matches.items() if match is not None}
    return OperatorColumns(({at: column for at, column in found.items() if column not in appended},))


def _expand(spec: ExpandSpec) -> OperatorColumns:
    always = set.intersection(*map(set, spec.shown)) if spec.shown else set()
    found = {at: column for at, column in enumerate(spec.columns) if column is not None and at in always}
    return OperatorColumns((found,))


def _group(spec: GroupAggregateSpec) -> OperatorColumns:
    return OperatorColumns((dict(enumerate(spec.keys)),), (spec.keys,), spec.bundle)


def _local(spec: LocalGroupAggregateSpec) -> OperatorColumns:
    return _group(spec.aggregate)


def _global(spec: GlobalGroupAggregateSpec) -> OperatorColumns:
    keys = tuple(range(len(spec.aggregate.keys)))
    return OperatorColumns((_same(len(keys)),), (keys,), spec.aggregate.bundle)


def _normalize(spec: ChangelogNormalizeSpec) -> OperatorColumns:
    return OperatorColumns((_same(len(spec.input_types)),), (spec.keys,), spec.bundle)


def _rank(spec: RankSpec | WindowRankSpec) -> OperatorColumns:
    return OperatorColumns((_same(len(spec.input_types)),), (spec.partition,))


def _deduplicate(spec: DeduplicateSpec) -> OperatorColumns:
    return OperatorColumns((_same(len(spec.input_types)),), (spec.keys,), spec.bundle)


def _materializer(
    spec: SinkUpsertMaterializerSpec | WatermarkCompactingSinkMaterializerSpec,
) -> OperatorColumns:
    return OperatorColumns((_same(len(spec.input_types)),), (spec.primary_key,))


def _join(spec: JoinSpec | IntervalJoinSpec) -> OperatorColumns:
    left, right = (len(side.types) for side in spec.inputs)
    passed = (_same(left), {left + position: position for position in range(right)})
    apart = tuple(not spec.kind.pads(1 - port) for port in (0, 1))
    bundle = max(spec.folds) if isinstance(spec, JoinSpec) else 0
    keys = tuple(side.keys for side in spec.inputs)
    return OperatorColumns(
        passed,
        keys,
        bundle,
        apart,
        whole=not isinstance(spec, JoinSpec),
        null_apart=_not_safe(spec.null_safe),
        alone=(spec.kind.pads(0), spec.kind.pads(1)),
        padded=(spec.kind.pads(1), spec.kind.pads(0)),
    )


def _not_safe(null_safe: tuple[bool, ...]) -> tuple[bool, ...]:
    return tuple(not safe for safe in null_safe)


def _semi_join(spec: SemiJoinSpec) -> OperatorColumns:
    left, right = spec.inputs
    keys = dict(zip(left.keys, right.keys, strict=True))
    return OperatorColumns(
        (_same(len(left.types)), keys),
        (left.keys, right.keys),
        joins=(True, False),
        null_apart=_not_safe(spec.null_safe),
        alone=(True, False),
    )


def _temporal_join(spec: TemporalJoinSpec) -> OperatorColumns:
    left, right = (len(side.types) for side in spec.inputs)
    passed = (_same(left), {left + position: position for position in range(right)})
    keys = tuple(side.keys for side in spec.inputs)
    return OperatorColumns(
        passed,
        keys,
        joins=(True, False),
        whole=True,
        null_apart=(True,) * len(keys[0]),
        alone=(True, False),
        padded=(False, True),
    )


def _window_join(spec: WindowJoinSpec) -> OperatorColumns:
    left, right = (len(side.types) for side in spec.inputs)
    of_right = range(right) if spec.kind.has_right_columns else range(0)
    passed = (_same(left), {left + position: position for position in of_right})
    return OperatorColumns(
        passed,
        tuple(side.keys for side in spec.inputs),
        whole=True,
        null_apart=_not_safe(spec.null_safe),
        alone=(True, True),
        padded=(True, True),
    )


def _appends(spec: OperatorSpec) -> OperatorColumns:
    return OperatorColumns((_same(),), appends=True)


def _window_aggregate(
    spec: GroupWindowAggregateSpec | SessionWindowAggregateSpec | WindowAggregateSpec,
) -> OperatorColumns:
    is_global = isinstance(spec, WindowAggregateSpec) and spec.is_global
    keys = tuple(range(len(spec.aggregate.keys))) if is_global else spec.aggregate.keys
    return OperatorColumns((dict(enumerate(keys)),), (keys,))


def _local_window(spec: LocalWindowAggregateSpec) -> OperatorColumns:
    keys = spec.aggregate.keys
    return OperatorColumns((dict(enumerate(keys)),), (keys,), whole=True)


def _sessions(spec: SessionWindowTableFunctionSpec) -> OperatorColumns:
    return OperatorColumns((_same(len(spec.input_types)),), (spec.keys,))


def _over(spec: OverAggregateSpec) -> OperatorColumns:
    partition = tuple(key for key in spec.aggregate.keys if key < spec.width)
    return OperatorColumns((_same(spec.width),), (partition,))


def _sorted_over(spec: SortedOverSpec) -> OperatorColumns:
    return OperatorColumns((_same(spec.width),), (spec.partition,))


def _sort(spec: TemporalSortSpec) -> OperatorColumns:
    return OperatorColumns((_same(len(spec.input_types)),), ((),))


_COLUMNS: Mapping[type, Callable[..., OperatorColumns]] = {
    CalcSpec: _calc,
    CorrelateSpec: _appends,
    ChangelogNormalizeSpec: _normalize,
    ConstraintEnforcerSpec: _row_by_row,
    CurrentWatermarkSpec: lambda spec: _calc(spec.calc),
    DeduplicateSpec: _deduplicate,
    DropUpdateBeforeSpec: _row_by_row,
    ExpandSpec: _expand,
    GeneratedWatermarksSpec: _watermarks,
    GlobalGroupAggregateSpec: _global,
    GroupAggregateSpec: _group,
    GroupWindowAggregateSpec: _window_aggregate,
    IntervalJoinSpec: _join,
    JoinSpec: _join,
    LocalGroupAggregateSpec: _local,
    LocalWindowAggregateSpec: _local_window,
    MiniBatchAssignerSpec: _row_by_row,
    OverAggregateSpec: _over,
    RankSpec: _rank,
    SemiJoinSpec: _semi_join,
    SequenceShiftSpec: _row_by_row,
    SessionWindowAggregateSpec: _window_aggregate,
    SessionWindowTableFunctionSpec: _sessions,
    SinkUpsertMaterializerSpec: _materializer,
    SortedOverSpec: _sorted_over,
    TemporalJoinSpec: _temporal_join,
    TemporalSortSpec: _sort,
    WatermarkAssignerSpec: _watermarks,
    WatermarkCompactingSinkMaterializerSpec: _materializer,
    WindowAggregateSpec: _window_aggregate,
    WindowJoinSpec: _window_join,
    WindowRankSpec: _rank,
    WindowTableFunctionSpec: _appends,
}
"""Function that returns an operator's columns, by the class of the operator's spec."""
