"""Function calls: the common form, and those with a syntax of their own."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import Any

from sqlglot import exp

from firesteel.sql.expression_grammar import ExpressionGrammar
from firesteel.sql.lexer import Kind
from firesteel.sql.words import words

_INNER_NAMES = {
    "$TUMBLE": "TUMBLE",
    "$HOP": "HOP",
    "$SESSION": "SESSION",
    "TRANSLATE3": "TRANSLATE",
}
"""Calcite's names for these, under which a view's query is kept."""
_WITHOUT_FILTER = ("JSON_ARRAYAGG", "JSON_OBJECTAGG")

TIME_UNITS = words(
    """
    MILLENNIUM CENTURY DECADE YEAR QUARTER MONTH WEEK DAY HOUR MINUTE SECOND
    MILLISECOND MICROSECOND NANOSECOND
    DOW DOY ISODOW ISOYEAR EPOCH FRAC_SECOND SQL_TSI_DAY SQL_TSI_FRAC_SECOND SQL_TSI_HOUR SQL_TSI_MICROSECOND
    SQL_TSI_MINUTE SQL_TSI_MONTH SQL_TSI_QUARTER SQL_TSI_SECOND SQL_TSI_WEEK SQL_TSI_YEAR
    """
)


class CallGrammar(ExpressionGrammar):
    """Reads one call, from its name to OVER."""

    def is_special_call(self, word: str) -> bool:
        return word in self._special()

    def _special(self) -> dict[str, Callable[[exp.Anonymous], None]]:
        """By name: what reads the arguments, between the parentheses."""
        return {
            "CAST": self._cast,
            "TRY_CAST": self._cast,
            "ROW": self._expressions,
            "EXTRACT": self._extract,
            "FLOOR": self._round_to,
            "CEIL": self._round_to,
            "CEILING": self._round_to,
            "TIMESTAMPADD": self._unit_first,
            "TIMESTAMPDIFF": self._unit_first,
            "POSITION": self._position,
            "TRIM": self._trim,
            "SUBSTRING": self._substring,
            "OVERLAY": self._overlay,
            "CONVERT": self._using,
            "TRANSLATE": self._using,
            "JSON_EXISTS": self._json_exists,
            "JSON_VALUE": self._json_value,
            "JSON_QUERY": self._json_query,
            "JSON_OBJECT": self._json_object,
            "JSON_OBJECTAGG": self._json_object,
            "JSON_ARRAY": self._json_array,
            "JSON_ARRAYAGG": self._json_array,
            "ARRAY": self._of_query,
            "MAP": self._of_query,
            "MULTISET": self._of_query,
        }

    def call(self) -> exp.Expression:
        token = self.token
        start = token.start
        reader = self._special().get(token.word)
        if reader is not None:
            self.advance()
            node = exp.Anonymous(this=token.text, expressions=[])
        else:
            node = exp.Anonymous(this=self._function_name(), expressions=[])
        self.expect_symbol("(")
        (reader or self._arguments)(node)
        self.expect_symbol(")")
        if token.word in ("CAST", "TRY_CAST"):
            kind = exp.Cast if token.word == "CAST" else exp.TryCast
            return self.place(kind(this=node.expressions[0], to=node.args["to"]), start)
        self._after_call(node)
        return self.place(node, start)

    def _function_name(self) -> str:
        if self.token.kind is Kind.WORD and self.symbol_ahead("("):
            name = self.advance().text
        else:
            name = ".".join(str(part.this) for part in self.path())
        return _INNER_NAMES.get(name.upper(), name)

    def _after_call(self, node: exp.Anonymous) -> None:
        """What may follow a call: WITHIN GROUP, IGNORE NULLS, FILTER, OVER."""
        if self.at("WITHIN"):
            raise self.not_supported("WITHIN GROUP", self.token)
        self._nulls(node)
        if self.at("FILTER") and self.symbol_ahead("(") and node.this.upper() not in _WITHOUT_FILTER:
            self.advance()
            self.expect_symbol("(")
            self.expect("WHERE")
            node.set("filter", self.expression())
            self.expect_symbol(")")
        if self.accept("OVER"):
            node.set("over", self.window())

    @abstractmethod
    def window(self) -> exp.Expression:
        """A window's name or its definition in parentheses."""

    @abstractmethod
    def order_by(self) -> list[exp.Expression]:
        """The items after ORDER BY."""

    def _nulls(self, node: exp.Anonymous) -> None:
        if self.at_any("IGNORE", "RESPECT") and self.ahead(1).word == "NULLS":
            node.set("nulls", self.advance().word)
            self.advance()

    # --- arguments -------------------------------------------------------------------------------
    def _arguments(self, node: exp.Anonymous) -> None:
        if self.accept_symbol("*"):
            node.set("star", True)
            return
        if self.at_symbol(")"):
            return
        if self.accept_any("DISTINCT", "ALL") == "DISTINCT":
            node.set("distinct", True)
        node.set("expressions", self.list_of(self._argument))
        self._nulls(node)
        if self.accept("ORDER", "BY"):
            node.set("order", self.order_by())

    def _argument(self) -> exp.Expression:
        """An expression, `name => value`, DEFAULT is refused."""
        start = self.token.start
        if self.symbol_ahead("=>"):
            name = self.name()
            self.advance()
            return self.place(exp.Kwarg(this=name, expression=self.table_argument()), start)
        return self.table_argument()

    def table_argument(self) -> exp.Expression:
        """An argument: in a table function also TABLE t and DESCRIPTOR(c)."""
        return self.expression()

    def _expressions(self, node: exp.Anonymous) -> None:
        node.set("expressions", self.list_of(self.expression))

    def _add(self, node: exp.Anonymous) -> None:
        node.append("expressions", self.expression())

    def _cast(self, node: exp.Anonymous) -> None:
        self._add(node)
        self.expect("AS")
        node.set("to", self.cast_target())
        if self.at("FORMAT"):
            raise self.not_supported("CAST with FORMAT", self.token)

    def _unit(self) -> str:
        word = self.token.text.upper() if self.token.kind is Kind.QUOTED else self.token.word
        if word not in TIME_UNITS:
            self._looked_for += ["YEAR", "MONTH", "DAY", "HOUR", "MINUTE", "SECOND"]
            raise self.error()
        self.advance()
        return word

    def _extract(self, node: exp.Anonymous) -> None:
        node.set("options", (self._unit(),))
        self.expect("FROM")
        self._add(node)

    def _round_to(self, node: exp.Anonymous) -> None:
        self._arguments(node)
        if self.accept("TO"):
            node.set("options", (self._unit(),))

    def _unit_first(self, node: exp.Anonymous) -> None:
        node.set("options", (self._unit(),))
        for _ in range(2):
            self.expect_symbol(",")
            self._add(node)

    def _position(self, node: exp.Anonymous) -> None:
        # the first operand ends before IN, so it may hold no comparison
        node.append("expressions", self.expression(_ABOVE_IN))
        self.expect("IN")
        self._add(node)
        if self.accept("FROM"):
            self._add(node)

    def _trim(self, node: exp.Anonymous) -> None:
        start = self.token.start
        side = self.accept_any("BOTH", "LEADING", "TRAILING")
        blank = self.place(exp.Literal(this=" ", is_string=True), start)
        if side and self.accept("FROM"):
            node.set("expressions", [blank, self.expression()])
        else:
            first = self.expression()
            if self.accept("FROM"):
                node.set("expressions", [first, self.expression()])
            else:
                node.set("expressions", [blank, first])
        node.set("options", (side or "BOTH",))

    def _substring(self, node: exp.Anonymous) -> None:
        self._add(node)
        separators = (("FROM",), ("FOR",))
        if self.at("FROM"):
            self.expect("FROM")
            self._add(node)
            if self.accept(*separators[1]):
                self._add(node)
            return
        self.expect_symbol(",")
        self._add(node)
        if self.accept_symbol(","):
            self._add(node)

    def _overlay(self, node: exp.Anonymous) -> None:
        self._add(node)
        self.expect("PLACING")
        self._add(node)
        self.expect("FROM")
        self._add(node)
        if self.accept("FOR"):
            self._add(node)

    def _using(self, node: exp.Anonymous) -> None:
        self._add(node)
        if self.accept("USING"):
            node.set("options", ("USING", str(self.name().this)))
            return
        self.expect_symbol(",")
        node.append("expressions", self.expression())
        while self.accept_symbol(","):
            self._add(node)

    def _of_query(self, node: exp.Anonymous) -> None:
        start = self.token.start
        node.set("expressions", [self.place(exp.Subquery(this=self.query()), start)])

    # --- JSON ------------------------------------------------------------------------------------
    def _json_path(self, node: exp.Anonymous) -> None:
        self._add(node)
        self.expect_symbol(",")
        self._add(node)

    def _json_exists(self, node: exp.Anonymous) -> None:
        self._json_path(node)
        word = self.accept_any("TRUE", "FALSE", "UNKNOWN", "ERROR")
        if word:
            self.expect("ON", "ERROR")
            node.set("on_error", word)

    def _returning(self, node: exp.Anonymous) -> None:
        if self.accept("RETURNING"):
            node.set("returning", self.type_name())

    def _json_value(self, node: exp.Anonymous) -> None:
        self._json_path(node)
        self._returning(node)

        def behaviour() -> tuple[str, Any] | None:
            word = self.accept_any("NULL", "ERROR", "DEFAULT")
            return (word, self.expression() if word == "DEFAULT" else None) if word else None

        events = self._json_events(behaviour)
        node.set("clauses", [part for event, word, _ in events for part in (word, f"ON {event}")])
        node.set("defaults", [default for _, _, default in events if default is not None])

    def _json_query(self, node: exp.Anonymous) -> None:
        self._json_path(node)
        self._returning(node)
        word = self.accept_any("WITH", "WITHOUT")
        if word:
            kind = self.accept_any("CONDITIONAL", "UNCONDITIONAL") if word == "WITH" else None
            self.accept("ARRAY")
            self.expect("WRAPPER")
            node.set("wrapper", "WITHOUT" if word == "WITHOUT" else kind or "UNCONDITIONAL")

        def behaviour() -> tuple[str, Any] | None:
            word = self.accept_any("NULL", "ERROR", "EMPTY")
            if word == "EMPTY":
                word = f"EMPTY {self.expect_any('ARRAY', 'OBJECT')}"
            return (word, None) if word else None

        for event, word, _ in self._json_events(behaviour):  # the last of several counts
            node.set(f"on_{event.lower()}", word)

    def _json_events(self, behaviour: Callable[[], tuple[str, Any] | None]) -> list[tuple[str, str, Any]]:
        """{behaviour ON {EMPTY | ERROR}}: the event, the behaviour's word and its default."""
        events: list[tuple[str, str, Any]] = []
        while found := behaviour():
            self.expect("ON")
            events.append((self.expect_any("EMPTY", "ERROR"), *found))
        return events

    def _json_object(self, node: exp.Anonymous) -> None:
        if not self.at_symbol(")") and not self.at("NULL", "ON") and not self.at("ABSENT", "ON"):
            self._pair(node)
            while self.accept_symbol(","):
                self._pair(node)
        self._on_null(node)

    def _pair(self, node: exp.Anonymous) -> None:
        keyed = self.at("KEY") and not self.symbol_ahead("(") and self.ahead(1).word != "VALUE"
        if keyed:
            self.advance()
        self._add(node)
        if keyed or not self.accept_symbol(":"):
            self.expect("VALUE")
        self._add(node)

    def _json_array(self, node: exp.Anonymous) -> None:
        if not self.at_symbol(")"):
            node.set("expressions", self.list_of(self.expression))
        if self.accept("ORDER", "BY"):
            node.set("order", self.order_by())
        if node.expressions:
            self._on_null(node)

    def _on_null(self, node: exp.Anonymous) -> None:
        word = self.accept_any("NULL", "ABSENT")
        if word:
            self.expect("ON", "NULL")
            node.set("on_null", word)


_ABOVE_IN = 7
"""The precedence just above IN, see expression_grammar.py."""
