"""Properties of nodes that pass rows on unchanged: exchanges, watermark assigners, DropUpdateBefore."""

from __future__ import annotations

from firesteel.plan.nodes import logical, physical
from firesteel.plan.properties.changelog_modes import (
    kinds_sent,
    kinds_taken,
    sends_what_it_gets,
    updates_wanted,
)
from firesteel.plan.properties.keys import Keys, unique_keys, upsert_keys
from firesteel.plan.properties.mini_batch import NOTHING_ASKED, interval_asked
from firesteel.plan.properties.time_attributes import (
    NOTHING_READ,
    TimeAttributes,
    time_attributes,
    values_read,
)
from firesteel.plan.properties.value_ranges import (
    CONSTANT,
    NOT_MONOTONIC,
    Monotonicity,
    all_columns,
    is_append,
    monotonicity,
    value_range,
)
from firesteel.plan.properties.window_properties import window_properties

_WATERMARKS = (logical.WatermarkAssigner, physical.WatermarkAssigner)

sends_what_it_gets(physical.Exchange, physical.WatermarkAssigner)
interval_asked.always(NOTHING_ASKED, physical.Exchange, physical.WatermarkAssigner, physical.DropUpdateBefore)
unique_keys.of_input(physical.Exchange, physical.DropUpdateBefore, physical.MiniBatchAssigner, *_WATERMARKS)
values_read.always((NOTHING_READ,), physical.Exchange, physical.WatermarkAssigner)
value_range.of_input(physical.Exchange, physical.WatermarkAssigner)
window_properties.of_input(logical.WatermarkAssigner)

for _changes in (kinds_sent, kinds_taken, updates_wanted):
    _changes.never("it is put in while the changelog modes are inferred", physical.DropUpdateBefore)
for _values in (monotonicity, value_range):
    _values.never("retraction is chosen before it is put in", physical.DropUpdateBefore)
values_read.never("it is put in when times are plain timestamps", physical.DropUpdateBefore)

# --- exchanges -----------------------------------------------------------------------------------
monotonicity.of_input(physical.Exchange)
time_attributes.of_input(physical.Exchange, physical.DropUpdateBefore)


@upsert_keys.of(physical.Exchange)
def _keys(node: physical.Exchange) -> Keys:
    """Return the upsert keys of the input that contain all columns by which the exchange sends rows.

    Only then do all changes of a row go to the same task and keep their order.
    """
    return frozenset(key for key in upsert_keys(node.input) if set(node.keys) <= key)


# --- watermarks ----------------------------------------------------------------------------------
upsert_keys.of_input(physical.DropUpdateBefore, physical.MiniBatchAssigner, *_WATERMARKS)


@time_attributes.of(*_WATERMARKS)
def _times(node: logical.WatermarkAssigner | physical.WatermarkAssigner) -> TimeAttributes:
    below = time_attributes(node.input)
    return below._replace(event=below.event | {node.rowtime})


@monotonicity.of(physical.WatermarkAssigner)
def _moves(node: physical.WatermarkAssigner) -> Monotonicity:
    """Return the monotonicity of each column: CONSTANT if the input is append-only, else NOT_MONOTONIC.

    CONSTANT means that no row ever changes. All columns get the same word, as in Flink
    (FlinkRelMdModifiedMonotonicity). Return None if the monotonicity of the input's columns is not known.
    """
    below = monotonicity(node.input)
    if below is None:
        return None
    return all_columns(CONSTANT if is_append(below) else NOT_MONOTONIC, len(node.schema))
