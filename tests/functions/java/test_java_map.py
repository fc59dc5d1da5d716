"""Orders in which Flink printed what COLLECT gives, and the hashes behind them."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import pytest

from firesteel.functions.java.hash_code import hasher
from firesteel.functions.java.hash_map import ordered_values
from firesteel.types.internal_values import to_key
from firesteel.types.sql import (
    BIGINT,
    BOOLEAN,
    DATE,
    DOUBLE,
    FLOAT,
    INT,
    STRING,
    SqlType,
    TypeRoot,
    array,
    decimal,
    map_of,
    row,
    time,
    timestamp,
)
from tests.reference.java_hash_map import HashMap, copied

INTERVAL = SqlType(TypeRoot.INTERVAL_DAY_TIME)
WORDS = "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi"
ORDERED_WORDS = "xi gamma kappa mu iota zeta alpha eta nu delta theta beta epsilon lambda"
NUMBERS = [0, 37, 74, 10, 47, 84, 20, 57, 94, 30, 67, 3, 40, 77]


def order(kind: SqlType, values: Sequence[Any]) -> list[Any]:
    """The values in order; all came one after the other, none has gone."""
    entries = [(to_key(value, kind), [1, i]) for i, value in enumerate(values)]
    return [value for value, _ in ordered_values(kind)(entries, len(entries))]


@pytest.mark.parametrize(
    ("kind", "values", "expected"),
    [
        (INT, NUMBERS[:12], [0, 67, 3, 84, 20, 37, 57, 74, 10, 94, 30, 47]),
        (INT, NUMBERS, [0, 67, 3, 37, 40, 74, 10, 77, 47, 84, 20, 57, 94, 30]),
        (INT, [1, 2, -(1 << 31), 17], [-(1 << 31), 1, 17, 2]),
        (BIGINT, [-(1 << 31), 0, 67, 99], [-(1 << 31), 0, 67, 99]),
        (INT, [33, 5, 17, 1, 9, 25, 41], [33, 17, 1, 5, 9, 25, 41]),
        (
            STRING,
            WORDS.split(),
            ORDERED_WORDS.split(),
        ),
        (STRING, ["x", "kk", "é～😀", ""], ["kk", "", "x", "é～😀"]),
        (DOUBLE, [1.5, -0.0, 0.0, 1e300], [-0.0, 0.0, 1e300, 1.5]),
        (DOUBLE, [i * 1.1 for i in range(6)], [0.0, 5.5, 1.1, 2.2, 4.4, 3.3000000000000003]),
        (decimal(10, 2), [125, -350, 9999999999, 1], [1, 125, 9999999999, -350]),
        (BOOLEAN, [True, False], [False, True]),
        (DATE, [20455, -1, 2932896], [-1, 20455, 2932896]),
        (time(0), [36672000000, 0, 86399000000], [0, 86399000000, 36672000000]),
        (array(INT), [[1, None, 3], [], [3, 1]], [[], [3, 1], [1, None, 3]]),
        (
            row(("x", "y"), (INT, STRING)),
            [(1, "p"), (None, None), (2147483647, "")],
            [(2147483647, ""), (None, None), (1, "p")],
        ),
        (
            array(decimal(30, 5)),
            [[125000], [-350000], [9999999999000], [None]],
            [[9999999999000], [None], [125000], [-350000]],
        ),
        (
            map_of(STRING, INT),
            [[("a", 1), ("b", None)], [], [("z", 9)]],
            [[("a", 1), ("b", None)], [], [("z", 9)]],
        ),
    ],
)
def test_order_is_flinks(kind: SqlType, values: Sequence[Any], expected: Sequence[Any]) -> None:
    assert repr(order(kind, values)) == repr(list(expected))


def test_instants() -> None:
    moments = [1767323045678000, -1000, 253402300799999000, 1767323045000000]
    assert order(timestamp(3), moments) == [moments[i] for i in (1, 2, 0, 3)]


@pytest.mark.parametrize("kind", [INT, BIGINT, STRING, FLOAT, INTERVAL], ids=str)
def test_as_a_java_map_that_grows_and_shrinks(kind: SqlType) -> None:
    chance = random.Random(7)
    made, entries, most = HashMap(hasher(kind)), dict[Any, list[int]](), 0
    for arrival in range(600):
        value: Any = chance.randrange(-40, 40) * 977
        key = str(value) if kind is STRING else to_key(float(value), kind) if kind is FLOAT else value
        if key in entries and chance.random() < 0.7:
            del entries[key]
            made.remove(key)
        elif key not in entries:
            entries[key] = [arrival, arrival]
            made.put(key, arrival)
        if not entries:
            made, most = HashMap(hasher(kind)), 0
        most = max(most, len(entries))
        shown = [count for _, count in ordered_values(kind)(entries.items(), most)]
        assert shown == [count for _, count in copied(made, hasher(kind))]
