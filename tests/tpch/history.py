"""What happens to the tables: they are filled, then refreshed again and again.

A refresh inserts orders with their lines and deletes others (the refresh functions of TPC-H). It updates rows
of all tables: also keys of other tables, and names of nations.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from dataclasses import dataclass, field

from tests.properties.local_job import Rows
from tests.runtime.changes import Row
from tests.tpch.generator import Generator
from tests.tpch.schema import SCHEMAS, Schema, Values

_UPDATED = {
    "lineitem": ("l_quantity", "l_extendedprice", "l_discount", "l_partkey", "l_suppkey", "l_returnflag",
                 "l_shipdate", "l_commitdate", "l_receiptdate", "l_shipmode"),
    "orders": ("o_custkey", "o_orderstatus", "o_totalprice", "o_orderdate", "o_orderpriority", "o_comment"),
    "customer": ("c_nationkey", "c_phone", "c_acctbal", "c_mktsegment", "c_name"),
    "supplier": ("s_nationkey", "s_phone", "s_acctbal", "s_comment", "s_address"),
    "part": ("p_name", "p_brand", "p_type", "p_size", "p_container"),
    "partsupp": ("ps_availqty", "ps_supplycost"),
}  # fmt: skip
_SHARES = {"lineitem": 50, "orders": 50, "customer": 20, "supplier": 20, "part": 50, "partsupp": 50}
"""A refresh updates one of so many rows."""


@dataclass
class History:
    """Changes of all tables.

    Attributes:
        generator: Where rows come from.
        changes: All changes so far, by table.
        live: The rows that are left, by table and key.
        ends: After the filling and after each refresh, how many changes each table has had.
    """

    generator: Generator
    changes: dict[str, list[Row]] = field(default_factory=lambda: {name: [] for name in SCHEMAS})
    live: dict[str, dict[Values, Values]] = field(default_factory=lambda: {name: {} for name in SCHEMAS})
    ends: list[dict[str, int]] = field(default_factory=list)

    @classmethod
    def of(cls, scale: float, seed: int = 1) -> History:
        """Fill the tables."""
        made = cls(Generator(scale, random.Random(seed)))
        for name, rows in made.generator.tables().items():
            for row in rows:
                made.insert(name, row)
        made._end()
        return made

    @property
    def rows(self) -> dict[str, Rows]:
        """The changes, as LocalJob takes them."""
        return {name: Rows(SCHEMAS[name].names, changes) for name, changes in self.changes.items()}

    def refresh(self) -> None:
        """Refresh the tables once."""
        rng = self.generator.rng
        count = max(len(self.live["orders"]) // 500, 12)
        for _ in range(count):
            order, lines = self.generator.order()
            self.insert("orders", order)
            for line in lines:
                self.insert("lineitem", line)
        gone = set(rng.sample(list(self.live["orders"]), count))
        for key in [key for key in self.live["lineitem"] if key[:1] in gone]:
            self.delete("lineitem", key)
        for key in gone:
            self.delete("orders", key)
        self._update_some(rng)
        self._end()

    def _update_some(self, rng: random.Random) -> None:
        for name, share in _SHARES.items():
            keys = list(self.live[name])
            for key in rng.sample(keys, max(len(keys) // share, 8)):
                self._update(name, key, rng)
        self._swap("nation", rng.choice(("n_name", "n_regionkey")), rng)
        if rng.random() < 0.3:
            self._swap("region", "r_name", rng)

    def _update(self, name: str, key: Values, rng: random.Random) -> None:
        """Give some columns of a row the values that another row has there."""
        other = self.live[name][rng.choice(list(self.live[name]))]
        schema, row = SCHEMAS[name], list(self.live[name][key])
        for column in rng.sample(_UPDATED[name], rng.randint(1, 2)):
            row[schema.place(column)] = other[schema.place(column)]
        self.update(name, tuple(row))

    def _swap(self, name: str, column: str, rng: random.Random) -> None:
        """Exchange a column of two rows."""
        place = SCHEMAS[name].place(column)
        one, other = (list(self.live[name][key]) for key in rng.sample(list(self.live[name]), 2))
        one[place], other[place] = other[place], one[place]
        self.update(name, tuple(one))
        self.update(name, tuple(other))

    def insert(self, name: str, row: Values) -> None:
        self.live[name][_key(name, row)] = row
        self.changes[name].append(("+I", *row))

    def delete(self, name: str, key: Values) -> None:
        self.changes[name].append(("-D", *self.live[name].pop(key)))

    def update(self, name: str, row: Values) -> None:
        before = self.live[name][_key(name, row)]
        if row != before:
            self.live[name][_key(name, row)] = row
            self.changes[name] += [("-U", *before), ("+U", *row)]

    def _end(self) -> None:
        self.ends.append({name: len(changes) for name, changes in self.changes.items()})

    def cuts(self, sources: dict[int, str]) -> Iterator[dict[int, int]]:
        """Yield how many rows each source chain reads in the filling and in each refresh but the last.

        Args:
            sources: The table of each source chain.
        """
        before = dict.fromkeys(self.changes, 0)
        for end in self.ends[:-1]:
            yield {chain: end[name] - before[name] for chain, name in sources.items()}
            before = end


def messages(schema: Schema, changes: list[Row]) -> str:
    """Return changes as lines of debezium-json."""
    lines, before = [], None
    for kind, *values in changes:
        row = dict(zip(schema.names, values, strict=True))
        if kind == "-U":
            before = row
            continue
        old, new = {"+I": (None, row), "+U": (before, row), "-D": (row, None)}[kind]
        operation = {"+I": "c", "+U": "u", "-D": "d"}[kind]
        lines.append(json.dumps({"before": old, "after": new, "op": operation}, default=str))
    return "".join(f"{line}\n" for line in lines)


def _key(name: str, row: Values) -> Values:
    return row[: SCHEMAS[name].key]
