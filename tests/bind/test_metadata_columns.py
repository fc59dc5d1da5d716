"""Metadata columns of a source, in other types than its own."""

from __future__ import annotations

import pytest

from firesteel.errors import ValidationError
from tests.rules.planning import physical_text, tables


def table(columns: str, connector: str = "'connector' = 'filesystem', 'format' = 'json'") -> str:
    return f"CREATE TABLE t (a INT, {columns}) WITH ({connector}, 'path' = 'unread');"


def test_what_cannot_be_cast_is_refused_where_the_table_is_read() -> None:
    catalog = tables(table("p ARRAY<INT> METADATA FROM 'file.path'"))
    with pytest.raises(ValidationError) as caught:
        physical_text("SELECT a FROM t", catalog)
    assert caught.value.message == (
        "Invalid data type for metadata column 'p' with metadata key 'file.path' of table "
        "'default_catalog.default_database.t'. The column cannot be declared as 'STRING NOT NULL' because "
        "the type must be castable from metadata type 'ARRAY<INT>'."
    )


def test_a_source_without_metadata() -> None:
    catalog = tables(table("p STRING METADATA FROM 'file.path'", "'connector' = 'datagen'"))
    with pytest.raises(ValidationError, match="doesn't implement the SupportsReadingMetadata interface"):
        physical_text("SELECT a FROM t", catalog)


def test_it_is_cast_where_it_is_read() -> None:
    catalog = tables(
        table("s BIGINT NOT NULL METADATA FROM 'file.size', p CHAR(3) METADATA FROM 'file.path'")
    )
    assert physical_text("SELECT p, s FROM t", catalog).startswith(
        'Calc(select=[CAST(p AS CHAR(3) CHARACTER SET "UTF-16LE") AS p, s])\n'
    )
