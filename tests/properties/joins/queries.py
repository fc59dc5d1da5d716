"""Random queries: joins of all types and sub-queries, with aggregates above and below.

A query is text that Flink and DuckDB read alike; where they do not, it holds `<<Flink|DuckDB>>`.

What streams differently from batch by design is left out by **guards**: queries that must have a row for the
answers to be comparable. An aggregate without keys over no rows sends no row in a stream, so a query of one
value over no rows is NULL rather than 0, `x IN (no rows)` below an OR or in SELECT joins no row, and
`x > ALL (no rows)` answers nothing.
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from tests.properties.joins.histories import COLUMNS

_JOINS = ["JOIN", "JOIN", "LEFT JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN"]
_COMPARISONS = ["=", "<>", "<", "<=", ">", ">="]
_ONLY_FLINK = re.compile(r"<<(.*?)\|(.*?)>>")
_LITERALS = {"I": ["0", "1", "3", "-2"], "S": ["'x'", "'a'", "''", "'b'"], "D": ["0.00", "1.50", "-3.25"]}


@dataclass(frozen=True)
class Column:
    """A column in scope: its text with the table's alias, its name, and its kind (histories.py)."""

    text: str
    name: str
    kind: str


@dataclass(frozen=True)
class Query:
    """A query. guards: queries over DuckDB that must have a row for the answer to be that of batch."""

    sql: str
    guards: tuple[str, ...]

    @property
    def flink(self) -> str:
        return _ONLY_FLINK.sub(r"\1", self.sql)

    @property
    def duck(self) -> str:
        return _ONLY_FLINK.sub(r"\2", self.sql)

    @property
    def duck_guards(self) -> list[str]:
        return [_ONLY_FLINK.sub(r"\2", guard) for guard in self.guards]


def query(rng: random.Random, tables: Sequence[str]) -> Query:
    """Draw a query over some tables."""
    return Drawing(rng, tables).query()


def partitioned(rng: random.Random, tables: Sequence[str]) -> tuple[str, str, tuple[str, ...]]:
    """Draw a query without WHERE, a condition over its rows, and guards."""
    drawing = Drawing(rng, tables)
    source, scope = drawing.joined(rng.choice([1, 2, 2, 3]), 1)
    columns = ", ".join(f"{rng.choice(scope).text} AS c{i}" for i in range(rng.randint(1, 3)))
    if rng.random() < 0.55:
        condition = drawing.sub_query(scope, 1, value=True)
    else:
        condition = drawing.simple(scope)
    if rng.random() < 0.3:
        condition = f"{condition} {rng.choice(['AND', 'OR'])} {drawing.simple(scope)}"
    return f"SELECT {columns} FROM {source}", condition, tuple(drawing.guards)


@dataclass
class Drawing:
    rng: random.Random
    tables: Sequence[str]
    guards: list[str] = field(default_factory=list)
    aliases: int = 0

    # --- queries ---------------------------------------------------------------------------------
    def query(self) -> Query:
        width = self.rng.choice([1, 2, 2, 2, 3, 3, 4])
        source, scope = self.joined(width, 2)
        if width == 1 or self.rng.random() < 0.45:
            source += f" WHERE {self.condition(scope, 2)}"
        dice = self.rng.random()
        if dice < 0.3:
            sql = self.grouped(source, scope)
        elif dice < 0.36:
            self.guards.append(f"SELECT 1 FROM {source} LIMIT 1")
            sql = f"SELECT {', '.join(self.call(scope) for _ in range(2))} FROM {source}"
        else:
            sql = f"SELECT {'DISTINCT ' * (dice < 0.45)}{self.selected(scope)} FROM {source}"
        return Query(sql, tuple(self.guards))

    def grouped(self, source: str, scope: Sequence[Column]) -> str:
        keys = self.rng.sample(list(scope), self.rng.choice([1, 1, 2]))
        listed = ", ".join(dict.fromkeys(key.text for key in keys))
        calls = ", ".join(self.call(scope) for _ in range(self.rng.randint(1, 2)))
        having = ""
        if self.rng.random() < 0.3:
            having = f" HAVING {self.call(scope, numbers=True)} > {self.having_value()}"
        return f"SELECT {listed}, {calls} FROM {source} GROUP BY {listed}{having}"

    def having_value(self) -> str:
        return self.scalar((), "I", 0) if self.rng.random() < 0.4 else self.rng.choice(["0", "1", "2"])

    def selected(self, scope: Sequence[Column]) -> str:
        items = [self.value(scope) for _ in range(self.rng.randint(1, 4))]
        if self.rng.random() < 0.2:
            items.append(self.rng.choice([self.in_query, self.exists])(scope, 1, True))
        if self.rng.random() < 0.2:
            items.append(self.scalar(scope, "I", 1))
        return ", ".join(f"{item} AS c{i}" for i, item in enumerate(items))

    def value(self, scope: Sequence[Column]) -> str:
        one, other = self.rng.choice(scope), self.rng.choice(scope)
        dice = self.rng.random()
        if dice < 0.75 or one.kind != other.kind:
            return one.text
        if dice < 0.85:
            return f"COALESCE({one.text}, {other.text})"
        if one.kind == "S":
            return f"{one.text} || '/' || {other.text}"
        return f"{one.text} + {other.text}"

    def call(self, scope: Sequence[Column], numbers: bool = False) -> str:
        column = self.rng.choice(scope)
        if column.kind == "S":
            choices = ["COUNT({})", "COUNT(DISTINCT {})"] + ["MAX({})", "MIN({})"] * (not numbers)
        else:
            choices = ["SUM({})", "COUNT({})", "MAX({})", "MIN({})", "COUNT(DISTINCT {})", "COUNT(*)"]
        return self.rng.choice(choices).format(column.text)

    # --- FROM ------------------------------------------------------------------------------------
    def joined(self, width: int, depth: int) -> tuple[str, list[Column]]:
        source, scope = self.relation(depth)
        for _ in range(width - 1):
            other, columns = self.relation(depth)
            dice = self.rng.random()
            shared = _shared(scope, columns)
            if dice < 0.06:
                source += f" CROSS JOIN {other}"
            elif dice < 0.14 and shared:
                name = self.rng.choice(shared)
                source += f" {self.rng.choice(_JOINS)} {other} USING ({name})"
                both = [c for c in (*scope, *columns) if c.name == name]
                merged = Column(f"COALESCE({both[0].text}, {both[1].text})", name, both[0].kind)
                scope = [c for c in (*scope, *columns) if c.name != name]
                scope.append(merged)
                continue
            else:
                condition = self.on(scope, columns)
                source += f" {self.rng.choice(_JOINS)} {other} ON {condition}"
            scope = [*scope, *columns]
        return source, scope

    def relation(self, depth: int) -> tuple[str, list[Column]]:
        self.aliases += 1
        alias = f"t{self.aliases}"
        dice = self.rng.random()
        if depth <= 0 or dice < 0.6:
            whole = {name: each.kind for name, each in COLUMNS.items()}
            return f"{self.rng.choice(self.tables)} AS {alias}", columns_of(alias, whole)
        inner, scope = self.joined(2 if dice > 0.93 else 1, depth - 1)
        where = f" WHERE {self.condition(scope, depth - 1)}" if self.rng.random() < 0.4 else ""
        by_name = {column.name: column for column in scope}
        names = list(by_name)
        if dice < 0.75:
            key = self.rng.choice(names)
            kinds = {key: by_name[key].kind, "v" if key != "v" else "n": "I"}
            sql = (
                f"SELECT {by_name[key].text} AS {key}, {self.call(scope, True)} AS {list(kinds)[1]} "
                f"FROM {inner}{where} GROUP BY {by_name[key].text}"
            )
        else:
            picked = self.rng.sample(names, min(len(names), self.rng.randint(2, 4)))
            kinds = {name: by_name[name].kind for name in picked}
            listed = ", ".join(f"{by_name[name].text} AS {name}" for name in picked)
            sql = f"SELECT {'DISTINCT ' * (dice < 0.82)}{listed} FROM {inner}{where}"
            if 0.82 <= dice < 0.88:
                plain = ", ".join(picked)
                sql += f" UNION ALL SELECT {plain} FROM {self.rng.choice(self.tables)}"
                if any(kinds[name] != COLUMNS[name].kind for name in picked):
                    sql = sql.partition(" UNION ALL")[0]
        return f"({sql}) AS {alias}", columns_of(alias, kinds)

    def on(self, left: Sequence[Column], right: Sequence[Column]) -> str:
        dice = self.rng.random()
        terms = []
        if dice < 0.88:
            terms += [self.equality(left, right) for _ in range(self.rng.choice([1, 1, 1, 2]))]
        if dice >= 0.88 or self.rng.random() < 0.35:
            both = [*left, *right]
            other = [self.compared(left, right), self.compared(both, both), self.simple(both)]
            terms.append(self.rng.choice(other))
        if self.rng.random() < 0.08:
            terms.append(f"({self.compared(left, right)} OR {self.simple([*left, *right])})")
        if self.rng.random() < 0.07:
            terms.append(self.sub_query(self.rng.choice([left, right, [*left, *right]]), 0, value=True))
        return " AND ".join(terms)

    def equality(self, left: Sequence[Column], right: Sequence[Column]) -> str:
        one, other = self.alike(left, right)
        dice = self.rng.random()
        if dice < 0.08:
            return f"{one.text} IS NOT DISTINCT FROM {other.text}"
        if dice < 0.14 and one.kind == "I":
            return f"{one.text} + 1 = {other.text}"
        return f"{one.text} = {other.text}" if dice < 0.7 else f"{other.text} = {one.text}"

    def alike(self, left: Sequence[Column], right: Sequence[Column]) -> tuple[Column, Column]:
        """One column of each side, of one kind; most often of one name."""
        pairs = [(a, b) for a in left for b in right if a.kind == b.kind]
        if not pairs:
            one = self.rng.choice(left)
            return one, Column("CAST(NULL AS INT)" if one.kind != "S" else "'x'", "", one.kind)
        close = [pair for pair in pairs if pair[0].name == pair[1].name]
        return self.rng.choice(close if close and self.rng.random() < 0.7 else pairs)

    # --- conditions ------------------------------------------------------------------------------
    def condition(self, scope: Sequence[Column], depth: int) -> str:
        dice = self.rng.random()
        if depth > 0 and dice < 0.35:
            return self.sub_query(scope, depth - 1)
        if depth > 0 and dice < 0.5:
            word = self.rng.choice(["AND", "AND", "OR"])
            value = word == "OR"
            one = self.sub_query(scope, depth - 1, value) if self.rng.random() < 0.3 else self.simple(scope)
            both = self.condition(scope, depth - 1) if word == "AND" else self.simple(scope)
            return f"({one} {word} {both})"
        return self.simple(scope)

    def simple(self, scope: Sequence[Column]) -> str:
        column = self.rng.choice(scope)
        dice = self.rng.random()
        if dice < 0.15:
            return f"{column.text} IS {self.rng.choice(['', 'NOT '])}NULL"
        if dice < 0.5:
            return f"{column.text} {self.rng.choice(_COMPARISONS)} {self.rng.choice(_LITERALS[column.kind])}"
        if dice < 0.6:
            return f"({self.simple(scope)} OR {self.simple(scope)})"
        if dice < 0.65:
            return f"NOT ({self.simple(scope)} AND {self.simple(scope)})"
        if dice < 0.72 and column.kind == "I":
            return f"COALESCE({column.text}, 0) > 0"
        return self.compared(scope, scope)

    def compared(self, left: Sequence[Column], right: Sequence[Column]) -> str:
        one, other = self.alike(left, right)
        return f"{one.text} {self.rng.choice(_COMPARISONS)} {other.text}"

    # --- sub-queries -----------------------------------------------------------------------------
    def sub_query(self, scope: Sequence[Column], depth: int, value: bool = False) -> str:
        """A condition with a sub-query. value: it stands where its value is read, below an OR."""
        dice = self.rng.random()
        if dice < 0.35:
            return self.in_query(scope, depth, value)
        if dice < 0.65:
            return self.exists(scope, depth, value)
        column = self.rng.choice(scope)
        if dice < 0.85:
            operator = self.rng.choice(_COMPARISONS)
            return f"{column.text} {operator} {self.scalar(scope, column.kind, depth)}"
        return self.quantified(column, depth)

    def in_query(self, scope: Sequence[Column], depth: int, value: bool = False) -> str:
        inner, columns, where = self.inner(scope, depth, value, self.rng.random() < 0.2)
        negated = "NOT " * (self.rng.random() < 0.35)
        one, other = self.alike(scope, columns)
        if not value and not negated and self.rng.random() < 0.2:
            two, more = self.alike(scope, columns)
            flink = f"({one.text}, {two.text}) IN (SELECT {other.text}, {more.text} FROM {inner}{where})"
            equal = f"{one.text} = {other.text} AND {two.text} = {more.text}"
            duck = f"EXISTS (SELECT 1 FROM {inner}{f'{where} AND' if where else ' WHERE'} {equal})"
            if "<<" not in flink:
                return f"<<{flink}|{duck}>>"
        return f"{one.text} {negated}IN (SELECT {other.text} FROM {inner}{where})"

    def exists(self, scope: Sequence[Column], depth: int, value: bool = False) -> str:
        negated = "NOT " * (self.rng.random() < 0.4)
        inner, _, where = self.inner(scope, depth, value, self.rng.random() < 0.85)
        return f"{negated}EXISTS (SELECT 1 FROM {inner}{where})"

    def inner(
        self, scope: Sequence[Column], depth: int, value: bool, correlated: bool
    ) -> tuple[str, list[Column], str]:
        """FROM, its columns and WHERE of a sub-query."""
        inner, columns = self.joined(2 if self.rng.random() < 0.15 else 1, min(depth, 1))
        terms = []
        if self.rng.random() < 0.5:
            terms.append(self.condition(columns, depth) if self.rng.random() < 0.3 else self.simple(columns))
        if correlated and scope:
            terms.append(self.equality(columns, scope))
            if self.rng.random() < 0.25:
                terms.append(self.compared(columns, scope))
        where = f" WHERE {' AND '.join(terms)}" if terms else ""
        if value and not correlated:
            self.guards.append(f"SELECT 1 FROM {inner}{where} LIMIT 1")
        return inner, columns, where

    def scalar(self, scope: Sequence[Column], kind: str, depth: int) -> str:
        correlated = bool(scope) and self.rng.random() < 0.5
        inner, columns, where = self.inner(scope, depth, True, correlated)
        fitting = [column for column in columns if column.kind == kind]
        if not fitting:
            return self.rng.choice(_LITERALS[kind])
        column = self.rng.choice(fitting)
        calls = ["MAX({})", "MIN({})"] + ["SUM({})", "COUNT({})", "COUNT(*)"] * (kind == "I")
        return f"(SELECT {self.rng.choice(calls).format(column.text)} FROM {inner}{where})"

    def quantified(self, column: Column, depth: int) -> str:
        inner, columns, where = self.inner((), depth, True, False)
        fitting = [each for each in columns if each.kind == column.kind]
        if not fitting:
            return f"{column.text} IS NOT NULL"
        word, operator = self.rng.choice(["ANY", "ALL"]), self.rng.choice(_COMPARISONS)
        return f"{column.text} {operator} {word} (SELECT {self.rng.choice(fitting).text} FROM {inner}{where})"


def columns_of(alias: str, kinds: dict[str, str]) -> list[Column]:
    return [Column(f"{alias}.{name}", name, kind) for name, kind in kinds.items()]


def _shared(left: Sequence[Column], right: Sequence[Column]) -> list[str]:
    """Names that each side has once, with one kind."""
    names = [column.name for column in left]
    return [
        column.name
        for column in right
        if names.count(column.name) == 1
        and next(each for each in left if each.name == column.name).kind == column.kind
        and column.kind == COLUMNS[column.name].kind
    ]
