"""Translate the operators directly before a sink to specs: the constraint enforcer and the materializer."""

from __future__ import annotations

from collections.abc import Mapping

from firesteel.catalog.schema import Column, Table
from firesteel.job.lower.aggregate import OperatorOptions
from firesteel.plan.nodes import physical
from firesteel.runtime.spec.sink import (
    ConstraintEnforcerSpec,
    SinkUpsertMaterializerSpec,
    WatermarkCompactingSinkMaterializerSpec,
)
from firesteel.types.constraints import constraints_of


def persisted_columns(table: Table) -> list[Column]:
    """Return the columns of a table that a sink writes: all but computed columns and VIRTUAL metadata."""
    return [c for c in table.columns if c.computed is None and not c.virtual]


def sink_enforcer(sink: physical.Sink, configuration: Mapping[str, str]) -> ConstraintEnforcerSpec | None:
    """Return the operator that enforces the columns' constraints on rows, None if none apply."""
    columns = persisted_columns(sink.table)
    constraints = constraints_of([c.name for c in columns], [c.type for c in columns], configuration)
    return None if constraints is None else ConstraintEnforcerSpec(constraints)


def sink_materializer(
    sink: physical.Sink, options: OperatorOptions
) -> SinkUpsertMaterializerSpec | WatermarkCompactingSinkMaterializerSpec:
    """Return the operator that turns changes into upserts by the sink's primary key.

    If ON CONFLICT is ERROR or NOTHING, it is a WatermarkCompactingSinkMaterializer (Flink:
    StreamExecSink.createSumOperator).
    """
    columns = persisted_columns(sink.table)
    names, types = [c.name for c in columns], tuple(c.type for c in columns)
    key = tuple(map(names.index, sink.table.primary_key))
    state_id = options.state_id("sink-materializer")
    if sink.conflict in ("ERROR", "NOTHING"):
        return WatermarkCompactingSinkMaterializerSpec(
            key,
            types,
            sink.table.primary_key,
            sink.conflict == "NOTHING",
            sink.upsert_key,
            options.ttl,
            state_id,
        )
    return SinkUpsertMaterializerSpec(key, types, sink.upsert_key, options.ttl, state_id)
