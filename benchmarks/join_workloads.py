"""Joins of changing tables."""

from __future__ import annotations

from benchmarks.join_data import dimension, facts, orders, payments
from benchmarks.workload import BUNDLES, HOLE, Workload

_CANAL = "WITH ('connector' = 'filesystem', 'path' = '{path}', 'format' = 'canal-json');\n"
_ORDERS = "CREATE TABLE orders (id BIGINT, k BIGINT, name STRING, qty INT, PRIMARY KEY (id) NOT ENFORCED)\n"
_PAYMENTS = "CREATE TABLE payments (id BIGINT, k BIGINT, amount INT, PRIMARY KEY (id) NOT ENFORCED)\n"
_DIMENSION = "CREATE TABLE dimension (k BIGINT, city STRING, PRIMARY KEY (k) NOT ENFORCED)\n"
_FACTS = "CREATE TABLE facts (id BIGINT, k BIGINT, v INT)\n"


def _orders(events: int) -> str:
    return _ORDERS + _CANAL.format(path=orders(events, events // 2))


def _payments(events: int) -> str:
    return _PAYMENTS + _CANAL.format(path=payments(events, events // 2))


def _dimension(keys: int) -> str:
    return _DIMENSION + _CANAL.format(path=dimension(2 * keys, keys))


def _facts(rows: int, keys: int) -> str:
    return _FACTS + _CANAL.replace("canal-json", "json").format(path=facts(rows, keys))


def _join(events: int) -> str:
    """As many orders as payments."""
    return (
        _orders(events)
        + _payments(events)
        + HOLE.format(columns="id BIGINT, name STRING, qty INT, amount INT")
        + "INSERT INTO hole SELECT o.id, o.name, o.qty, p.amount FROM orders AS o JOIN payments AS p "
        "ON o.k = p.k;\n"
    )


def _left_join(rows: int) -> str:
    """Facts with a changing dimension of a twentieth as many rows."""
    keys = rows // 20
    return (
        _facts(rows, keys)
        + _dimension(keys)
        + HOLE.format(columns="id BIGINT, v INT, city STRING")
        + "INSERT INTO hole SELECT f.id, f.v, d.city FROM facts AS f LEFT JOIN dimension AS d ON f.k = d.k;\n"
    )


def _three_way(events: int) -> str:
    """Two joins below an aggregate."""
    return (
        _orders(events)
        + _payments(events)
        + _dimension(events // 2)
        + HOLE.format(columns="city STRING, c BIGINT, s INT")
        + "INSERT INTO hole SELECT d.city, COUNT(*), SUM(p.amount) FROM orders AS o JOIN payments AS p "
        "ON o.k = p.k JOIN dimension AS d ON o.k = d.k GROUP BY d.city;\n"
    )


JOIN_WORKLOADS = (
    Workload("join", "orders and payments, as many of each, both change", _join, flink=({}, BUNDLES)),
    Workload("left-join", "facts with a changing dimension", _left_join, flink=({}, BUNDLES)),
    Workload("three-way-join", "two joins below an aggregate", _three_way, flink=({}, BUNDLES)),
)
