"""Settings of ranks (Top-N, ORDER BY ... LIMIT, LIMIT) and deduplication (see runtime/spec/operators.py)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from firesteel.runtime.spec.operators import OperatorSpec
from firesteel.runtime.spec.over import OverTime
from firesteel.runtime.state.order_codes import SortOrder
from firesteel.types.sql import SqlType


class RankStrategy(Enum):
    """Strategy of a rank, by the changes of its input (Flink: RankProcessStrategy)."""

    APPEND = "append"
    """AppendFastStrategy: only +I."""

    UPDATE = "update"
    """UpdateFastStrategy: only +I and +U. Rows have a unique key. No update moves a row to a later rank."""

    RETRACT = "retract"
    """RetractStrategy: any change."""


@dataclass(frozen=True)
class RankSpec(OperatorSpec):
    """The first rows of each partition by ROW_NUMBER.

    Flink: StreamExecRank, StreamExecSortLimit and StreamExecLimit.

    The last output field is the rank (BIGINT) if `with_number`. The other fields are those of the input.

    Attributes:
        input_types: Types of the input fields.
        partition: Positions of the PARTITION BY fields, empty for one partition.
        sort: Positions of the ORDER BY fields, empty for the order of arrival (LIMIT, or an ascending
            processing time).
        orders: Sort order of each of these fields.
        strategy: Strategy that the properties of the input allow.
        start: First rank, 1 without an offset.
        end: Last rank, None if `end_field` names it.
        end_field: Position of the input field with the last rank (Flink: VariableRankRange). The first row of
            a partition decides.
        with_number: Whether the rank is an output field.
        emit_update_before: Whether the output has -U.
        row_key: Positions of a unique key of the rows. UPDATE needs one that contains the partition. For
            RETRACT it is optional, and saves time and state.
        ttl: State retention in milliseconds, 0 for no expiry.
        state_id: Name of the state.
    """

    input_types: tuple[SqlType, ...]
    partition: tuple[int, ...]
    sort: tuple[int, ...]
    orders: tuple[SortOrder, ...]
    strategy: RankStrategy
    end: int | None
    start: int = 1
    end_field: int | None = None
    with_number: bool = False
    emit_update_before: bool = True
    row_key: tuple[int, ...] = ()
    ttl: int = 0
    state_id: str = "rank"

    @property
    def is_top1(self) -> bool:
        """Whether only the first row of each partition has a rank in the range (Flink: RankUtil.isTop1)."""
        return self.start == 1 and self.end == 1

    @property
    def shifts(self) -> bool:
        """Whether rows are sent again when their rank changes: if it is a field, or if there is an offset."""
        return self.with_number or self.start > 1


@dataclass(frozen=True)
class DeduplicateSpec(OperatorSpec):
    """The first or the last row of each key by a time attribute (Flink: StreamExecDeduplicate).

    The input has only +I.

    Attributes:
        input_types: Types of the input fields.
        keys: Positions of the key fields.
        order: Time attribute that rows are sorted by. By processing time, it is the order of arrival.
        time: Position of the row time, -1 for processing time.
        keep_last: Whether the last row is kept. If False, the first.
        emit_update_before: Whether the output has -U.
        emit_insert: Whether the first row of a key is +I even if no consumer reads -U. If False, it is +U
            (`table.exec.deduplicate.insert-update-after-sensitive-enabled`).
        insert_only: Whether the first row by row time is sent once, when a watermark passes it (Flink:
            RankUtil.outputInsertOnlyInDeduplicate). If False, it is sent at once, and corrected by an earlier
            row.
        ttl: State retention in milliseconds, 0 for no expiry.
        state_id: Name of the state.
        bundle: Number of rows after which a bundle ends, 0 for record by record.
        compact: Whether a bundle by row time sends only its last change of a key
            (`table.exec.deduplicate.mini-batch.compact-changes-enabled`).
    """

    input_types: tuple[SqlType, ...]
    keys: tuple[int, ...]
    order: OverTime
    time: int
    keep_last: bool
    emit_update_before: bool = True
    emit_insert: bool = True
    insert_only: bool = False
    ttl: int = 0
    state_id: str = "deduplicate"
    bundle: int = 0
    compact: bool = False

    @property
    def waits(self) -> bool:
        """Whether rows wait for a watermark."""
        return self.order is OverTime.ROWTIME and not self.keep_last and self.insert_only

    @property
    def reads_watermarks(self) -> bool:
        return self.waits or self.bundle > 0
