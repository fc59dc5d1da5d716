"""Result types of aggregate functions."""

from __future__ import annotations

import pytest

from firesteel.errors import ValidationError
from firesteel.functions.signatures.aggregate_functions import aggregate_type
from firesteel.types.sql import (
    BIGINT,
    BOOLEAN,
    BYTES,
    DATE,
    DOUBLE,
    INT,
    SMALLINT,
    STRING,
    SqlType,
    TypeRoot,
    array,
    decimal,
    map_of,
)

SHARE = DOUBLE.with_nullable(False)


@pytest.mark.parametrize(
    ("name", "args", "expected"),
    [
        ("COUNT", (), "BIGINT NOT NULL"),
        ("COUNT", (STRING,), "BIGINT NOT NULL"),
        ("SUM", (INT,), "INT"),
        ("SUM", (decimal(10, 2),), "DECIMAL(38, 2)"),
        ("$SUM0", (INT,), "INT NOT NULL"),
        ("AVG", (INT,), "INT"),
        ("AVG", (decimal(10, 2),), "DECIMAL(38, 6)"),
        ("AVG", (decimal(20, 8),), "DECIMAL(38, 8)"),
        ("STDDEV_POP", (DOUBLE,), "DOUBLE"),
        ("MAX", (DATE,), "DATE"),
        ("BITMAP_BUILD_AGG", (SMALLINT,), "BITMAP"),
        ("BITMAP_BUILD_CARDINALITY_AGG", (INT.with_nullable(False),), "BIGINT"),
        ("BITMAP_XOR_AGG", (SqlType(TypeRoot.BITMAP),), "BITMAP"),
        ("FIRST_VALUE", (BYTES,), "BYTES"),
        ("LISTAGG", (STRING,), "STRING"),
        ("COLLECT", (INT,), "MULTISET<INT> NOT NULL"),
        ("ARRAY_AGG", (INT,), "ARRAY<INT>"),
        ("JSON_ARRAYAGG", (INT,), "VARCHAR(2000) NOT NULL"),
        ("PERCENTILE", (INT, SHARE), "DOUBLE"),
        ("PERCENTILE", (INT, array(SHARE).with_nullable(False), SMALLINT), "ARRAY<DOUBLE>"),
    ],
)
def test_types(name: str, args: tuple[SqlType, ...], expected: str) -> None:
    assert str(aggregate_type(name, args)) == expected


def test_nullability_follows_the_argument() -> None:
    assert str(aggregate_type("SUM", (BIGINT.with_nullable(False),))) == "BIGINT NOT NULL"


@pytest.mark.parametrize(
    ("name", "args", "message"),
    [
        ("SUM", (BOOLEAN,), "Cannot apply 'SUM' to arguments of type 'SUM\\(<BOOLEAN>\\)'. Supported form"),
        ("MAX", (BYTES,), "Max aggregate function does not support type: ''VARBINARY''."),
        ("SINGLE_VALUE", (BYTES,), "SINGLE_VALUE aggregate function doesn't support type 'VARBINARY'."),
        ("PERCENTILE", (INT, DOUBLE), "Invalid input arguments."),
        ("PERCENTILE", (INT, SHARE, DOUBLE), "Invalid input arguments."),
        ("JSON_ARRAYAGG", (DATE,), "Type 'DATE' is not scalar or cannot be converted into JSON."),
        ("JSON_OBJECTAGG", (STRING, map_of(INT, INT)), "The key type must be a character string."),
        ("COUNT", (INT, INT), "We now only support the count of one field."),
        ("LEAD", (INT,), "LEAD Function is not supported in stream mode."),
    ],
)
def test_refused(name: str, args: tuple[SqlType, ...], message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        aggregate_type(name, args)
