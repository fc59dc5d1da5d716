"""Decide whether a sink materializes the result by its own key (SinkUpsertMaterializer).

Flink 2.3: FlinkChangelogModeInferenceProgram, analyzeUpsertMaterializeStrategy, with the options
`table.exec.sink.upsert-materialize` and `table.exec.sink.require-on-conflict`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from firesteel.changelog import ChangelogMode
from firesteel.errors import ValidationError
from firesteel.plan.metadata import kinds_sent, upsert_keys
from firesteel.plan.nodes.physical import Sink, TableSourceScan
from firesteel.plan.properties.changelog_modes import INSERTS
from firesteel.plan.tree import walk

_CONFLICT = (
    "This can lead to non-deterministic results when multiple records with different upsert keys map to "
    "the same primary key. Please specify an ON CONFLICT clause to define how conflicts should be "
    "handled: ON CONFLICT DO DEDUPLICATE (update to the latest record, state intensive, since we need "
    "to keep the entire history), or ON CONFLICT DO ERROR (fail on conflict), or ON CONFLICT DO NOTHING "
    "(keep first record)."
)


def primary_key_positions(sink: Sink) -> frozenset[int]:
    """Return the positions of the sink's primary key in its input."""
    names = [c.name for c in sink.table.columns if c.computed is None and not c.virtual]
    return frozenset(names.index(name) for name in sink.table.primary_key)


def is_key_contained(sink: Sink) -> bool:
    """Return whether an upsert key of the query is part of the sink's primary key."""
    primary = primary_key_positions(sink)
    return any(key <= primary for key in upsert_keys(sink.input))


def decide_materialization(sink: Sink, accepted: ChangelogMode, configuration: Any) -> Sink:
    """Return the sink with `upsert_materialize` decided.

    Args:
        sink: The sink.
        accepted: Changelog mode that the sink accepts, from `sink_mode` with update_before=False. A sink that
            accepts whatever mode the query has (print) counts as an upsert sink here, although it will get -U
            rows.
        configuration: Options of the session.

    Raises:
        ValidationError: The statement needs an ON CONFLICT clause, or has one that the sink cannot use.
    """
    if sink.conflict is not None:
        _check_clause(sink, accepted)
    strategy = str(configuration.get("table.exec.sink.upsert-materialize", "AUTO")).upper()
    if strategy == "NONE":
        return sink
    if not sink.table.primary_key or accepted.update_before:
        return sink
    if strategy == "FORCE":
        return _materializing(sink)
    if accepted.is_insert_only:
        return sink
    inserts_only = kinds_sent(sink.input) == INSERTS
    if (inserts_only and sink.conflict == "DEDUPLICATE") or is_key_contained(sink):
        return sink
    if sink.conflict is None and _requires_clause(configuration):
        raise ValidationError(_without_clause(sink))
    return _materializing(sink)


def _materializing(sink: Sink) -> Sink:
    """Return the sink with materialization by the smallest upsert key of the query.

    Flink: UpsertKeyUtil.getSmallestKey.
    """
    keys = sorted((len(key), tuple(sorted(key))) for key in upsert_keys(sink.input))
    return replace(sink, upsert_materialize=True, upsert_key=keys[0][1] if keys else ())


def _requires_clause(configuration: Any) -> bool:
    value = configuration.get("table.exec.sink.require-on-conflict", "true")
    return str(value).lower() == "true"


def _without_clause(sink: Sink) -> str:
    keys = sorted(upsert_keys(sink.input), key=sorted)
    names = [c.name for c in sink.table.columns if c.computed is None and not c.virtual]
    upsert = ", ".join(f"[{', '.join(names[i] for i in sorted(key))}]" for key in keys)
    return (
        f"The query has an upsert key that differs from the primary key of the sink table "
        f"'{'.'.join(sink.table.path)}'. Primary key: [{', '.join(sink.table.primary_key)}], "
        f"upsert key: {upsert}. {_CONFLICT}"
    )


def _check_clause(sink: Sink, accepted: ChangelogMode) -> None:
    name = ".".join(sink.table.path)
    refusal = (
        f"ON CONFLICT clause is only allowed for upsert sinks. The sink '{name}' is not an upsert sink "
        "because it "
    )
    if accepted.update_before:
        raise ValidationError(refusal + "requires UPDATE_BEFORE (retract mode).")
    if accepted.is_insert_only:
        raise ValidationError(refusal + "only accepts INSERT (append-only) changes.")
    if sink.conflict in ("ERROR", "NOTHING"):
        scans = [n for n in walk(sink) if isinstance(n, TableSourceScan) and n.table.watermark is None]
        if scans:
            missing = ", ".join(dict.fromkeys(".".join(s.table.path) for s in scans))
            raise ValidationError(
                f"ON CONFLICT DO {sink.conflict} requires all source tables to define watermarks, but the "
                f"following source(s) do not: {missing}. Please add a WATERMARK declaration to these tables."
            )
