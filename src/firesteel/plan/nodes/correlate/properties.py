"""Properties of table functions and of Correlate."""

from __future__ import annotations

from firesteel.functions.expression.nodes import Expr
from firesteel.plan.expressions.operations import input_refs
from firesteel.plan.expressions.sub_query import over_outer_row
from firesteel.plan.nodes.correlate import logical, physical
from firesteel.plan.properties.changelog_modes import sends_what_it_gets
from firesteel.plan.properties.keys import NO_KEYS, unique_keys, upsert_keys
from firesteel.plan.properties.mini_batch import NOTHING_ASKED, interval_asked
from firesteel.plan.properties.time_attributes import (
    NO_TIMES,
    Positions,
    TimeAttributes,
    time_attributes,
    values_read,
)
from firesteel.plan.properties.value_ranges import (
    CONSTANT,
    NOT_MONOTONIC,
    UNBOUNDED,
    Monotonicity,
    all_columns,
    is_append,
    monotonicity,
    value_range,
)
from firesteel.plan.properties.window_properties import WindowProperties, window_properties

_LOGICAL = (logical.Correlate, logical.TableFunctionScan, logical.Uncollect)

upsert_keys.always(NO_KEYS, physical.Correlate, *_LOGICAL)
unique_keys.always(NO_KEYS, physical.Correlate, *_LOGICAL)
time_attributes.always(NO_TIMES, logical.TableFunctionScan, logical.Uncollect)
window_properties.always(None, logical.TableFunctionScan, logical.Uncollect)
interval_asked.always(NOTHING_ASKED, physical.Correlate)
value_range.always(UNBOUNDED, physical.Correlate)
sends_what_it_gets(physical.Correlate)


@time_attributes.of(logical.Correlate)
def _times(node: logical.Correlate) -> TimeAttributes:
    left, right = map(time_attributes, node.inputs)
    width = node.left_width
    return left.mapped(lambda times, rowtime: (*times, *(width + i for i in right.of_kind(rowtime))))


@window_properties.of(logical.Correlate)
def _windows(node: logical.Correlate) -> WindowProperties | None:
    return window_properties(node.inputs[0])


time_attributes.of_input(physical.Correlate)


@values_read.of(physical.Correlate)
def _read(node: physical.Correlate) -> tuple[Positions, ...]:
    args: tuple[Expr, ...] = node.call.args
    return (frozenset(i for arg in args for i in input_refs(over_outer_row(arg))),)


@monotonicity.of(physical.Correlate)
def _moves(node: physical.Correlate) -> Monotonicity:
    """Return the monotonicity of each column: CONSTANT if the input is append-only, else NOT_MONOTONIC.

    CONSTANT means that no row ever changes. All columns get the same word, as in Flink
    (FlinkRelMdModifiedMonotonicity). Return None if the monotonicity of the input's columns is not known.
    """
    below = monotonicity(node.input)
    if below is None:
        return None
    return all_columns(CONSTANT if is_append(below) else NOT_MONOTONIC, len(node.schema))
