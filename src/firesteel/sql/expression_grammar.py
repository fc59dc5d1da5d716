"""Grammar of expressions, with Calcite's operator precedences. Function calls are in call_grammar.py."""

from __future__ import annotations

from abc import abstractmethod

from firesteel.errors import ParseError
from firesteel.sql import syntax
from firesteel.sql.interval_syntax import IntervalBetween, IntervalLiteral, IntervalOf
from firesteel.sql.lexer import Kind
from firesteel.sql.syntax import Node
from firesteel.sql.type_grammar import TypeGrammar
from firesteel.sql.words import CONTEXT_VARIABLES, FUNCTIONS, RESERVED

# from the weakest to the tightest operators, as by the left precedences in Calcite's SqlStdOperatorTable
_OR, _AND, _NOT, _IS, _COMPARE, _IN, _ADD, _MULTIPLY, _SIGN = range(1, 10)
_BINARY = {
    **dict.fromkeys(("=", "<>", "<", "<=", ">", ">="), _COMPARE),
    **dict.fromkeys(("+", "-"), _ADD),
    **dict.fromkeys(("*", "/", "%", "||"), _MULTIPLY),
}
_PREDICATES = (
    *("NOT", "BETWEEN", "IN", "LIKE", "SIMILAR", "ILIKE", "RLIKE"),
    *("CONTAINS", "EQUALS", "PRECEDES", "SUCCEEDS", "MEMBER", "SUBMULTISET"),
)
_DATETIME = ("DATE", "TIME", "TIMESTAMP")
_INTERVAL_UNITS = ("YEAR", "MONTH", "DAY", "HOUR", "MINUTE", "SECOND")


class ExpressionGrammar(TypeGrammar):
    """Grammar of one expression."""

    @abstractmethod
    def query(self) -> Node:
        """Read a query (query_grammar.py)."""

    @abstractmethod
    def call(self) -> Node:
        """Read a function call (call_grammar.py)."""

    @abstractmethod
    def is_query_ahead(self) -> bool:
        """Return whether a query starts here, possibly after opening parentheses."""

    def expression(self, lowest: int = _OR) -> Node:
        """Read an expression whose operators bind at least as tightly as `lowest`."""
        start = self.token.start
        left = self._prefix(lowest)
        while True:
            longer = self._longer(left, lowest, start)
            if longer is None:
                return left
            left = self.place(longer, start)

    def _prefix(self, lowest: int) -> Node:
        start = self.token.start
        if self.at("NOT"):
            self.advance()
            return self.place(syntax.Unary("NOT", self.expression(_NOT)), start)
        if self.at_symbol("-", "+"):
            sign = self.advance().text
            return self.place(syntax.Unary(sign, self.expression(_SIGN)), start)
        return self._postfix(self._primary(), start)

    def _longer(self, left: Node, lowest: int, start: int) -> Node | None:
        """Read an operator after `left` with its right operand, and return the node of both operands.

        Return None if no operator follows, or if the next one binds less tightly than `lowest`. The operand
        `left` begins at the offset `start`.
        """
        token = self.token
        if token.kind is Kind.SYMBOL and token.text in _BINARY:
            precedence = _BINARY[token.text]
            if precedence < lowest:
                return None
            self.advance()
            if precedence == _COMPARE and self.at_any("ANY", "SOME", "ALL"):
                return self._quantified(left, token.text)
            return syntax.Binary(token.text, left, self.expression(precedence + 1))
        if token.text == "!=" and token.kind is Kind.SYMBOL:
            raise self.error(
                "Bang equal '!=' is not allowed under the current SQL conformance level", hint="write <>"
            )
        if token.word in ("AND", "OR"):
            precedence = _AND if token.word == "AND" else _OR
            if precedence < lowest:
                return None
            self.advance()
            return syntax.Binary(token.word, left, self.expression(precedence + 1))
        if token.word == "OVERLAPS" and lowest <= _COMPARE:
            self.advance()
            return syntax.Overlaps(left, self.expression(_COMPARE + 1))
        if token.word == "IS":
            return self._is(left, lowest)
        return self._predicate(left, start) if lowest <= _IN else None

    def _is(self, left: Node, lowest: int) -> Node | None:
        distinct = self.ahead(2 if self.ahead(1).word == "NOT" else 1).word == "DISTINCT"
        if lowest > (_COMPARE if distinct else _IS):
            return None
        self.advance()
        negated = self.accept("NOT")
        if self.accept("DISTINCT"):
            self.expect("FROM")
            operator = "IS NOT DISTINCT FROM" if negated else "IS DISTINCT FROM"
            return syntax.Binary(operator, left, self.expression(_COMPARE + 1))
        test = self.accept_any("NULL", "TRUE", "FALSE", "UNKNOWN", "JSON")
        if test == "JSON":
            test = "JSON " + (self.accept_any("VALUE", "OBJECT", "ARRAY", "SCALAR") or "VALUE")
        if test is None:
            if self.at("A", "SET") or self.at("EMPTY"):
                raise self.not_supported(f"IS {self.token.word}", self.token)
            raise self.error()
        return syntax.IsTest(left, test, negated)

    def _predicate(self, left: Node, start: int) -> Node | None:
        if self.token.word not in _PREDICATES:
            self._looked_for += _PREDICATES
            return None
        negated = self.at("NOT") and self.ahead(1).word in _PREDICATES[1:7]
        if negated:
            self.advance()
        word = self.accept_any("BETWEEN", "IN", "LIKE", "SIMILAR")
        if word is None:
            if self.at_any("ILIKE", "RLIKE"):
                raise self.error(f"Flink has no {self.token.word}", hint="use UPPER(..) LIKE or REGEXP")
            if self.at_any("CONTAINS", "EQUALS", "PRECEDES", "SUCCEEDS", "MEMBER", "SUBMULTISET"):
                raise self.not_supported(self.token.word, self.token)
            return None
        node = {"BETWEEN": self._between, "IN": self._in}.get(word, self._like)(left)
        return syntax.Unary("NOT", self.place(node, start)) if negated else node

    def _between(self, left: Node) -> Node:
        symmetric = self.accept_any("SYMMETRIC", "ASYMMETRIC") == "SYMMETRIC"
        low = self.expression(_IN + 1)
        self.expect("AND")
        return syntax.Between(left, low, self.expression(_IN + 1), symmetric)

    def _in(self, left: Node) -> Node:
        if not self.at_symbol("("):
            raise self.error()
        if self.is_query_ahead():
            return syntax.In(left, query=self.subquery())
        return syntax.In(left, self.in_parentheses(lambda: self.list_of(self.expression)))

    def _like(self, left: Node) -> Node:
        similar = self.previous.word == "SIMILAR"
        if similar:
            self.expect("TO")
        pattern = self.expression(_IN + 1)
        escape = self.expression(_IN + 1) if self.accept("ESCAPE") else None
        return syntax.Like(left, pattern, escape, similar)

    def _quantified(self, left: Node, operator: str) -> Node:
        quantifier = self.advance().word
        if not self.at_symbol("("):
            raise self.error()
        if self.is_query_ahead():
            return syntax.Quantified(left, operator, quantifier, query=self.subquery())
        items = self.in_parentheses(lambda: self.list_of(self.expression))
        return syntax.Quantified(left, operator, quantifier, items)

    def subquery(self) -> syntax.Subquery:
        """Read a query in parentheses."""
        start = self.token.start
        return self.place(syntax.Subquery(self.in_parentheses(self.query)), start)

    # --- operands --------------------------------------------------------------------------------
    def _postfix(self, node: Node, start: int) -> Node:
        """Read element and field accesses after an operand."""
        while True:
            if self.accept_symbol("["):
                index = self.expression()
                self.expect_symbol("]")
                node = self.place(syntax.ElementAccess(node, index), start)
            elif self.accept_symbol("."):
                node = self.place(syntax.FieldAccess(node, self.name()), start)
            else:
                return node

    def _primary(self) -> Node:
        token = self.token
        if token.kind in (Kind.STRING, Kind.NUMBER, Kind.HEX):
            return self._literal()
        if token.kind is Kind.QUOTED:
            return self._name_or_call()
        if token.kind is Kind.SYMBOL and token.text == "(":
            return self._parenthesized()
        word = token.word
        if word in ("TRUE", "FALSE", "UNKNOWN", "NULL"):
            return self._constant()
        if word in _DATETIME and self.ahead(1).kind is Kind.STRING:
            return self._datetime_literal()
        if word == "INTERVAL":
            return self._interval_literal()
        if word == "CASE":
            return self._case()
        if word == "PERIOD" and self.symbol_ahead("("):  # PERIOD (a, b) means (a, b)
            self.advance()
            return self._parenthesized()
        if word == "EXISTS":
            self.advance()
            return self.place(syntax.Exists(self.subquery()), token.start)
        if word in ("ARRAY", "MAP") and self.symbol_ahead("["):
            return self._constructor()
        if word in CONTEXT_VARIABLES and not self.symbol_ahead("("):
            self.advance()
            return self.place(syntax.Call(token.text, bare=True), token.start)
        if token.kind is Kind.WORD:
            return self._name_or_call()
        self._looked_for.append("an expression")
        raise self.error()

    def _literal(self) -> Node:
        token = self.advance()
        if token.kind is Kind.HEX:
            if len(token.text) % 2 or any(c not in "0123456789abcdefABCDEF" for c in token.text):
                raise ParseError(
                    "a binary string holds an even number of hexadecimal digits", range=token.range
                )
            return self.place(syntax.BinaryLiteral(token.text), token.start)
        if token.kind is Kind.STRING:
            return self.place(syntax.StringLiteral(token.text + self._continued()), token.start)
        return self.place(syntax.NumberLiteral(token.text), token.start)

    def literal(self) -> Node:
        """Read a literal. A number may have a sign."""
        start = self.token
        if self.at_symbol("-", "+"):
            sign = self.advance().text
            if self.token.kind is not Kind.NUMBER:
                raise self.error()
            return self.place(syntax.Unary(sign, self._literal()), start.start)
        if start.kind in (Kind.STRING, Kind.NUMBER, Kind.HEX):
            return self._literal()
        if self.at_any("TRUE", "FALSE", "UNKNOWN", "NULL"):
            return self._constant()
        if self.at_any("DATE", "TIME", "TIMESTAMP"):
            return self._datetime_literal()
        if self.at("INTERVAL"):
            return self._interval_literal()
        self._looked_for[:] = ["a literal"]
        raise self.error()

    def _continued(self) -> str:
        """Read the string literals that continue the one before them, and return their joined text.

        A string literal continues another one if a line end and no other token is between them. Return "" if
        no string literal follows.

        Raises:
            ParseError: The next string literal is on the same line.
        """
        text = ""
        while self.token.kind is Kind.STRING and self.text[self.token.start] == "'":
            if "\n" not in self.text[self.previous.end : self.token.start]:
                raise self.error(
                    "String literal continued on same line", hint="a comma or an operator is missing"
                )
            text += self.advance().text
        return text

    def _constant(self) -> Node:
        token = self.advance()
        values = {"TRUE": True, "FALSE": False, "UNKNOWN": None}
        if token.word in values:
            return self.place(syntax.BooleanLiteral(values[token.word]), token.start)
        return self.place(syntax.NullLiteral(), token.start)

    def _datetime_literal(self) -> Node:
        kind = self.advance()
        return self.place(syntax.DateTimeLiteral(self.advance().text, kind.word), kind.start)

    def _interval_literal(self) -> Node:
        start = self.advance().start
        negative = False
        if self.at_symbol("-", "+"):
            negative = self.advance().text == "-"
        if self.token.kind is Kind.STRING:
            text = self.advance().text
            return self.place(IntervalLiteral(text, self.interval_unit(), negative), start)
        if self.at_symbol("("):
            value = self.in_parentheses(self.expression)
        elif self.token.kind is Kind.NUMBER:
            value = self._literal()
        else:
            first = self.token.start
            value = self.place(syntax.Column(self.path()), first)
        if negative:
            value = self.place(syntax.Unary("-", value), start)
        return self.place(IntervalOf(value, self.interval_unit()), start)

    def _case(self) -> Node:
        start = self.advance().start
        subject = None if self.at("WHEN") else self.expression()
        branches: list[syntax.When] = []
        while self.at("WHEN") or not branches:
            first = self.token.start
            self.expect("WHEN")
            tests = (self.expression(),) if subject is None else self.list_of(self.expression)
            self.expect("THEN")
            branches.append(self.place(syntax.When(tests, self.expression()), first))
        default = self.expression() if self.accept("ELSE") else None
        self.expect("END")
        return self.place(syntax.Case(subject, tuple(branches), default), start)

    def _constructor(self) -> Node:
        token = self.advance()
        self.advance()
        items = () if self.at_symbol("]") else self.list_of(self.expression)
        self.expect_symbol("]")
        return self.place(syntax.Call(token.word, items), token.start)

    def _parenthesized(self) -> Node:
        """Read a query, a row, an interval between two points in time, or an expression in parentheses."""
        start = self.token.start
        if self.is_query_ahead():
            return self.subquery()
        items = self.in_parentheses(lambda: self.list_of(self.expression))
        if len(items) > 1:
            return self.place(syntax.Call("ROW", items), start)
        inner = items[0]
        if isinstance(inner, syntax.Binary) and inner.operator == "-" and self.token.word in _INTERVAL_UNITS:
            return self.place(IntervalBetween(inner.left, inner.right, self.interval_unit()), start)
        return inner

    def _name_or_call(self) -> Node:
        token = self.token
        if token.word in RESERVED:
            if not self.symbol_ahead("(") or not (
                token.word in FUNCTIONS or self.is_special_call(token.word)
            ):
                self._looked_for.append("an expression")
                raise self.error(hint=self._reserved_hint())
            return self.call()
        if token.kind is Kind.WORD and self.symbol_ahead("("):
            return self.call()
        length = 0
        while self.symbol_ahead(".", length + 1) and self.ahead(length + 2).kind in (Kind.WORD, Kind.QUOTED):
            length += 2
        if self.symbol_ahead("(", length + 1):
            return self.call()
        start = self.token.start
        return self.place(syntax.Column(self.path()), start)

    def reserved_call(self) -> Node:
        """Read a call whose name is a reserved word.

        Raises:
            ParseError: The word is not the name of a function, or no parenthesis follows it.
        """
        word = self.token.word
        if not self.symbol_ahead("(") or not (word in FUNCTIONS or self.is_special_call(word)):
            self._looked_for.append("an expression")
            raise self.error(hint=self._reserved_hint())
        return self.call()

    def _reserved_hint(self) -> str | None:
        token = self.token
        if self.previous.word == token.word:
            return f"{token.word} is written twice"
        return f"{token.word} is a reserved word: as a name it is written `{token.text}`"

    @abstractmethod
    def is_special_call(self, word: str) -> bool:
        """Return whether a function's arguments have a syntax of their own, as in `CAST(x AS INT)`.

        Args:
            word: The function's name in upper case.
        """
