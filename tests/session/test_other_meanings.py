"""Options that give a query another meaning are refused, not passed over."""

from __future__ import annotations

import pytest

from firesteel import TableEnvironment
from firesteel.errors import NotSupportedError

QUERY = "EXPLAIN SELECT CAST('1' AS INT)"


@pytest.mark.parametrize(
    ("key", "value", "default"),
    [
        ("execution.runtime-mode", "BATCH", "streaming"),
        ("table.column-expansion-strategy", "EXCLUDE_ALIASED_VIRTUAL_METADATA_COLUMNS", ""),
        ("table.exec.legacy-cast-behaviour", "enabled", "disabled"),
        ("table.legacy-nested-row-nullability", "true", "false"),
        ("table.sql-dialect", "hive", "DEFAULT"),
    ],
)
def test_another_meaning(key: str, value: str, default: str) -> None:
    environment = TableEnvironment.create()
    environment.execute_sql(f"SET '{key}' = '{value}'")
    with pytest.raises(NotSupportedError, match=f"'{key}' = '{value}' is not supported"):
        environment.execute_sql(QUERY)
    environment.execute_sql(f"SET '{key}' = '{default}'")
    environment.execute_sql(QUERY)
