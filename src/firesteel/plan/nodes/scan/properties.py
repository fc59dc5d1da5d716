"""Properties of the ends of a plan: scans of tables, literal rows and sinks."""

from __future__ import annotations

from firesteel.plan.nodes import logical, physical
from firesteel.plan.properties.changelog_modes import (
    INSERTS,
    NO_KINDS,
    Kinds,
    UpdateKind,
    kinds_of,
    kinds_sent,
    kinds_taken,
    sink_mode,
    source_mode,
    updates_wanted,
)
from firesteel.plan.properties.keys import NO_KEYS, Keys, key_of, unique_keys, upsert_keys
from firesteel.plan.properties.mini_batch import NOTHING_ASKED, interval_asked
from firesteel.plan.properties.time_attributes import NO_TIMES, TimeAttributes, time_attributes, values_read
from firesteel.plan.properties.value_ranges import (
    CONSTANT,
    NOT_MONOTONIC,
    UNBOUNDED,
    Monotonicity,
    all_columns,
    monotonicity,
    value_range,
)
from firesteel.plan.properties.window_properties import window_properties

_Scan = logical.Scan | physical.TableSourceScan
_SCANS = (logical.Scan, physical.TableSourceScan)
_VALUES = (logical.Values, physical.Values)

time_attributes.always(NO_TIMES, *_SCANS)
window_properties.always(None, logical.Scan, logical.Values)
interval_asked.always(NOTHING_ASKED, physical.TableSourceScan, physical.Values)
values_read.always((), physical.TableSourceScan, physical.Values)
kinds_taken.always(NO_KINDS, physical.TableSourceScan, physical.Values)
value_range.always(UNBOUNDED, physical.TableSourceScan, physical.Values)


# --- tables --------------------------------------------------------------------------------------
@upsert_keys.of(*_SCANS)
@unique_keys.of(*_SCANS)
def _primary_key(node: _Scan) -> Keys:
    names = [f.name for f in node.schema]
    key = node.table.primary_key
    return key_of(*map(names.index, key)) if key and set(key) <= set(names) else NO_KEYS


@kinds_sent.of(physical.TableSourceScan)
def _kinds(node: physical.TableSourceScan) -> Kinds:
    return kinds_of(source_mode(node.table))


@updates_wanted.of(physical.TableSourceScan)
def _updates(node: physical.TableSourceScan, wish: UpdateKind) -> tuple[UpdateKind, ...] | None:
    """Return () for no inputs. Return None if the scan cannot send updates in the form `wish`.

    It cannot if `wish` includes the old rows, but the source sends updates without them.
    """
    mode = source_mode(node.table)
    lacks = mode.update_after and not mode.update_before
    return None if lacks and wish is UpdateKind.BEFORE_AND_AFTER else ()


@monotonicity.of(physical.TableSourceScan)
def _moves(node: physical.TableSourceScan) -> Monotonicity:
    traits = node.table.traits
    append = traits is None or traits.changelog_mode.is_insert_only
    return all_columns(CONSTANT if append else NOT_MONOTONIC, len(node.schema))


# --- literal rows --------------------------------------------------------------------------------
time_attributes.of(*_VALUES)(lambda node: TimeAttributes(node.event_times, node.processing_times))
upsert_keys.always(NO_KEYS, *_VALUES)
unique_keys.always(NO_KEYS, *_VALUES)
kinds_sent.always(INSERTS, physical.Values)
updates_wanted.of(physical.Values)(lambda node, wish: ())
monotonicity.of(physical.Values)(lambda node: all_columns(CONSTANT, len(node.schema)))


# --- sinks ---------------------------------------------------------------------------------------
interval_asked.always(NOTHING_ASKED, physical.Sink)


@kinds_taken.of(physical.Sink)
def _accepted(node: physical.Sink) -> Kinds:
    return kinds_of(sink_mode(node.table, kinds_sent(node.input)))
