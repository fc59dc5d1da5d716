"""An invalid session time zone: queries are refused, CREATE is not."""

from __future__ import annotations

import pytest

from firesteel.errors import ValidationError
from firesteel.session.environment import TableEnvironment


def test_only_queries_are_refused() -> None:
    environment = TableEnvironment.create()
    environment.configuration.set("table.local-time-zone", "Nowhere/Bad")
    environment.execute_sql("CREATE TABLE t (a INT) WITH ('connector' = 'datagen')")
    environment.execute_sql("CREATE VIEW v AS SELECT * FROM t")
    with pytest.raises(ValidationError, match="Invalid time zone"):
        environment.execute_sql("EXPLAIN SELECT * FROM v")
