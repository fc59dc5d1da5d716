"""The eight tables of TPC-H."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pyarrow as pa

Values = tuple[Any, ...]

_MONEY = "DECIMAL(15, 2)"


@dataclass(frozen=True)
class Schema:
    """A table.

    Attributes:
        name: Its name.
        columns: The type of each column, in SQL.
        key: How many of the first columns are the primary key.
    """

    name: str
    columns: dict[str, str]
    key: int = 1

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self.columns)

    def place(self, column: str) -> int:
        """Return the position of a column."""
        return self.names.index(column)

    def ddl(self, path: str, form: str) -> str:
        """Return CREATE TABLE for Firesteel and Flink, over a file of changes."""
        columns = [
            f"{name} {kind}{' NOT NULL' * (place < self.key)}"
            for place, (name, kind) in enumerate(self.columns.items())
        ]
        key = ", ".join(self.names[: self.key])
        return (
            f"CREATE TABLE {self.name} ({', '.join(columns)}, PRIMARY KEY ({key}) NOT ENFORCED) WITH "
            f"('connector' = 'filesystem', 'path' = '{path}', 'format' = '{form}')"
        )

    def arrow(self, rows: list[Values]) -> pa.Table:
        """Return rows as DuckDB reads them."""
        arrays = [
            pa.array([row[place] for row in rows], _arrow_type(kind))
            for place, kind in enumerate(self.columns.values())
        ]
        return pa.Table.from_arrays(arrays, names=list(self.names))


def _arrow_type(kind: str) -> pa.DataType:
    if kind == _MONEY:
        return pa.decimal128(15, 2)
    simple = {"BIGINT": pa.int64(), "INT": pa.int32(), "DATE": pa.date32()}
    return simple.get(kind, pa.string())


SCHEMAS = {
    schema.name: schema
    for schema in (
        Schema("region", {"r_regionkey": "INT", "r_name": "VARCHAR(25)", "r_comment": "VARCHAR(152)"}),
        Schema(
            "nation",
            {
                "n_nationkey": "INT", "n_name": "VARCHAR(25)", "n_regionkey": "INT",
                "n_comment": "VARCHAR(152)",
            },
        ),
        Schema(
            "supplier",
            {
                "s_suppkey": "BIGINT", "s_name": "VARCHAR(25)", "s_address": "VARCHAR(40)",
                "s_nationkey": "INT", "s_phone": "VARCHAR(15)", "s_acctbal": _MONEY,
                "s_comment": "VARCHAR(101)",
            },
        ),
        Schema(
            "customer",
            {
                "c_custkey": "BIGINT", "c_name": "VARCHAR(25)", "c_address": "VARCHAR(40)",
                "c_nationkey": "INT", "c_phone": "VARCHAR(15)", "c_acctbal": _MONEY,
                "c_mktsegment": "VARCHAR(10)", "c_comment": "VARCHAR(117)",
            },
        ),
        Schema(
            "part",
            {
                "p_partkey": "BIGINT", "p_name": "VARCHAR(55)", "p_mfgr": "VARCHAR(25)",
                "p_brand": "VARCHAR(10)", "p_type": "VARCHAR(25)", "p_size": "INT",
                "p_container": "VARCHAR(10)", "p_retailprice": _MONEY, "p_comment": "VARCHAR(23)",
            },
        ),
        Schema(
            "partsupp",
            {
                "ps_partkey": "BIGINT", "ps_suppkey": "BIGINT", "ps_availqty": "INT",
                "ps_supplycost": _MONEY, "ps_comment": "VARCHAR(199)",
            },
            key=2,
        ),
        Schema(
            "orders",
            {
                "o_orderkey": "BIGINT", "o_custkey": "BIGINT", "o_orderstatus": "VARCHAR(1)",
                "o_totalprice": _MONEY, "o_orderdate": "DATE", "o_orderpriority": "VARCHAR(15)",
                "o_clerk": "VARCHAR(15)", "o_shippriority": "INT", "o_comment": "VARCHAR(79)",
            },
        ),
        Schema(
            "lineitem",
            {
                "l_orderkey": "BIGINT", "l_linenumber": "INT", "l_partkey": "BIGINT", "l_suppkey": "BIGINT",
                "l_quantity": _MONEY, "l_extendedprice": _MONEY, "l_discount": _MONEY, "l_tax": _MONEY,
                "l_returnflag": "VARCHAR(1)", "l_linestatus": "VARCHAR(1)", "l_shipdate": "DATE",
                "l_commitdate": "DATE", "l_receiptdate": "DATE", "l_shipinstruct": "VARCHAR(25)",
                "l_shipmode": "VARCHAR(10)", "l_comment": "VARCHAR(44)",
            },
            key=2,
        ),
    )
}  # fmt: skip
"""By name. The key of lineitem comes first, which in TPC-H is its first and fourth column."""
