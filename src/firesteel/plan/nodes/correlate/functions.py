"""Flink's internal table functions, by their names in plans.

- `$UNNEST_ROWS$1(c)`: a row for each element of a collection (UNNEST).
- `$UNNEST_ROWS_WITH_ORDINALITY$1(c)`: as above, with the number of the element as last column.
- `$REPLICATE_ROWS$1(n, a, b, ...)`: the row (a, b, ...) n times (INTERSECT ALL, EXCEPT ALL).
"""

from __future__ import annotations

from firesteel.functions.expression.nodes import Call, Expr
from firesteel.types.sql import NULL

UNNEST = "$UNNEST_ROWS$1"
UNNEST_WITH_ORDINALITY = "$UNNEST_ROWS_WITH_ORDINALITY$1"
REPLICATE = "$REPLICATE_ROWS$1"


def table_call(function: str, *args: Expr) -> Call:
    """Return a call of a table function. A table function has no value, so the type of the call is unused."""
    return Call(function, args, NULL)
