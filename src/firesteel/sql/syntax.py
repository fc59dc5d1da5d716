"""Expressions as parsed: frozen nodes that know where they were written. Queries are in query_syntax.py.

A tree holds what the text says and nothing else: no names are looked up, nothing is rewritten. Nodes are made
by the grammar, which gives each its range right away (`placed`).

    SQL                               node
    a   t.a   t.a.b                   Column
    f(x).a   a[1].b                   FieldAccess
    x[i]                              ElementAccess
    1   1.50   2e0                    NumberLiteral, the text as written
    'it''s'   U&'\\00e9'   _UTF8'a'   StringLiteral, escapes undone
    + - * / %  ||  = <> < <= > >=     Binary; IS [NOT] DISTINCT FROM, AND and OR, two operands each, too
    -x   +x   NOT x                   Unary; `x NOT LIKE p` is NOT over the Like, and begins where that does
    CURRENT_DATE and the like         Call(bare=True)
    ROW(a, b)   (a, b)                Call('ROW')
    ARRAY[a, b]   MAP[k, v, ..]       Call('ARRAY')   Call('MAP')
    ARRAY(query) MAP(..) MULTISET(.)  Call('ARRAY', (Subquery,))
    EXTRACT(YEAR FROM x)              Call('EXTRACT', (x,), options=('YEAR',))
    FLOOR(x TO HOUR)   CEIL(..)       Call('FLOOR', (x,), options=('HOUR',))
    TIMESTAMPADD(DAY, n, x), ..DIFF   Call('TIMESTAMPADD', (n, x), options=('DAY',))
    POSITION(x IN y [FROM z])         Call('POSITION', (x, y[, z]))
    TRIM([[side] c FROM] x)           Call('TRIM', (c, x), options=('BOTH',) or LEADING, TRAILING); c is ' '
                                        where it is left out
    SUBSTRING(x FROM i [FOR n])       Call('SUBSTRING', (x, i[, n])), as with commas
    OVERLAY(x PLACING y FROM i ..)    Call('OVERLAY', (x, y, i[, n]))
    CONVERT, TRANSLATE (x USING c)    Call('TRANSLATE', (x,), options=('USING', 'c'))
    JSON_OBJECT([KEY] k VALUE v, ..)  Call('JSON_OBJECT', (k, v, ..)); JSON_OBJECTAGG too
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from typing import TypeVar

from firesteel.errors import SourceRange
from firesteel.types.sql import SqlType

N = TypeVar("N", bound="Node")

NOWHERE = SourceRange(0, 0)
"""The range of a node that no text stands for."""


@dataclass(frozen=True)
class Node:
    """range: where it was written; two nodes that say the same in two places are equal."""

    range: SourceRange = field(default=NOWHERE, kw_only=True, compare=False, repr=False)


def placed(node: N, range: SourceRange) -> N:
    """The node, which was just made, knowing its place."""
    object.__setattr__(node, "range", range)
    return node


def walk(node: Node) -> Iterator[Node]:
    """The node and all below it, in the order of their fields, each before what is below it."""
    stack = [node]
    while stack:
        part = stack.pop()
        yield part
        below: list[Node] = []
        for name in _field_names(type(part)):
            value = getattr(part, name)
            if isinstance(value, Node):
                below.append(value)
            elif isinstance(value, tuple):
                below += [item for item in value if isinstance(item, Node)]
        stack += reversed(below)


_FIELD_NAMES: dict[type[Node], tuple[str, ...]] = {}


def _field_names(kind: type[Node]) -> tuple[str, ...]:
    if kind not in _FIELD_NAMES:
        _FIELD_NAMES[kind] = tuple(f.name for f in fields(kind) if f.name != "range")
    return _FIELD_NAMES[kind]


@dataclass(frozen=True)
class Identifier(Node):
    """A name without its quotes."""

    name: str
    quoted: bool = False


@dataclass(frozen=True)
class Column(Node):
    """A column, or a field of one, by a name of one or more parts. path: `t.a` is ('t', 'a')."""

    path: tuple[str, ...]


@dataclass(frozen=True)
class Star(Node):
    """`*` or `t.*`; path: the names before the star."""

    path: tuple[str, ...] = ()


@dataclass(frozen=True)
class FieldAccess(Node):
    operand: Node
    field: Identifier


@dataclass(frozen=True)
class ElementAccess(Node):
    operand: Node
    index: Node


@dataclass(frozen=True)
class NumberLiteral(Node):
    text: str


@dataclass(frozen=True)
class StringLiteral(Node):
    text: str


@dataclass(frozen=True)
class BinaryLiteral(Node):
    """X'4869'; text: the hexadecimal digits."""

    text: str


@dataclass(frozen=True)
class BooleanLiteral(Node):
    """value: None for UNKNOWN."""

    value: bool | None


@dataclass(frozen=True)
class NullLiteral(Node):
    pass


@dataclass(frozen=True)
class DateTimeLiteral(Node):
    """`DATE '2026-01-01'` and the like; kind: DATE, TIME, TIMESTAMP or TIMESTAMP_LTZ."""

    text: str
    kind: str


@dataclass(frozen=True)
class IntervalLiteral(Node):
    """`INTERVAL -'1 2' DAY(3) TO HOUR`; unit: as written."""

    text: str
    unit: str
    negative: bool = False


@dataclass(frozen=True)
class IntervalOf(Node):
    """`INTERVAL (n + 1) DAY`: a number of units."""

    count: Node
    unit: str


@dataclass(frozen=True)
class IntervalBetween(Node):
    """`(a - b) DAY TO SECOND`: the interval between two points in time."""

    left: Node
    right: Node
    unit: str


@dataclass(frozen=True)
class Binary(Node):
    operator: str
    left: Node
    right: Node


@dataclass(frozen=True)
class Unary(Node):
    operator: str
    operand: Node


@dataclass(frozen=True)
class IsTest(Node):
    """`x IS [NOT] NULL`; test: NULL, TRUE, FALSE, UNKNOWN, or JSON with VALUE, SCALAR, OBJECT or ARRAY."""

    operand: Node
    test: str
    negated: bool = False


@dataclass(frozen=True)
class Between(Node):
    operand: Node
    low: Node
    high: Node
    symmetric: bool = False


@dataclass(frozen=True)
class In(Node):
    """`x IN (a, b)`, or `x IN (query)`."""

    operand: Node
    items: tuple[Node, ...] = ()
    query: Subquery | None = None


@dataclass(frozen=True)
class Quantified(Node):
    """`x = ANY (a, b)`, or `x = ANY (query)`; quantifier: ANY, SOME or ALL."""

    operand: Node
    operator: str
    quantifier: str
    items: tuple[Node, ...] = ()
    query: Subquery | None = None


@dataclass(frozen=True)
class Like(Node):
    """`x LIKE p ESCAPE e`, or SIMILAR TO."""

    operand: Node
    pattern: Node
    escape: Node | None = None
    similar: bool = False


@dataclass(frozen=True)
class Overlaps(Node):
    """`(a, b) OVERLAPS (c, d)`; both are ROW calls."""

    left: Node
    right: Node


@dataclass(frozen=True)
class Subquery(Node):
    """A query in parentheses."""

    query: Node


@dataclass(frozen=True)
class Exists(Node):
    subquery: Subquery


@dataclass(frozen=True)
class When(Node):
    """A branch of CASE; tests: several only where CASE has a subject, `WHEN 1, 2 THEN`."""

    tests: tuple[Node, ...]
    result: Node


@dataclass(frozen=True)
class Case(Node):
    subject: Node | None
    branches: tuple[When, ...]
    default: Node | None = None


@dataclass(frozen=True)
class TypeName(Node):
    """A type as written in CAST, RETURNING or DDL."""

    sql_type: SqlType


@dataclass(frozen=True)
class Cast(Node):
    """CAST; safe: TRY_CAST."""

    operand: Node
    type: TypeName
    safe: bool = False


@dataclass(frozen=True)
class NamedArgument(Node):
    """`name => value` among a call's arguments."""

    name: Identifier
    value: Node


@dataclass(frozen=True)
class OrderItem(Node):
    """An item of ORDER BY; nulls_first: None where nothing is said."""

    value: Node
    descending: bool = False
    nulls_first: bool | None = None


@dataclass(frozen=True)
class FrameBound(Node):
    """side: CURRENT ROW, PRECEDING or FOLLOWING; size: None for UNBOUNDED."""

    side: str
    size: Node | None = None


@dataclass(frozen=True)
class OverWindow(Node):
    """The definition of a window; unit: ROWS or RANGE."""

    base: Identifier | None = None
    partition: tuple[Node, ...] = ()
    order: tuple[OrderItem, ...] = ()
    unit: str | None = None
    lower: FrameBound | None = None
    upper: FrameBound | None = None


@dataclass(frozen=True)
class JsonClauses(Node):
    """What an SQL/JSON call says besides its arguments.

    on_error: of JSON_EXISTS and JSON_QUERY. on_empty, wrapper (WITHOUT, CONDITIONAL, UNCONDITIONAL): of
    JSON_QUERY. clauses: of JSON_VALUE, ('DEFAULT', 'ON EMPTY', 'NULL', 'ON ERROR'), and the values of its
    DEFAULTs. on_null: NULL or ABSENT, of the constructors.
    """

    returning: TypeName | None = None
    wrapper: str | None = None
    on_empty: str | None = None
    on_error: str | None = None
    on_null: str | None = None
    clauses: tuple[str, ...] = ()
    defaults: tuple[Node, ...] = ()


@dataclass(frozen=True)
class Call(Node):
    """A call; name: as written. star: COUNT(*). nulls: IGNORE or RESPECT. bare: without parentheses."""

    name: str
    args: tuple[Node, ...] = ()
    options: tuple[str, ...] = ()
    star: bool = False
    distinct: bool = False
    bare: bool = False
    nulls: str | None = None
    order: tuple[OrderItem, ...] = ()
    filter: Node | None = None
    over: OverWindow | Identifier | None = None
    json: JsonClauses = JsonClauses()
