"""What every operator is: changes in, changes out."""

from __future__ import annotations

from typing import Protocol

import pyarrow as pa


class Operator(Protocol):
    """One step of a chain. `changes` tables are as runtime/spec.py says.

    An operator is made once per chain instance and is given the input in batches, in order. What the
    output is may not depend on where the input is cut.
    """

    def process(self, changes: pa.Table) -> pa.Table:
        """The changes that these cause. Rows keep the `$order` of the row that caused them."""
        ...

    def finish(self) -> pa.Table | None:
        """End of the micro-batch or of the input: what was held back, or None."""
        ...
