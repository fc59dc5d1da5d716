"""Syntax tree of queries: immutable nodes with their position, over the expressions of syntax.py."""

from __future__ import annotations

from dataclasses import dataclass

from firesteel.sql.syntax import Call, Identifier, Node, OrderItem, OverWindow, Subquery


@dataclass(frozen=True)
class Hint(Node):
    """Hint with its (key, value) pairs. A value without a key has the key ""."""

    name: Identifier
    options: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Aliased(Node):
    """Column, table or subquery with an alias. A table may have column aliases."""

    value: Node
    alias: Identifier
    columns: tuple[Identifier, ...] = ()


@dataclass(frozen=True)
class NamedWindow(Node):
    """Entry of the WINDOW clause."""

    name: Identifier
    window: OverWindow


@dataclass(frozen=True)
class GroupingSets(Node):
    """GROUPING SETS, ROLLUP or CUBE, as `kind` says."""

    kind: str
    items: tuple[Node, ...]


@dataclass(frozen=True)
class Row(Node):
    """Row of VALUES, with a node for each value.

    In GROUP BY, a Row without items stands for `()`, the empty grouping set.
    """

    items: tuple[Node, ...]


@dataclass(frozen=True)
class Select(Node):
    """SELECT. `source` is the FROM clause: a TableName, Subquery, Aliased, Join or similar.

    `source` is None if there is no FROM clause.
    """

    items: tuple[Node, ...]
    source: Node | None = None
    hints: tuple[Hint, ...] = ()
    distinct: bool = False
    where: Node | None = None
    group: tuple[Node, ...] = ()
    group_distinct: bool = False
    having: Node | None = None
    windows: tuple[NamedWindow, ...] = ()
    qualify: Node | None = None


@dataclass(frozen=True)
class SetOperation(Node):
    """UNION, EXCEPT or INTERSECT, as `operator` says."""

    operator: str
    left: Node
    right: Node
    distinct: bool


@dataclass(frozen=True)
class ValuesRows(Node):
    """VALUES (..), (..)."""

    rows: tuple[Row, ...]


@dataclass(frozen=True)
class CommonTable(Node):
    """Table of a WITH clause."""

    name: Identifier
    subquery: Subquery
    columns: tuple[Identifier, ...] = ()


@dataclass(frozen=True)
class WithQuery(Node):
    """A query with common table expressions (WITH)."""

    tables: tuple[CommonTable, ...]
    query: Node


@dataclass(frozen=True)
class Ordered(Node):
    """Query with ORDER BY, OFFSET or LIMIT."""

    query: Node
    order: tuple[OrderItem, ...] = ()
    offset: Node | None = None
    fetch: Node | None = None


@dataclass(frozen=True)
class TableName(Node):
    """Name of a table, with its hints."""

    path: tuple[str, ...]
    hints: tuple[Hint, ...] = ()


@dataclass(frozen=True)
class SystemTime(Node):
    """Table FOR SYSTEM_TIME AS OF a point in time."""

    table: TableName
    moment: Node


@dataclass(frozen=True)
class LateralTable(Node):
    """[LATERAL] TABLE(f(..)), or a table function named without TABLE."""

    call: Call
    lateral: bool = False


@dataclass(frozen=True)
class Unnest(Node):
    """UNNEST(collection) [WITH ORDINALITY]."""

    collections: tuple[Node, ...]
    ordinality: bool = False


@dataclass(frozen=True)
class Lateral(Node):
    """LATERAL (query): a query in FROM that may read columns of the tables before it."""

    subquery: Subquery


@dataclass(frozen=True)
class TableArgument(Node):
    """TABLE t [PARTITION BY ..] [ORDER BY ..] as an argument. `table` is a TableName or a Subquery."""

    table: Node
    partition: tuple[Node, ...] = ()
    order: tuple[OrderItem, ...] = ()


@dataclass(frozen=True)
class Join(Node):
    """Join of two tables. `kind` is COMMA, INNER, LEFT, RIGHT, FULL or CROSS."""

    left: Node
    right: Node
    kind: str
    natural: bool = False
    on: Node | None = None
    using: tuple[Identifier, ...] = ()
