"""Queries as parsed: frozen nodes that know where they were written, over the expressions of syntax.py."""

from __future__ import annotations

from dataclasses import dataclass

from firesteel.sql.syntax import Call, Identifier, Node, OrderItem, OverWindow, Subquery


@dataclass(frozen=True)
class Hint(Node):
    """A hint: its name and its (key, value) pairs; the key of a bare word is empty."""

    name: Identifier
    options: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Aliased(Node):
    """A column, table or subquery under another name, a table perhaps with new column names."""

    value: Node
    alias: Identifier
    columns: tuple[Identifier, ...] = ()


@dataclass(frozen=True)
class NamedWindow(Node):
    """An entry of WINDOW."""

    name: Identifier
    window: OverWindow


@dataclass(frozen=True)
class GroupingSets(Node):
    """kind: GROUPING SETS, ROLLUP or CUBE."""

    kind: str
    items: tuple[Node, ...]


@dataclass(frozen=True)
class Row(Node):
    """The values of one row of VALUES; without any, the empty grouping set."""

    items: tuple[Node, ...]


@dataclass(frozen=True)
class Select(Node):
    """SELECT; source: what FROM says, a TableName, Subquery, Aliased, Join, ..."""

    items: tuple[Node, ...]
    source: Node | None = None
    hints: tuple[Hint, ...] = ()
    distinct: bool = False
    where: Node | None = None
    group: tuple[Node, ...] = ()
    group_distinct: bool = False
    having: Node | None = None
    windows: tuple[NamedWindow, ...] = ()


@dataclass(frozen=True)
class SetOperation(Node):
    """operator: UNION, EXCEPT or INTERSECT."""

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
    """A table of WITH."""

    name: Identifier
    subquery: Subquery
    columns: tuple[Identifier, ...] = ()


@dataclass(frozen=True)
class WithQuery(Node):
    tables: tuple[CommonTable, ...]
    query: Node


@dataclass(frozen=True)
class Ordered(Node):
    """A query with ORDER BY, OFFSET or LIMIT."""

    query: Node
    order: tuple[OrderItem, ...] = ()
    offset: Node | None = None
    fetch: Node | None = None


@dataclass(frozen=True)
class TableName(Node):
    """A table's name, with its hints."""

    path: tuple[str, ...]
    hints: tuple[Hint, ...] = ()


@dataclass(frozen=True)
class SystemTime(Node):
    """A table FOR SYSTEM_TIME AS OF a moment."""

    table: TableName
    moment: Node


@dataclass(frozen=True)
class LateralTable(Node):
    """[LATERAL] TABLE(f(..)), or a table function named without TABLE."""

    call: Call
    lateral: bool = False


@dataclass(frozen=True)
class TableArgument(Node):
    """TABLE t [PARTITION BY ..] [ORDER BY ..] as an argument; table: a TableName or a Subquery."""

    table: Node
    partition: tuple[Node, ...] = ()
    order: tuple[OrderItem, ...] = ()


@dataclass(frozen=True)
class Join(Node):
    """kind: COMMA, INNER, LEFT, RIGHT, FULL or CROSS."""

    left: Node
    right: Node
    kind: str
    natural: bool = False
    on: Node | None = None
    using: tuple[Identifier, ...] = ()
