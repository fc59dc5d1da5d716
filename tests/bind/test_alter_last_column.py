"""ALTER TABLE may leave a table without columns, CREATE TABLE may not, as in Flink 2.3."""

from __future__ import annotations

import pytest

from firesteel.bind.names import BindContext
from firesteel.bind.statements.ddl import bind_create_table
from firesteel.catalog.catalog import Catalog
from firesteel.errors import ValidationError
from firesteel.sql.parser import parse_statement
from firesteel.sql.statements import CreateTable


@pytest.mark.parametrize("may_be_empty", [True, False])
def test_a_table_without_columns(may_be_empty: bool) -> None:
    statement = parse_statement("CREATE TABLE t WITH ('connector' = 'datagen')")
    assert isinstance(statement, CreateTable)
    context = BindContext(Catalog(), sql="")
    if may_be_empty:
        assert bind_create_table(statement, context, may_be_empty=True).columns == ()
    else:
        with pytest.raises(ValidationError, match="at least one column"):
            bind_create_table(statement, context)
