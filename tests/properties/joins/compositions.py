"""Random queries of wider kinds: ranks, limits, sets, UNNEST, LATERAL, WITH, NATURAL, over and below joins.

Each kind is a relation, so it stands wherever a table may: in FROM, in an input of a join, in a sub-query.
Rows are ranked by all of their columns, so rows of equal rank are equal, and batch and stream must agree.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from tests.properties.joins.histories import COLUMNS
from tests.properties.joins.queries import Column, Drawing, Query, columns_of

_SETS = ["INTERSECT", "EXCEPT", "INTERSECT ALL", "EXCEPT ALL", "UNION", "UNION ALL"]
_CONSTANTS = {
    "I": ["0", "1", "2", "CAST(NULL AS INT)"],
    "S": ["'x'", "'a'", "CAST(NULL AS STRING)"],
    "D": ["1.50", "CAST(NULL AS DECIMAL(8, 2))"],
}
_CALLS = [
    "COUNT(DISTINCT v)", "COUNT(*) FILTER (WHERE v > 0)", "SUM(v) FILTER (WHERE k <> 1)", "MAX(v)",
    "SUM(DISTINCT v)", "MIN(v) FILTER (WHERE g <> 'x')",
]  # fmt: skip
_KEY_SETS = ["GROUPING SETS ((g, k), (g))", "ROLLUP (g, k)", "CUBE (g, k)"]
Relation = tuple[str, dict[str, str]]
"""A query, and the kinds of its columns by name."""


def composition(rng: random.Random, tables: Sequence[str]) -> Query:
    """Draw a query over some tables."""
    return _Composition(rng, tables).query()


@dataclass
class _Composition(Drawing):
    shared: dict[str, Relation] = field(default_factory=dict)

    def query(self) -> Query:
        for number in range(self.rng.choice([0, 0, 1, 1, 2])):
            drawn = self.rng.choice([self.plain, self.ranked, self.counted, self.set_of])
            self.shared[f"q{number}"] = drawn(1)
        dice = self.rng.random()
        if dice < 0.5:
            made = super().query()
        else:
            kind = self.rng.choice([self.ranked, self.limited, self.set_of, self.collected, self.lateral])
            made = Query(kind(2)[0], ())
        shared = ", ".join(f"{name} AS ({sql})" for name, (sql, _) in self.shared.items())
        prefix = f"WITH {shared} " if shared else ""
        guards = tuple(prefix + guard for guard in self.guards)
        return Query(prefix + made.sql, guards)

    def relation(self, depth: int) -> tuple[str, list[Column]]:
        if depth <= 0 or self.rng.random() < 0.5:
            if self.shared and self.rng.random() < 0.4:
                name = self.rng.choice(list(self.shared))
                return self.aliased(name, self.shared[name][1])
            return super().relation(depth)
        kinds: list[Callable[[int], Relation]] = [
            self.ranked, self.ranked, self.limited, self.set_of, self.set_of, self.collected,
            self.values, self.lateral, self.counted, self.natural,
        ]  # fmt: skip
        sql, columns = self.rng.choice(kinds)(depth - 1)
        return self.aliased(f"({sql})", columns)

    def aliased(self, source: str, columns: dict[str, str]) -> tuple[str, list[Column]]:
        self.aliases += 1
        alias = f"t{self.aliases}"
        return f"{source} AS {alias}", columns_of(alias, columns)

    # --- relations -------------------------------------------------------------------------------
    def plain(self, depth: int, names: Sequence[str] = ()) -> Relation:
        """SELECT columns FROM a join. names: of the columns, drawn if there are none."""
        source, scope = self.joined(self.rng.choice([1, 1, 2]), depth)
        by_name: dict[str, list[Column]] = {}
        for column in scope:
            by_name.setdefault(column.name, []).append(column)
        picked = list(names) or self.rng.sample(list(by_name), min(len(by_name), self.rng.randint(1, 4)))
        items, kinds = [], {}
        for name in picked:
            kind = COLUMNS[name].kind if names or name in COLUMNS else by_name[name][0].kind
            fitting = [c for c in by_name.get(name, scope) if c.kind == kind] or [
                c for c in scope if c.kind == kind
            ]
            text = self.rng.choice(fitting).text if fitting else self.rng.choice(_CONSTANTS[kind])
            items.append(f"{text} AS {name}")
            kinds[name] = kind
        where = f" WHERE {self.condition(scope, depth)}" if self.rng.random() < 0.4 else ""
        return f"SELECT {', '.join(items)} FROM {source}{where}", kinds

    def ranked(self, depth: int) -> Relation:
        """Top-N of a query, with the number or without."""
        inner, kinds = self.plain(depth)
        names = list(kinds)
        keys = self.rng.sample(names, self.rng.choice([0, 1, 1, min(2, len(names))]))
        by = f"PARTITION BY {', '.join(keys)} " if keys else ""
        number = f"ROW_NUMBER() OVER ({by}ORDER BY {self.order(names)})"
        first = self.rng.randint(1, 4)
        bound = self.rng.choice(
            [f"rn <= {first}", f"rn <= {first}", "rn = 1", "rn < 3", f"rn = {first}",
             f"rn BETWEEN {first} AND {first + 2}", f"rn >= 2 AND rn <= {first + 1}"]
        )  # fmt: skip
        if self.rng.random() < 0.3:
            return f"SELECT {', '.join(names)} FROM ({inner}) QUALIFY {bound.replace('rn', number)}", kinds
        listed = ", ".join(names)
        if "n" not in kinds and self.rng.random() < 0.5:
            kinds, listed = {**kinds, "n": "I"}, f"{listed}, rn AS n"
        return f"SELECT {listed} FROM (SELECT *, {number} AS rn FROM ({inner})) WHERE {bound}", kinds

    def limited(self, depth: int) -> Relation:
        inner, kinds = self.plain(depth)
        rows, skipped = self.rng.randint(0, 6), self.rng.randint(0, 3)
        limit = self.rng.choice(
            [f"LIMIT {rows}", f"LIMIT {rows} OFFSET {skipped}", f"FETCH FIRST {rows} ROWS ONLY"]
        )
        return f"SELECT {', '.join(kinds)} FROM ({inner}) ORDER BY {self.order(list(kinds))} {limit}", kinds

    def order(self, names: Sequence[str]) -> str:
        """All columns in some order, with NULLs as in Flink."""
        drawn = self.rng.sample(list(names), len(names))
        ways = ["<<|ASC NULLS FIRST>>", "<<ASC|ASC NULLS FIRST>>", "<<DESC|DESC NULLS LAST>>"]
        return ", ".join(f"{name} {self.rng.choice(ways)}" for name in drawn)

    def set_of(self, depth: int) -> Relation:
        sql, kinds = self.plain(depth, self.rng.sample(list(COLUMNS), self.rng.randint(1, 3)))
        for _ in range(self.rng.choice([1, 1, 2])):
            sql = f"({sql}) {self.rng.choice(_SETS)} ({self.plain(depth, list(kinds))[0]})"
        return f"SELECT * FROM ({sql})", kinds

    def collected(self, depth: int) -> Relation:
        """UNNEST of an array of columns, or of the values of each group."""
        self.aliases += 1
        alias = f"u{self.aliases}"
        if self.rng.random() < 0.4:
            inner, _ = self.plain(depth, ["k", "v"])
            array, kinds = "b.xs", {"k": "I", "v": "I"}
            source = f"(SELECT k, ARRAY_AGG(v) AS xs FROM ({inner}) WHERE v IS NOT NULL GROUP BY k)"
        else:
            inner, kinds = self.plain(depth, ["g", "k", "v"])
            array, source = "<<ARRAY[b.k, b.v, 7]|[b.k, b.v, 7]>>", f"({inner})"
        listed = ", ".join(f"b.{name} AS {name}" for name in kinds if name != "v")
        unnested = f"{source} AS b CROSS JOIN UNNEST({array}) AS {alias} (e)"
        return f"SELECT {listed}, {alias}.e AS v FROM {unnested}", kinds

    def values(self, depth: int) -> Relation:
        names = self.rng.sample(["k", "g", "v"], self.rng.randint(1, 3))
        rows = [
            ", ".join(self.rng.choice(_CONSTANTS[COLUMNS[name].kind]) for name in names)
            for _ in range(self.rng.randint(1, 4))
        ]
        self.aliases += 1
        listed = ", ".join(f"({row})" for row in rows)
        sql = f"SELECT * FROM (VALUES {listed}) AS w{self.aliases} ({', '.join(names)})"
        return sql, {name: COLUMNS[name].kind for name in names}

    def lateral(self, depth: int) -> Relation:
        """The rows of a table for each row of a query, or its first rows for each of its own keys."""
        key, table = self.rng.choice(["k", "n", "g"]), self.rng.choice(self.tables)
        # Flink takes a limit only for distinct keys of the same table, and omits DISTINCT of a primary key
        is_limited = key != "k" and self.rng.random() < 0.6
        if is_limited:
            outer, kinds = f"SELECT DISTINCT {key} FROM {table}", {key: COLUMNS[key].kind}
        else:
            outer, kinds = self.plain(depth)
        fitting = [name for name, kind in kinds.items() if kind == COLUMNS[key].kind]
        if not fitting:
            return outer, kinds
        self.aliases += 2
        a, b = f"a{self.aliases}", f"b{self.aliases}"
        (column,) = self.rng.sample([name for name in COLUMNS if name not in kinds], 1)
        equal = "<<=|IS NOT DISTINCT FROM>>" if is_limited else "="  # as a rank NULL keys have rows, too
        inner = f"SELECT {column} FROM {table} WHERE {key} {equal} {a}.{self.rng.choice(fitting)}"
        join = ", LATERAL ({}) AS {}"
        if is_limited:
            inner += f" ORDER BY {self.order([column])} LIMIT {self.rng.randint(1, 3)}"
        elif self.rng.random() < 0.5:
            join = " LEFT JOIN LATERAL ({}) AS {} ON TRUE"
        listed = ", ".join([*(f"{a}.{name} AS {name}" for name in kinds), f"{b}.{column} AS {column}"])
        sql = f"SELECT {listed} FROM ({outer}) AS {a}{join.format(inner, b)}"
        return sql, {**kinds, column: COLUMNS[column].kind}

    def counted(self, depth: int) -> Relation:
        """An aggregate with DISTINCT and FILTER, by keys or by sets of keys."""
        inner, _ = self.plain(depth, ["g", "k", "v"])
        call = self.rng.choice(_CALLS)
        keys = self.rng.choice(["g, k", "g, k", *_KEY_SETS])
        if keys.startswith(("ROLLUP", "CUBE")):
            self.guards.append(f"SELECT 1 FROM ({inner}) LIMIT 1")
        where = self.rng.choice(["", " HAVING COUNT(*) > 1", " HAVING MAX(v) > 0"])
        sql = f"SELECT g, k, {call} AS v FROM ({inner}) GROUP BY {keys}{where}"
        return sql, {"g": "S", "k": "I", "v": "I"}

    def natural(self, depth: int) -> Relation:
        join = self.rng.choice(["JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN"])
        self.aliases += 2
        a, b = f"a{self.aliases}", f"b{self.aliases}"
        left = f"({self.plain(depth, ['g', 'k'])[0]}) AS {a}"
        if self.rng.random() < 0.5:
            sql = f"SELECT * FROM {left} NATURAL {join} ({self.plain(depth, ['k', 'v'])[0]}) AS {b}"
        else:
            right, _ = self.plain(depth, ["k", "g", "v"])
            sql = f"SELECT k, g, v FROM {left} {join} ({right}) AS {b} USING (k, g)"
        return sql, {"k": "I", "g": "S", "v": "I"}
