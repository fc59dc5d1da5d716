"""Expressions as Calcite writes them back: names in backquotes, parentheses where precedences ask for them.

Source: SqlCall.unparse and SqlStdOperatorTable of Calcite, in its ANSI dialect with backquotes. Calls are in
unparse_calls.py; names and queries are the caller's.
"""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Callable, Iterable
from typing import Any

from sqlglot import exp

from firesteel.sql import dialect
from firesteel.sql.dialect import path_of
from firesteel.sql.unparse_types import number, quoted, string, type_text

# each operator pulls on its operands from the left and from the right: (precedence, precedence + 1)
_OR, _AND, _NOT, _IS, _COMPARE, _IN, _ADD, _MULTIPLY, _SIGN = 22, 24, 26, 28, 30, 32, 40, 60, 80
_BINARY: dict[type[exp.Expression], tuple[int, str]] = {
    exp.Or: (_OR, "OR"),
    exp.And: (_AND, "AND"),
    exp.EQ: (_COMPARE, "="),
    exp.NEQ: (_COMPARE, "<>"),
    exp.LT: (_COMPARE, "<"),
    exp.LTE: (_COMPARE, "<="),
    exp.GT: (_COMPARE, ">"),
    exp.GTE: (_COMPARE, ">="),
    exp.NullSafeNEQ: (_COMPARE, "IS DISTINCT FROM"),
    exp.NullSafeEQ: (_COMPARE, "IS NOT DISTINCT FROM"),
    exp.Add: (_ADD, "+"),
    exp.Sub: (_ADD, "-"),
    exp.Mul: (_MULTIPLY, "*"),
    exp.Div: (_MULTIPLY, "/"),
    exp.Mod: (_MULTIPLY, "%"),
    exp.DPipe: (_MULTIPLY, "||"),
}


class ExpressionWriter:
    """Writes expressions; `text` is what they were read from."""

    def __init__(self, text: str) -> None:
        self.text = text

    @abstractmethod
    def column(self, path: tuple[str, ...]) -> str:
        """A column's name, with its table."""

    @abstractmethod
    def query(self, node: exp.Expression) -> str:
        """A query, without parentheses."""

    @abstractmethod
    def call(self, node: exp.Anonymous) -> str:
        """A function's call."""

    def expressions(self, nodes: Iterable[exp.Expression]) -> str:
        """A list, between commas."""
        return ", ".join(self.expression(node, 3, 2) for node in nodes)

    def expression(self, node: exp.Expression, left: int = 0, right: int = 0) -> str:
        """An expression between two operators that pull on it as strongly as `left` and `right` say."""
        node, pull = _unnegated(node)
        if type(node) in _BINARY:
            precedence, word = _BINARY[type(node)]
            return self._binary(node.this, word, node.expression, precedence, left, right)
        if type(node) in self._operators():
            pulls, write = self._operators()[type(node)]
            return self._around(pulls, left, right, lambda a, b: write(node, pull, a, b))
        return self._operand(node)

    def _operators(
        self,
    ) -> dict[type[exp.Expression], tuple[tuple[int, int], Callable[[Any, str, int, int], str]]]:
        """What is no binary operator: how strongly it pulls, and what writes it."""
        return {
            exp.Not: ((_NOT, _NOT + 1), self._prefix("NOT", _NOT)),
            exp.Neg: ((_SIGN, _SIGN + 1), self._prefix("-", _SIGN)),
            dialect.Plus: ((_SIGN, _SIGN + 1), self._prefix("+", _SIGN)),
            dialect.IsTest: ((_IS, _IS + 1), self._is),
            exp.Between: ((_IN, _IN + 1), self._between),
            exp.In: ((_IN, _IN + 1), self._in),
            dialect.Quantified: ((_COMPARE, _COMPARE + 1), self._quantified),
            exp.Like: ((_IN + 1, _IN), self._like),
            exp.SimilarTo: ((_IN + 1, _IN), self._like),
            exp.Overlaps: ((_COMPARE, _COMPARE + 1), self._overlaps),
            dialect.IntervalOf: ((0, 1), self._interval_of),
        }

    def _around(self, pulls: tuple[int, int], left: int, right: int, write: Callable[[int, int], str]) -> str:
        """In parentheses where a neighbour pulls more strongly."""
        if left > pulls[0] or (pulls[1] <= right and right != 0):
            return f"({write(0, 0)})"
        return write(left, right)

    def _binary(
        self, a: exp.Expression, word: str, b: exp.Expression, precedence: int, left: int, right: int
    ) -> str:
        def write(left: int, right: int) -> str:
            return (
                f"{self.expression(a, left, precedence)} {word} {self.expression(b, precedence + 1, right)}"
            )

        return self._around((precedence, precedence + 1), left, right, write)

    def _prefix(self, word: str, precedence: int) -> Callable[[Any, str, int, int], str]:
        def write(node: exp.Expression, negation: str, left: int, right: int) -> str:
            literal = _signed(node)
            return literal or f"{word} {self.expression(node.this, precedence, precedence + 1)}"

        return write

    def _is(self, node: dialect.IsTest, negation: str, left: int, right: int) -> str:
        test = ("NOT " if node.args.get("negated") else "") + str(node.args["test"])
        return f"{self.expression(node.this, _IS, _IS + 1)} IS {test}"

    def _between(self, node: exp.Between, negation: str, left: int, right: int) -> str:
        low, high = node.args["low"], node.args["high"]
        pull = 100 if low.find(exp.And) else 0
        kind = "SYMMETRIC" if node.args.get("symmetric") else "ASYMMETRIC"
        value = self.expression(node.this, _IN, 0)
        return (
            f"{value} {negation}BETWEEN {kind} {self.expression(low, pull, pull)} AND "
            f"{self.expression(high, 0, _IN + 1)}"
        )

    def _in(self, node: exp.In, negation: str, left: int, right: int) -> str:
        query = node.args.get("query")
        inside = self.query(query.this) if query is not None else self.expressions(node.expressions)
        return f"{self.expression(node.this, left, _IN)} {negation}IN ({inside})"

    def _quantified(self, node: dialect.Quantified, negation: str, left: int, right: int) -> str:
        query = node.args.get("query")
        inside = self.query(query.this) if query is not None else self.expressions(node.expressions)
        word = "ALL" if node.args["quantifier"] == "ALL" else "SOME"
        return f"{self.expression(node.this, left, _COMPARE)} {node.args['operator']} {word} ({inside})"

    def _like(self, node: exp.Like, negation: str, left: int, right: int) -> str:
        word = "SIMILAR TO" if isinstance(node, exp.SimilarTo) else "LIKE"
        parts = [self.expression(node.this, _IN + 1, _IN), f"{negation}{word}"]
        parts.append(self.expression(node.expression, _IN + 1, _IN))
        if node.args.get("escape") is not None:
            parts += ["ESCAPE", self.expression(node.args["escape"], _IN + 1, _IN)]
        return " ".join(parts)

    def _overlaps(self, node: exp.Overlaps, negation: str, left: int, right: int) -> str:
        sides = [f"PERIOD ({self.expressions(side.expressions)})" for side in (node.this, node.expression)]
        return " OVERLAPS ".join(sides)

    def _interval_of(self, node: dialect.IntervalOf, negation: str, left: int, right: int) -> str:
        return f"INTERVAL {self.expression(node.this, 100, 100)} {node.args['unit']}"

    # --- operands --------------------------------------------------------------------------------
    def _operand(self, node: exp.Expression) -> str:
        writers: dict[type[exp.Expression], Callable[[Any], str]] = {
            dialect.Path: lambda n: self.column(path_of(n)),
            exp.Anonymous: self.call,
            exp.Dot: lambda n: f"{self.expression(n.this)}.{quoted(n.expression.name)}",
            exp.Bracket: lambda n: f"{self.expression(n.this)}[{self.expression(n.expressions[0])}]",
            exp.Literal: lambda n: string(n.this) if n.is_string else number(n.this),
            exp.HexString: lambda n: f"X'{n.this.upper()}'",
            exp.Boolean: lambda n: {True: "TRUE", False: "FALSE"}.get(n.this, "UNKNOWN"),
            exp.Null: lambda n: "NULL",
            dialect.DateTimeLiteral: lambda n: f"{n.args['kind']} {string(_padded(n.this))}",
            dialect.IntervalLiteral: _interval,
            dialect.IntervalBetween: self._interval_between,
            exp.Case: self._case,
            exp.Cast: lambda n: f"CAST({self.expression(n.this)} AS {self.type(n.args['to'])})",
            exp.TryCast: lambda n: f"TRY_CAST({self.expression(n.this)} AS {self.type(n.args['to'])})",
            exp.Exists: lambda n: f"EXISTS ({self.query(n.this.this)})",
            exp.Subquery: lambda n: f"((({self.query(n.this)})))",
            exp.Kwarg: lambda n: f"{quoted(n.this.name)} => {self.expression(n.expression)}",
        }
        writer = writers.get(type(node))
        return writer(node) if writer is not None else self.written(node)

    def written(self, node: exp.Expression) -> str:
        """The node as it was written."""
        place = dialect.range_of(node)
        return self.text[place.start : place.end]

    def type(self, node: exp.Expression) -> str:
        """A type's name."""
        return type_text(self.written(node))

    def _interval_between(self, node: dialect.IntervalBetween) -> str:
        a, b = self.expression(node.this, 0, _ADD), self.expression(node.expression, _ADD + 1, 0)
        return f"({a} - {b}) {node.args['unit']}"

    def _case(self, node: exp.Case) -> str:
        """CASE x WHEN 1, 2 is CASE WHEN x IN (1, 2); ELSE NULL is added."""
        branches = [
            f"WHEN {self._when(node.this, branch.this)} THEN {self.expression(branch.args['true'])}"
            for branch in node.args["ifs"]
        ]
        default = node.args.get("default")
        otherwise = self.expression(default) if default is not None else "NULL"
        return f"CASE {' '.join(branches)} ELSE {otherwise} END"

    def _when(self, subject: exp.Expression | None, value: exp.Expression) -> str:
        if subject is None:
            return self.expression(value)
        if isinstance(value, exp.Tuple):
            return f"{self.expression(subject, 0, _IN)} IN ({self.expressions(value.expressions)})"
        return self._binary(subject, "=", value, _COMPARE, 0, 0)


def _unnegated(node: exp.Expression) -> tuple[exp.Expression, str]:
    """What `x NOT LIKE y` negates, and the word; a NOT before its operand stays a node of its own."""
    infix = isinstance(node, exp.Not) and isinstance(
        node.this, (exp.Between, exp.In, exp.Like, exp.SimilarTo)
    )
    if infix and node.meta.get("start") == node.this.meta.get("start"):
        return node.this, "NOT "
    return node, ""


def _signed(node: exp.Expression) -> str | None:
    """A literal with its sign: the parser takes `- 1.5` for a number."""
    negative, inner = False, node
    while isinstance(inner, exp.Neg):
        negative, inner = not negative, inner.this
    if not isinstance(node, exp.Neg) or not isinstance(inner, exp.Literal) or inner.is_string:
        return None
    return ("-" if negative else "") + number(inner.this)


def _padded(text: str) -> str:
    """2020-1-1 is 2020-01-01."""
    return re.sub(r"(?<=[-:])(\d)(?=[-: ]|$)", r"0\1", text)


def _interval(node: dialect.IntervalLiteral) -> str:
    return f"INTERVAL {'-' if node.args.get('negative') else ''}{string(node.this)} {node.args['unit']}"
