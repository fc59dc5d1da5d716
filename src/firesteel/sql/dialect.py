"""Flink's dialect as a tree: which sqlglot node stands for which piece of Flink SQL.

The grammar is Firesteel's own (sqlglot's is made to accept as much as it can, Flink's refuses); the
nodes are sqlglot's. A tree holds no node that is not in this table, nothing is rewritten, and every
node knows where it was written: `range_of(node)`.

    SQL                              node
    a   t.a   t.a.b                  exp.Column; `path_of(node)` gives the parts as a tuple of str
    f(x).a   a[1].b                  exp.Dot(this, expression=exp.Identifier)
    *   t.*                          Star(path=() or ('t',))
    x[i]                             exp.Bracket(this, expressions=[i])
    1   1.50   2e0                   exp.Literal(this=text as written, is_string=False)
    'it''s'   U&'\\00e9'   _UTF8'a'  exp.Literal(this=text, is_string=True), escapes undone
    X'4869'                          exp.HexString(this='4869')
    TRUE FALSE                       exp.Boolean(this=bool)
    UNKNOWN   NULL                   exp.Boolean(this=None)   exp.Null()
    DATE '..' TIME '..'              DateTimeLiteral(this=text, kind='DATE' | 'TIME' | 'TIMESTAMP' |
      TIMESTAMP '..'                   'TIMESTAMP_LTZ')
    INTERVAL [-]'1 2' DAY(3) TO HOUR IntervalLiteral(this=text, unit='DAY TO HOUR', negative=bool)
    INTERVAL (x) DAY                 IntervalOf(this=x, unit='DAY')
    (a - b) DAY TO SECOND            IntervalBetween(this=a, expression=b, unit='DAY TO SECOND')
    + - * / %  ||                    exp.Add Sub Mul Div Mod DPipe (this, expression)
    -x   +x                          exp.Neg(this)   Plus(this)
    = <> < <= > >=                   exp.EQ NEQ LT LTE GT GTE
    AND OR NOT                       exp.And Or (two operands each) Not
    x IS [NOT] NULL, TRUE, FALSE,    IsTest(this, test='NULL' | 'TRUE' | 'FALSE' | 'UNKNOWN' | 'JSON VALUE' |
      UNKNOWN, JSON [VALUE..]          'JSON SCALAR' | 'JSON OBJECT' | 'JSON ARRAY', negated=bool)
    IS [NOT] DISTINCT FROM           exp.NullSafeNEQ, exp.NullSafeEQ
    x [NOT] BETWEEN a AND b          [exp.Not] exp.Between(this, low, high, symmetric=bool)
    x [NOT] IN (a, b)                [exp.Not] exp.In(this, expressions=[..])
    x [NOT] IN (query)               [exp.Not] exp.In(this, query=exp.Subquery)
    x op ANY|SOME|ALL (...)          Quantified(this, operator='=', quantifier='ANY', expressions or query)
    x [NOT] LIKE p [ESCAPE e]        [exp.Not] exp.Like(this, expression, escape=e or None)
    x [NOT] SIMILAR TO p [ESCAPE e]  [exp.Not] exp.SimilarTo(this, expression, escape=e or None)
    EXISTS (query)   (query)         exp.Exists(this=exp.Subquery)   exp.Subquery(this=query)
    CASE [x] WHEN a THEN b ELSE c    exp.Case(this=x or None, ifs=[exp.If(this=a, true=b)], default=c or None)
    CASE x WHEN a, b THEN c          exp.If(this=exp.Tuple(expressions=[a, b]), true=c)
    (a, b) OVERLAPS (c, d)           exp.Overlaps(this, expression), both ROW calls
    CAST(x AS t)   TRY_CAST(x AS t)  exp.Cast(this, to=TypeName)   exp.TryCast; `to.sql_type` is a SqlType
    f(a, b)                          exp.Anonymous(this='f' as written, expressions=[a, b])
    COUNT(*)                         exp.Anonymous(this='COUNT', expressions=[], star=True)
    SUM(DISTINCT x)                  exp.Anonymous(..., distinct=True)
    f(..) FILTER (WHERE c)           exp.Anonymous(..., filter=c)
    f(..) IGNORE|RESPECT NULLS,      exp.Anonymous(..., nulls='IGNORE' | 'RESPECT'), within or before the ')'
    f(a => 1)                        exp.Kwarg(this=exp.Identifier, expression) among the expressions
    f(..) OVER (..)                  exp.Anonymous(..., over=OverWindow (sql.nodes) or exp.Identifier)
    f(.. ORDER BY x)                 exp.Anonymous(..., order=[exp.Ordered])
    CURRENT_DATE and the like        exp.Anonymous(this, expressions=[], bare=True)
    ROW(a, b)   (a, b)               exp.Anonymous(this='ROW')
    ARRAY[a, b]   MAP[k, v, ..]      exp.Anonymous(this='ARRAY')   exp.Anonymous(this='MAP')
    ARRAY(query) MAP(..) MULTISET(.) exp.Anonymous(this='ARRAY', expressions=[exp.Subquery])
    EXTRACT(YEAR FROM x)             exp.Anonymous(this='EXTRACT', expressions=[x], options=('YEAR',))
    FLOOR(x TO HOUR)   CEIL(..)      exp.Anonymous(this='FLOOR', expressions=[x], options=('HOUR',))
    TIMESTAMPADD(DAY, n, x), ..DIFF  exp.Anonymous(this='TIMESTAMPADD', expressions=[n, x], options=('DAY',))
    POSITION(x IN y [FROM z])        exp.Anonymous(this='POSITION', expressions=[x, y(, z)])
    TRIM([[side] c FROM] x)          exp.Anonymous(this='TRIM', expressions=[c, x], options=('BOTH',) or
                                       LEADING, TRAILING); c is the literal ' ' where it is left out
    SUBSTRING(x FROM i [FOR n])      exp.Anonymous(this='SUBSTRING', expressions=[x, i(, n)]), as with commas
    OVERLAY(x PLACING y FROM i ..)   exp.Anonymous(this='OVERLAY', expressions=[x, y, i(, n)])
    CONVERT, TRANSLATE (x USING c)   exp.Anonymous(this='TRANSLATE', expressions=[x], options=('USING', 'c'))
    JSON_EXISTS(x, p [.. ON ERROR])  exp.Anonymous(..., on_error='TRUE' | 'FALSE' | 'UNKNOWN' | 'ERROR')
    JSON_VALUE(x, p [RETURNING t]    exp.Anonymous(..., returning=TypeName | None, clauses=['NULL' | 'ERROR' |
      [.. ON EMPTY] [.. ON ERROR])     'DEFAULT', 'ON EMPTY' | 'ON ERROR', ..], defaults=[value, ..])
    JSON_QUERY(x, p [RETURNING t]    exp.Anonymous(..., returning, wrapper='WITHOUT' | 'CONDITIONAL' |
      [.. WRAPPER] [.. ON ..])         'UNCONDITIONAL' or None, on_empty='NULL' | 'ERROR' | 'EMPTY ARRAY' |
                                       'EMPTY OBJECT' or None, on_error)
    JSON_OBJECT([KEY] k VALUE v, ..) exp.Anonymous(this='JSON_OBJECT', expressions=[k, v, ..], on_null=
                                       'NULL' | 'ABSENT' | None); the same for JSON_OBJECTAGG
    JSON_ARRAY(a, b [.. ON NULL])    exp.Anonymous(this='JSON_ARRAY', expressions=[a, b], on_null); also
                                       JSON_ARRAYAGG
"""

from __future__ import annotations

from typing import TypeVar

from sqlglot import exp

from firesteel.errors import SourceRange
from firesteel.types.sql import SqlType

E = TypeVar("E", bound=exp.Expression)


class Star(exp.Expression):
    """`*` or `t.*`; `path` is the tuple of names before the star."""

    arg_types = {"path": True}  # noqa: RUF012 - sqlglot's convention


class Plus(exp.Unary):
    """Unary plus."""


class DateTimeLiteral(exp.Expression):
    """`DATE '2026-01-01'` and the like: the text in `this`, the type's name in `kind`."""

    arg_types = {"this": True, "kind": True}  # noqa: RUF012


class IntervalLiteral(exp.Expression):
    """`INTERVAL -'1' DAY`."""

    arg_types = {"this": True, "unit": True, "negative": False}  # noqa: RUF012


class IntervalOf(exp.Expression):
    """`INTERVAL (n + 1) DAY`: a number of units."""

    arg_types = {"this": True, "unit": True}  # noqa: RUF012


class IntervalBetween(exp.Expression):
    """`(a - b) DAY TO SECOND`: the interval between two points in time."""

    arg_types = {"this": True, "expression": True, "unit": True}  # noqa: RUF012


class IsTest(exp.Expression):
    """`x IS [NOT] NULL` and its sisters."""

    arg_types = {"this": True, "test": True, "negated": False}  # noqa: RUF012


class Quantified(exp.Expression):
    """`x = ANY (...)`."""

    arg_types = {  # noqa: RUF012
        "this": True,
        "operator": True,
        "quantifier": True,
        "expressions": False,
        "query": False,
    }


class TypeName(exp.Expression):
    """A type as written in CAST, RETURNING or DDL; `sql_type` is it."""

    arg_types = {"kind": True}  # noqa: RUF012

    @property
    def sql_type(self) -> SqlType:
        kind: SqlType = self.args["kind"]
        return kind


def placed(node: E, start: int, end: int) -> E:
    """The node, knowing its place in the text."""
    node.meta["start"] = start
    node.meta["end"] = end
    return node


def range_of(node: exp.Expression) -> SourceRange:
    """Where the node was written; an empty range at 0 for a node that no text stands for."""
    return SourceRange(node.meta.get("start", 0), node.meta.get("end", 0))


def path_of(node: exp.Expression) -> tuple[str, ...]:
    """The parts of a column's name, outermost first: `t.a` is ('t', 'a')."""
    return tuple(part.name for part in node.args["parts"])


class Path(exp.Column):
    """A name with any number of parts (a sub-class of exp.Column)."""

    arg_types = {"this": True, "parts": True}  # noqa: RUF012
