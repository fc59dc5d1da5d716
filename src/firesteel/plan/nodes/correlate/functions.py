"""Table functions of Flink's own, which plans call by these names.

- `$UNNEST_ROWS$1(c)`: a row for each element of a collection (UNNEST).
- `$UNNEST_ROWS_WITH_ORDINALITY$1(c)`: the same, with the number of the element as last column.
- `$REPLICATE_ROWS$1(n, a, b, ...)`: the row (a, b, ...) n times (INTERSECT ALL, EXCEPT ALL).
"""

from __future__ import annotations

from firesteel.functions.expression.nodes import Call, Expr
from firesteel.types.sql import NULL

UNNEST = "$UNNEST_ROWS$1"
UNNEST_WITH_ORDINALITY = "$UNNEST_ROWS_WITH_ORDINALITY$1"
REPLICATE = "$REPLICATE_ROWS$1"


def table_call(function: str, *args: Expr) -> Call:
    """Return a call of a table function. It has no value, so its type says nothing."""
    return Call(function, args, NULL)
