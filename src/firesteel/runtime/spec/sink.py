"""Settings of the operators in front of a sink (see runtime/spec/operators.py)."""

from __future__ import annotations

from dataclasses import dataclass

from firesteel.runtime.spec.operators import OperatorSpec
from firesteel.types.constraints import Constraints
from firesteel.types.sql import SqlType


@dataclass(frozen=True)
class ConstraintEnforcerSpec(OperatorSpec):
    """Enforce NOT NULL and lengths of the sink's columns. Constraints says how: drop, trim, pad or fail."""

    constraints: Constraints


@dataclass(frozen=True)
class SinkUpsertMaterializerSpec(OperatorSpec):
    """Turn changes with another upsert key into upserts by the primary key of the sink.

    Attributes:
        primary_key: Positions of the primary key.
        input_types: Types of the input fields.
        upsert_key: Positions of the upsert key of the query, () if only whole rows identify a row.
        ttl: State retention in milliseconds, 0 for no expiry.
        state_id: Name of the state.
    """

    primary_key: tuple[int, ...]
    input_types: tuple[SqlType, ...]
    upsert_key: tuple[int, ...] = ()
    ttl: int = 0
    state_id: str = "sink-materializer"


@dataclass(frozen=True)
class WatermarkCompactingSinkMaterializerSpec(OperatorSpec):
    """Send upserts by primary key at each watermark, with at most one row for each key.

    Attributes:
        primary_key: Positions of the primary key.
        input_types: Types of the input fields.
        names: Names of the primary key columns, for errors.
        keep_first: Whether a second row of a key is dropped. If False, it fails the job.
        upsert_key: Positions of the upsert key of the query, () if only whole rows identify a row.
        ttl: State retention in milliseconds, 0 for no expiry.
        state_id: Name of the state.
    """

    primary_key: tuple[int, ...]
    input_types: tuple[SqlType, ...]
    names: tuple[str, ...]
    keep_first: bool
    upsert_key: tuple[int, ...] = ()
    ttl: int = 0
    state_id: str = "sink-materializer"

    @property
    def reads_watermarks(self) -> bool:
        return True
