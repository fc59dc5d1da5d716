"""Calcite's spelling of expressions: quoted names, and parentheses where precedences require them.

Source: SqlCall.unparse and SqlStdOperatorTable of Calcite, in its ANSI dialect with backquotes. Calls are in
unparse_calls.py. Subclasses write names and queries.
"""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Callable, Iterable
from typing import Any

from firesteel.sql import syntax
from firesteel.sql.interval_syntax import IntervalBetween, IntervalLiteral, IntervalOf
from firesteel.sql.syntax import Node, walk
from firesteel.sql.unparse_types import number, quoted, string, type_text

# left precedences of operators. The right precedence of a left-associative operator is 1 higher.
_OR, _AND, _NOT, _IS, _COMPARE, _IN, _ADD, _MULTIPLY, _SIGN = 22, 24, 26, 28, 30, 32, 40, 60, 80
_BINARY = {
    "OR": _OR,
    "AND": _AND,
    **dict.fromkeys(("=", "<>", "<", "<=", ">", ">=", "IS DISTINCT FROM", "IS NOT DISTINCT FROM"), _COMPARE),
    **dict.fromkeys(("+", "-"), _ADD),
    **dict.fromkeys(("*", "/", "%", "||"), _MULTIPLY),
}


class ExpressionWriter:
    """Writer of expressions. `text` is the SQL text from which the expressions were parsed."""

    def __init__(self, text: str) -> None:
        self.text = text

    @abstractmethod
    def column(self, path: tuple[str, ...]) -> str:
        """Return the text of a column's name, with its table."""

    @abstractmethod
    def query(self, node: Node) -> str:
        """Return the text of a query, without parentheses."""

    @abstractmethod
    def call(self, node: syntax.Call) -> str:
        """Return the text of a function call."""

    def expressions(self, nodes: Iterable[Node]) -> str:
        """Return the text of a list, separated by commas."""
        return ", ".join(self.expression(node, 3, 2) for node in nodes)

    def expression(self, node: Node, left: int = 0, right: int = 0) -> str:
        """Return the text of an expression, in parentheses if an operator beside it binds more tightly.

        Args:
            node: The expression.
            left: Right precedence of the operator before the expression, 0 for none.
            right: Left precedence of the operator behind the expression, 0 for none.
        """
        node, pull = _unnegated(node)
        if isinstance(node, syntax.Binary):
            return self._binary(node, left, right)
        if type(node) in self._operators():
            pulls, write = self._operators()[type(node)]
            return self._around(pulls, left, right, lambda a, b: write(node, pull, a, b))
        if isinstance(node, syntax.Unary):
            precedence = _NOT if node.operator == "NOT" else _SIGN
            pulls = (precedence, precedence + 1)
            return self._around(pulls, left, right, lambda a, b: self._unary(node, precedence))
        return self._operand(node)

    def _operators(
        self,
    ) -> dict[type[Node], tuple[tuple[int, int], Callable[[Any, str, int, int], str]]]:
        """Return for each operator that is neither Binary nor Unary its precedences and its writer.

        The precedences are (left, right). The writer takes the node, "NOT " or "", and the precedences of the
        operators before and behind the node. It returns the text.
        """
        return {
            syntax.IsTest: ((_IS, _IS + 1), self._is),
            syntax.Between: ((_IN, _IN + 1), self._between),
            syntax.In: ((_IN, _IN + 1), self._in),
            syntax.Quantified: ((_COMPARE, _COMPARE + 1), self._quantified),
            syntax.Like: ((_IN + 1, _IN), self._like),
            syntax.Overlaps: ((_COMPARE, _COMPARE + 1), self._overlaps),
            IntervalOf: ((0, 1), self._interval_of),
        }

    def _around(self, pulls: tuple[int, int], left: int, right: int, write: Callable[[int, int], str]) -> str:
        """Return the text of an operator, in parentheses if an operator beside it binds more tightly.

        Args:
            pulls: Left and right precedence of the operator.
            left: Right precedence of the operator before it, 0 for none.
            right: Left precedence of the operator behind it, 0 for none.
            write: Function that returns the text without parentheses. It takes `left` and `right`, or 0 and 0
                if the text is put in parentheses.
        """
        if left > pulls[0] or (pulls[1] <= right and right != 0):
            return f"({write(0, 0)})"
        return write(left, right)

    def _binary(self, node: syntax.Binary, left: int, right: int) -> str:
        precedence = _BINARY[node.operator]

        def write(left: int, right: int) -> str:
            first = self.expression(node.left, left, precedence)
            return f"{first} {node.operator} {self.expression(node.right, precedence + 1, right)}"

        return self._around((precedence, precedence + 1), left, right, write)

    def _unary(self, node: syntax.Unary, precedence: int) -> str:
        operand = self.expression(node.operand, precedence, precedence + 1)
        return _signed(node) or f"{node.operator} {operand}"

    def _is(self, node: syntax.IsTest, negation: str, left: int, right: int) -> str:
        test = ("NOT " if node.negated else "") + node.test
        return f"{self.expression(node.operand, _IS, _IS + 1)} IS {test}"

    def _between(self, node: syntax.Between, negation: str, left: int, right: int) -> str:
        low, high = node.low, node.high
        holds_and = any(isinstance(part, syntax.Binary) and part.operator == "AND" for part in walk(low))
        pull = 100 if holds_and else 0
        kind = "SYMMETRIC" if node.symmetric else "ASYMMETRIC"
        value = self.expression(node.operand, _IN, 0)
        return (
            f"{value} {negation}BETWEEN {kind} {self.expression(low, pull, pull)} AND "
            f"{self.expression(high, 0, _IN + 1)}"
        )

    def _in(self, node: syntax.In, negation: str, left: int, right: int) -> str:
        inside = self._inside(node.items, node.query)
        return f"{self.expression(node.operand, left, _IN)} {negation}IN ({inside})"

    def _inside(self, items: tuple[Node, ...], query: syntax.Subquery | None) -> str:
        return self.expressions(items) if query is None else self.query(query.query)

    def _quantified(self, node: syntax.Quantified, negation: str, left: int, right: int) -> str:
        inside = self._inside(node.items, node.query)
        word = "ALL" if node.quantifier == "ALL" else "SOME"
        return f"{self.expression(node.operand, left, _COMPARE)} {node.operator} {word} ({inside})"

    def _like(self, node: syntax.Like, negation: str, left: int, right: int) -> str:
        word = "SIMILAR TO" if node.similar else "LIKE"
        parts = [self.expression(node.operand, _IN + 1, _IN), f"{negation}{word}"]
        parts.append(self.expression(node.pattern, _IN + 1, _IN))
        if node.escape is not None:
            parts += ["ESCAPE", self.expression(node.escape, _IN + 1, _IN)]
        return " ".join(parts)

    def _overlaps(self, node: syntax.Overlaps, negation: str, left: int, right: int) -> str:
        sides = [f"PERIOD ({self.expressions(_period(side))})" for side in (node.left, node.right)]
        return " OVERLAPS ".join(sides)

    def _interval_of(self, node: IntervalOf, negation: str, left: int, right: int) -> str:
        return f"INTERVAL {self.expression(node.count, 100, 100)} {node.unit}"

    # --- operands --------------------------------------------------------------------------------
    def _operand(self, node: Node) -> str:
        writers: dict[type[Node], Callable[[Any], str]] = {
            syntax.Column: lambda n: self.column(n.path),
            syntax.Call: self.call,
            syntax.FieldAccess: lambda n: f"{self.expression(n.operand)}.{quoted(n.field.name)}",
            syntax.ElementAccess: lambda n: f"{self.expression(n.operand)}[{self.expression(n.index)}]",
            syntax.StringLiteral: lambda n: string(n.text),
            syntax.NumberLiteral: lambda n: number(n.text),
            syntax.BinaryLiteral: lambda n: f"X'{n.text.upper()}'",
            syntax.BooleanLiteral: lambda n: {True: "TRUE", False: "FALSE"}.get(n.value, "UNKNOWN"),
            syntax.NullLiteral: lambda n: "NULL",
            syntax.DateTimeLiteral: lambda n: f"{n.kind} {string(_padded(n.text))}",
            IntervalLiteral: _interval,
            IntervalBetween: self._interval_between,
            syntax.Case: self._case,
            syntax.Cast: self._cast,
            syntax.Exists: lambda n: f"EXISTS ({self.query(n.subquery.query)})",
            syntax.Subquery: lambda n: f"((({self.query(n.query)})))",
            syntax.NamedArgument: lambda n: f"{quoted(n.name.name)} => {self.expression(n.value)}",
        }
        writer = writers.get(type(node))
        return writer(node) if writer is not None else self.written(node)

    def written(self, node: Node) -> str:
        """Return the node's text as written."""
        return self.text[node.range.start : node.range.end]

    def type(self, node: Node) -> str:
        """Return the text of a type."""
        return type_text(self.written(node))

    def _interval_between(self, node: IntervalBetween) -> str:
        a, b = self.expression(node.left, 0, _ADD), self.expression(node.right, _ADD + 1, 0)
        return f"({a} - {b}) {node.unit}"

    def _cast(self, node: syntax.Cast) -> str:
        return f"{'TRY_' if node.safe else ''}CAST({self.expression(node.operand)} AS {self.type(node.type)})"

    def _case(self, node: syntax.Case) -> str:
        """Return CASE with ELSE NULL added; CASE x WHEN 1, 2 becomes CASE WHEN x IN (1, 2)."""
        branches = [
            f"WHEN {self._when(node.subject, branch.tests)} THEN {self.expression(branch.result)}"
            for branch in node.branches
        ]
        otherwise = self.expression(node.default) if node.default is not None else "NULL"
        return f"CASE {' '.join(branches)} ELSE {otherwise} END"

    def _when(self, subject: Node | None, tests: tuple[Node, ...]) -> str:
        if subject is None:
            return self.expression(tests[0])
        if len(tests) > 1:
            return f"{self.expression(subject, 0, _IN)} IN ({self.expressions(tests)})"
        return self._binary(syntax.Binary("=", subject, tests[0]), 0, 0)


def _unnegated(node: Node) -> tuple[Node, str]:
    """Return for `x NOT LIKE y` the node of `x LIKE y` and "NOT "; for other nodes the node and ""."""
    if not isinstance(node, syntax.Unary) or node.operator != "NOT":
        return node, ""
    infix = isinstance(node.operand, (syntax.Between, syntax.In, syntax.Like))
    if infix and node.range.start == node.operand.range.start:
        return node.operand, "NOT "
    return node, ""


def _period(side: Node) -> tuple[Node, ...]:
    assert isinstance(side, syntax.Call)
    return side.args


def _signed(node: Node) -> str | None:
    """Return the text of a number behind `-`, which Calcite reads as one literal; None for another node."""
    negative, inner = False, node
    while isinstance(inner, syntax.Unary) and inner.operator == "-":
        negative, inner = not negative, inner.operand
    if inner is node or not isinstance(inner, syntax.NumberLiteral):
        return None
    return ("-" if negative else "") + number(inner.text)


def _padded(text: str) -> str:
    """Return the digits of a date padded: 2020-1-1 is 2020-01-01."""
    return re.sub(r"(?<=[-:])(\d)(?=[-: ]|$)", r"0\1", text)


def _interval(node: IntervalLiteral) -> str:
    return f"INTERVAL {'-' if node.negative else ''}{string(node.text)} {node.unit}"
