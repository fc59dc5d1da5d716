"""What stands before a sink whose primary key is not that of the query, for those who run it; as
runtime/spec/operators.py."""

from __future__ import annotations

from dataclasses import dataclass

from firesteel.runtime.spec.operators import OperatorSpec
from firesteel.types.constraints import Constraints
from firesteel.types.sql import SqlType


@dataclass(frozen=True)
class ConstraintEnforcerSpec(OperatorSpec):
    """Hold rows to what the sink's columns demand."""

    constraints: Constraints


@dataclass(frozen=True)
class SinkUpsertMaterializerSpec(OperatorSpec):
    """Upserts by `primary_key` out of changes by another key. upsert_key: the positions by which the query
    knows its rows, () where it needs whole rows for that. ttl: milliseconds, 0 for ever."""

    primary_key: tuple[int, ...]
    input_types: tuple[SqlType, ...]
    upsert_key: tuple[int, ...] = ()
    ttl: int = 0
    state_id: str = "sink-materializer"


@dataclass(frozen=True)
class WatermarkCompactingSinkMaterializerSpec(OperatorSpec):
    """Upserts by `primary_key` where a key may have one row at each watermark: another one fails the job, or
    with `keep_first` is left out. names: of the primary key's columns; the rest as above."""

    primary_key: tuple[int, ...]
    input_types: tuple[SqlType, ...]
    names: tuple[str, ...]
    keep_first: bool
    upsert_key: tuple[int, ...] = ()
    ttl: int = 0
    state_id: str = "sink-materializer"

    @property
    def reads_marks(self) -> bool:
        return True
