"""DropUpdateBefore. Flink: DropUpdateBeforeFunction."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from firesteel.changelog import RowKind
from firesteel.runtime.spec import KIND, DropUpdateBeforeSpec


class DropUpdateBefore:
    """Lets everything through but -U. It keeps no state and changes no kind."""

    def __init__(self, spec: DropUpdateBeforeSpec) -> None:
        self._spec = spec

    def process(self, changes: pa.Table) -> pa.Table:
        """The rows that are not -U."""
        return changes.filter(pc.not_equal(changes.column(KIND), int(RowKind.UPDATE_BEFORE)))

    def finish(self) -> pa.Table | None:
        """Nothing is held back."""
        return None
