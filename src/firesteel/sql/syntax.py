r"""Syntax tree of expressions: immutable nodes with their position in the text. Queries: query_syntax.py.

Names in a tree are not resolved, and expressions are not simplified. The grammar makes the nodes and sets the
range of each (`placed`).

    SQL                               node
    a   t.a   t.a.b                   Column
    f(x).a   a[1].b                   FieldAccess
    x[i]                              ElementAccess
    1   1.50   2e0                    NumberLiteral, the text as written
    'it''s'   U&'\\00e9'   _UTF8'a'   StringLiteral, escapes undone
    + - * / %  ||  = <> < <= > >=     Binary; also IS [NOT] DISTINCT FROM, AND and OR of two operands
    -x   +x   NOT x                   Unary; `x NOT LIKE p` is Unary('NOT', Like), and both begin at x
    CURRENT_DATE and similar          Call(bare=True)
    ROW(a, b)   (a, b)                Call('ROW')
    ARRAY[a, b]   MAP[k, v, ..]       Call('ARRAY')   Call('MAP')
    ARRAY(query) MAP(..) MULTISET(.)  Call('ARRAY', (Subquery,))
    EXTRACT(YEAR FROM x)              Call('EXTRACT', (x,), options=('YEAR',))
    FLOOR(x TO HOUR)   CEIL(..)       Call('FLOOR', (x,), options=('HOUR',))
    TIMESTAMPADD(DAY, n, x), ..DIFF   Call('TIMESTAMPADD', (n, x), options=('DAY',))
    POSITION(x IN y [FROM z])         Call('POSITION', (x, y[, z]))
    TRIM([[side] c FROM] x)           Call('TRIM', (c, x), options=('BOTH',) or LEADING, TRAILING); the
                                        default of c is ' '
    SUBSTRING(x FROM i [FOR n])       Call('SUBSTRING', (x, i[, n])), as with commas
    OVERLAY(x PLACING y FROM i ..)    Call('OVERLAY', (x, y, i[, n]))
    CONVERT, TRANSLATE (x USING c)    Call('TRANSLATE', (x,), options=('USING', 'c'))
    JSON_OBJECT([KEY] k VALUE v, ..)  Call('JSON_OBJECT', (k, v, ..)); JSON_OBJECTAGG too
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, fields, replace
from typing import Any, TypeVar

from firesteel.errors import SourceRange
from firesteel.types.sql import SqlType

N = TypeVar("N", bound="Node")

NOWHERE = SourceRange(0, 0)
"""Range of a node that does not come from a text."""


@dataclass(frozen=True)
class Node:
    """Base class of syntax nodes."""

    range: SourceRange = field(default=NOWHERE, kw_only=True, compare=False, repr=False)
    """Position in the text. It does not count for equality."""


def placed(node: N, range: SourceRange) -> N:
    """Set the position of a new node, and return the node."""
    object.__setattr__(node, "range", range)
    return node


def walk(node: Node, into_queries: bool = True) -> Iterator[Node]:
    """Yield the node and all its descendants in preorder, in the order of the fields.

    Args:
        node: The root.
        into_queries: Whether the nodes within sub-queries are included.
    """
    stack = [node]
    while stack:
        part = stack.pop()
        yield part
        if not into_queries and isinstance(part, Subquery):
            continue
        below: list[Node] = []
        for name in _field_names(type(part)):
            value = getattr(part, name)
            if isinstance(value, Node):
                below.append(value)
            elif isinstance(value, tuple):
                below += [item for item in value if isinstance(item, Node)]
        stack += reversed(below)


def rewrite(node: Node, rule: Callable[[Node], Node]) -> Node:
    """Return the tree with nodes replaced by a rule.

    Args:
        node: The root.
        rule: Function that returns another node in place of its argument, or the argument itself to keep it.
            It is called for a node before its children, and not for the children of a replaced node.
    """
    found = rule(node)
    if found is not node:
        return found
    changes: dict[str, Any] = {}
    for name in _field_names(type(node)):
        value = getattr(node, name)
        if isinstance(value, Node):
            changes[name] = rewrite(value, rule)
        elif isinstance(value, tuple):
            changes[name] = tuple(rewrite(v, rule) if isinstance(v, Node) else v for v in value)
    return replace(node, **changes) if changes else node


_FIELD_NAMES: dict[type[Node], tuple[str, ...]] = {}


def _field_names(kind: type[Node]) -> tuple[str, ...]:
    if kind not in _FIELD_NAMES:
        _FIELD_NAMES[kind] = tuple(f.name for f in fields(kind) if f.name != "range")
    return _FIELD_NAMES[kind]


@dataclass(frozen=True)
class Identifier(Node):
    """Name without its quotes."""

    name: str
    quoted: bool = False


@dataclass(frozen=True)
class Column(Node):
    """Column, or a field of one, by a name of one or more parts: `t.a` is ('t', 'a')."""

    path: tuple[str, ...]


@dataclass(frozen=True)
class Star(Node):
    """`*` or `t.*`. `path` has the names before the star."""

    path: tuple[str, ...] = ()


@dataclass(frozen=True)
class FieldAccess(Node):
    """Access to a field of a row (`operand.field`)."""

    operand: Node
    field: Identifier


@dataclass(frozen=True)
class ElementAccess(Node):
    """Access to an element of an array or a map (`operand[index]`)."""

    operand: Node
    index: Node


@dataclass(frozen=True)
class NumberLiteral(Node):
    """A number, as written."""

    text: str


@dataclass(frozen=True)
class StringLiteral(Node):
    """A character string, without its quotes."""

    text: str


@dataclass(frozen=True)
class BinaryLiteral(Node):
    """Binary string such as X'4869'. `text` has the hexadecimal digits."""

    text: str


@dataclass(frozen=True)
class BooleanLiteral(Node):
    """TRUE, FALSE, or UNKNOWN, whose `value` is None."""

    value: bool | None


@dataclass(frozen=True)
class NullLiteral(Node):
    """The literal NULL."""


@dataclass(frozen=True)
class DateTimeLiteral(Node):
    """Literal such as `DATE '2026-01-01'`. `kind` is DATE, TIME, TIMESTAMP or TIMESTAMP_LTZ."""

    text: str
    kind: str


@dataclass(frozen=True)
class Binary(Node):
    """An operator with two operands."""

    operator: str
    left: Node
    right: Node


@dataclass(frozen=True)
class Unary(Node):
    """An operator with one operand."""

    operator: str
    operand: Node


@dataclass(frozen=True)
class IsTest(Node):
    """`x IS [NOT] NULL` and similar tests."""

    operand: Node
    test: str
    """NULL, TRUE, FALSE, UNKNOWN, or JSON with VALUE, SCALAR, OBJECT or ARRAY."""
    negated: bool = False


@dataclass(frozen=True)
class Between(Node):
    """A BETWEEN predicate."""

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
    """`x = ANY (a, b)`, or `x = ANY (query)`. `quantifier` is ANY, SOME or ALL."""

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
    """`(a, b) OVERLAPS (c, d)`. Both operands are ROW calls."""

    left: Node
    right: Node


@dataclass(frozen=True)
class Subquery(Node):
    """Query in parentheses."""

    query: Node


@dataclass(frozen=True)
class Exists(Node):
    """An EXISTS predicate."""

    subquery: Subquery


@dataclass(frozen=True)
class When(Node):
    """Branch of CASE. It has several `tests` only if CASE has a subject: `WHEN 1, 2 THEN`."""

    tests: tuple[Node, ...]
    result: Node


@dataclass(frozen=True)
class Case(Node):
    """A CASE expression."""

    subject: Node | None
    branches: tuple[When, ...]
    default: Node | None = None


@dataclass(frozen=True)
class TypeName(Node):
    """Type as written in CAST, RETURNING or DDL."""

    sql_type: SqlType


@dataclass(frozen=True)
class Cast(Node):
    """CAST, or TRY_CAST if `safe`."""

    operand: Node
    type: TypeName
    safe: bool = False


@dataclass(frozen=True)
class NamedArgument(Node):
    """Named argument of a call: `name => value`."""

    name: Identifier
    value: Node


@dataclass(frozen=True)
class OrderItem(Node):
    """Item of ORDER BY. `nulls_first` is None if NULLS FIRST or LAST is not written."""

    value: Node
    descending: bool = False
    nulls_first: bool | None = None


@dataclass(frozen=True)
class FrameBound(Node):
    """Bound of a window frame.

    Attributes:
        side: CURRENT ROW, PRECEDING or FOLLOWING.
        size: Offset, or None for UNBOUNDED and CURRENT ROW.
    """

    side: str
    size: Node | None = None


@dataclass(frozen=True)
class OverWindow(Node):
    """Window in parentheses, after OVER or in the WINDOW clause.

    `base` is the named window that it extends, if any. `unit` is ROWS or RANGE; None if there is no frame.
    """

    base: Identifier | None = None
    partition: tuple[Node, ...] = ()
    order: tuple[OrderItem, ...] = ()
    unit: str | None = None
    lower: FrameBound | None = None
    upper: FrameBound | None = None


@dataclass(frozen=True)
class JsonClauses(Node):
    """Clauses of an SQL/JSON call besides its arguments. A clause that is not written is None or ()."""

    returning: TypeName | None = None
    wrapper: str | None = None
    """Kind in the ARRAY WRAPPER clause of JSON_QUERY: WITHOUT, CONDITIONAL or UNCONDITIONAL."""
    on_empty: str | None = None
    """Words before ON EMPTY in JSON_QUERY: NULL, ERROR, EMPTY ARRAY or EMPTY OBJECT."""
    on_error: str | None = None
    """Words before ON ERROR: in JSON_QUERY as in `on_empty`, in JSON_EXISTS TRUE, FALSE, UNKNOWN or ERROR."""
    on_null: str | None = None
    """Word before ON NULL in a constructor such as JSON_OBJECT: NULL or ABSENT."""
    clauses: tuple[str, ...] = ()
    """Two texts for each clause of JSON_VALUE, such as ('DEFAULT', 'ON EMPTY', 'NULL', 'ON ERROR')."""
    defaults: tuple[Node, ...] = ()
    """Expressions after DEFAULT in JSON_VALUE, one for each DEFAULT in `clauses`."""


@dataclass(frozen=True)
class Call(Node):
    """Function call."""

    name: str
    """Name as written."""
    args: tuple[Node, ...] = ()
    options: tuple[str, ...] = ()
    """Words among the arguments that are no expressions, such as YEAR in EXTRACT(YEAR FROM x)."""
    star: bool = False
    """Whether the call is COUNT(*)."""
    distinct: bool = False
    bare: bool = False
    """Whether the call is written without parentheses, such as CURRENT_DATE."""
    nulls: str | None = None
    """IGNORE or RESPECT for the clause IGNORE NULLS or RESPECT NULLS; None without this clause."""
    order: tuple[OrderItem, ...] = ()
    filter: Node | None = None
    over: OverWindow | Identifier | None = None
    json: JsonClauses = JsonClauses()
