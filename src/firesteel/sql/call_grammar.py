"""Grammar of function calls, including those with a syntax of their own."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from firesteel.sql.expression_grammar import ExpressionGrammar
from firesteel.sql.lexer import Kind
from firesteel.sql.syntax import (
    Call,
    Cast,
    Identifier,
    JsonClauses,
    NamedArgument,
    Node,
    OrderItem,
    OverWindow,
    StringLiteral,
    Subquery,
    TypeName,
)
from firesteel.sql.words import words

_INNER_NAMES = {
    "$TUMBLE": "TUMBLE",
    "$HOP": "HOP",
    "$SESSION": "SESSION",
    "TRANSLATE3": "TRANSLATE",
}
"""SQL names of functions, by Calcite's internal names. The expanded queries of views have internal names."""
_WITHOUT_FILTER = ("JSON_ARRAYAGG", "JSON_OBJECTAGG")

TIME_UNITS = words(
    """
    MILLENNIUM CENTURY DECADE YEAR QUARTER MONTH WEEK DAY HOUR MINUTE SECOND
    MILLISECOND MICROSECOND NANOSECOND
    DOW DOY ISODOW ISOYEAR EPOCH FRAC_SECOND SQL_TSI_DAY SQL_TSI_FRAC_SECOND SQL_TSI_HOUR SQL_TSI_MICROSECOND
    SQL_TSI_MINUTE SQL_TSI_MONTH SQL_TSI_QUARTER SQL_TSI_SECOND SQL_TSI_WEEK SQL_TSI_YEAR
    """
)


@dataclass
class _Parts:
    """Parts of a call that have been read. See syntax.Call for the fields."""

    name: str
    args: list[Node] = field(default_factory=list)
    options: tuple[str, ...] = ()
    star: bool = False
    distinct: bool = False
    nulls: str | None = None
    order: tuple[OrderItem, ...] = ()
    filter: Node | None = None
    over: OverWindow | Identifier | None = None
    json: JsonClauses = field(default_factory=JsonClauses)
    target: TypeName | None = None
    """Type of a CAST."""

    def node(self) -> Node:
        if self.target is not None:
            return Cast(self.args[0], self.target, safe=self.name.upper() == "TRY_CAST")
        return Call(
            self.name, tuple(self.args), self.options, self.star, self.distinct, nulls=self.nulls,
            order=self.order, filter=self.filter, over=self.over, json=self.json,
        )  # fmt: skip


class CallGrammar(ExpressionGrammar):
    """Grammar of a call, from its name to OVER."""

    def is_special_call(self, word: str) -> bool:
        return word in self._special()

    def _special(self) -> dict[str, Callable[[_Parts], None]]:
        """Return readers of the text between the parentheses, by function name."""
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

    def call(self) -> Node:
        token = self.token
        start = token.start
        reader = self._special().get(token.word)
        if reader is not None:
            self.advance()
        parts = _Parts(self._function_name() if reader is None else token.text)
        self.expect_symbol("(")
        (reader or self._arguments)(parts)
        self.expect_symbol(")")
        if parts.target is None:
            self._after_call(parts)
        return self.place(parts.node(), start)

    def _function_name(self) -> str:
        if self.token.kind is Kind.WORD and self.symbol_ahead("("):
            name = self.advance().text
        else:
            name = ".".join(self.path())
        return _INNER_NAMES.get(name.upper(), name)

    def _after_call(self, parts: _Parts) -> None:
        """Read what may follow a call: WITHIN GROUP, IGNORE NULLS, FILTER, OVER."""
        if self.at("WITHIN"):
            raise self.not_supported("WITHIN GROUP", self.token)
        self._nulls(parts)
        if self.at("FILTER") and self.symbol_ahead("(") and parts.name.upper() not in _WITHOUT_FILTER:
            self.advance()
            self.expect_symbol("(")
            self.expect("WHERE")
            parts.filter = self.expression()
            self.expect_symbol(")")
        if self.accept("OVER"):
            parts.over = self.window()

    @abstractmethod
    def window(self) -> OverWindow | Identifier:
        """Read a window's name, or its definition in parentheses."""

    @abstractmethod
    def order_by(self) -> tuple[OrderItem, ...]:
        """Read the items after ORDER BY."""

    def _nulls(self, parts: _Parts) -> None:
        if self.at_any("IGNORE", "RESPECT") and self.ahead(1).word == "NULLS":
            parts.nulls = self.advance().word
            self.advance()

    # --- arguments -------------------------------------------------------------------------------
    def _arguments(self, parts: _Parts) -> None:
        if self.accept_symbol("*"):
            parts.star = True
            return
        if self.at_symbol(")"):
            return
        if self.accept_any("DISTINCT", "ALL") == "DISTINCT":
            parts.distinct = True
        parts.args += self.list_of(self._argument)
        self._nulls(parts)
        if self.accept("ORDER", "BY"):
            parts.order = self.order_by()

    def _argument(self) -> Node:
        """Read an argument: an expression, or `name => value`."""
        start = self.token.start
        if self.symbol_ahead("=>"):
            name = self.name()
            self.advance()
            return self.place(NamedArgument(name, self.table_argument()), start)
        return self.table_argument()

    def table_argument(self) -> Node:
        """Read an argument. A subclass overrides this method, to allow `TABLE t` in table functions."""
        return self.expression()

    def _expressions(self, parts: _Parts) -> None:
        parts.args += self.list_of(self.expression)

    def _add(self, parts: _Parts) -> None:
        parts.args.append(self.expression())

    def _cast(self, parts: _Parts) -> None:
        self._add(parts)
        self.expect("AS")
        parts.target = self.cast_target()
        if self.at("FORMAT"):
            raise self.not_supported("CAST with FORMAT", self.token)

    def _unit(self) -> str:
        word = self.token.text.upper() if self.token.kind is Kind.QUOTED else self.token.word
        if word not in TIME_UNITS:
            self._looked_for += ["YEAR", "MONTH", "DAY", "HOUR", "MINUTE", "SECOND"]
            raise self.error()
        self.advance()
        return word

    def _extract(self, parts: _Parts) -> None:
        parts.options = (self._unit(),)
        self.expect("FROM")
        self._add(parts)

    def _round_to(self, parts: _Parts) -> None:
        self._arguments(parts)
        if self.accept("TO"):
            parts.options = (self._unit(),)

    def _unit_first(self, parts: _Parts) -> None:
        parts.options = (self._unit(),)
        for _ in range(2):
            self.expect_symbol(",")
            self._add(parts)

    def _position(self, parts: _Parts) -> None:
        # In POSITION(a IN b), IN ends the first operand. So the operand cannot contain a comparison.
        parts.args.append(self.expression(_ABOVE_IN))
        self.expect("IN")
        self._add(parts)
        if self.accept("FROM"):
            self._add(parts)

    def _trim(self, parts: _Parts) -> None:
        start = self.token.start
        side = self.accept_any("BOTH", "LEADING", "TRAILING")
        blank = self.place(StringLiteral(" "), start)
        if side and self.accept("FROM"):
            parts.args = [blank, self.expression()]
        else:
            first = self.expression()
            if self.accept("FROM"):
                parts.args = [first, self.expression()]
            else:
                parts.args = [blank, first]
        parts.options = (side or "BOTH",)

    def _substring(self, parts: _Parts) -> None:
        self._add(parts)
        if self.accept("FROM"):
            self._add(parts)
            if self.accept("FOR"):
                self._add(parts)
            return
        self.expect_symbol(",")
        self._add(parts)
        if self.accept_symbol(","):
            self._add(parts)

    def _overlay(self, parts: _Parts) -> None:
        self._add(parts)
        self.expect("PLACING")
        self._add(parts)
        self.expect("FROM")
        self._add(parts)
        if self.accept("FOR"):
            self._add(parts)

    def _using(self, parts: _Parts) -> None:
        self._add(parts)
        if self.accept("USING"):
            parts.options = ("USING", self.name().name)
            return
        self.expect_symbol(",")
        parts.args.append(self.expression())
        while self.accept_symbol(","):
            self._add(parts)

    def _of_query(self, parts: _Parts) -> None:
        start = self.token.start
        parts.args = [self.place(Subquery(self.query()), start)]

    # --- JSON ------------------------------------------------------------------------------------
    def _json_path(self, parts: _Parts) -> None:
        self._add(parts)
        self.expect_symbol(",")
        self._add(parts)

    def _json_exists(self, parts: _Parts) -> None:
        self._json_path(parts)
        word = self.accept_any("TRUE", "FALSE", "UNKNOWN", "ERROR")
        if word:
            self.expect("ON", "ERROR")
            parts.json = replace(parts.json, on_error=word)

    def _returning(self, parts: _Parts) -> None:
        if self.accept("RETURNING"):
            parts.json = replace(parts.json, returning=self.type_name())

    def _json_value(self, parts: _Parts) -> None:
        self._json_path(parts)
        self._returning(parts)

        def behaviour() -> _Behaviour | None:
            word = self.accept_any("NULL", "ERROR", "DEFAULT")
            return (word, self.expression() if word == "DEFAULT" else None) if word else None

        events = self._json_events(behaviour)
        parts.json = replace(
            parts.json,
            clauses=tuple(part for event, word, _ in events for part in (word, f"ON {event}")),
            defaults=tuple(default for _, _, default in events if default is not None),
        )

    def _json_query(self, parts: _Parts) -> None:
        self._json_path(parts)
        self._returning(parts)
        word = self.accept_any("WITH", "WITHOUT")
        if word:
            kind = self.accept_any("CONDITIONAL", "UNCONDITIONAL") if word == "WITH" else None
            self.accept("ARRAY")
            self.expect("WRAPPER")
            parts.json = replace(
                parts.json, wrapper="WITHOUT" if word == "WITHOUT" else kind or "UNCONDITIONAL"
            )

        def behaviour() -> _Behaviour | None:
            word = self.accept_any("NULL", "ERROR", "EMPTY")
            if word == "EMPTY":
                word = f"EMPTY {self.expect_any('ARRAY', 'OBJECT')}"
            return (word, None) if word else None

        for event, word, _ in self._json_events(behaviour):  # of two clauses for one event, the last counts
            if event == "EMPTY":
                parts.json = replace(parts.json, on_empty=word)
            else:
                parts.json = replace(parts.json, on_error=word)

    def _json_events(self, behaviour: Callable[[], _Behaviour | None]) -> list[tuple[str, str, Node | None]]:
        """Read clauses such as `NULL ON EMPTY` or `DEFAULT 0 ON ERROR`.

        Args:
            behaviour: Function that reads the text before ON; it returns None if there is no further clause.

        Returns:
            For each clause (`EMPTY` or `ERROR`, first word such as `NULL`, value of DEFAULT). The value is
            None if the first word is not DEFAULT.
        """
        events: list[tuple[str, str, Node | None]] = []
        while found := behaviour():
            self.expect("ON")
            events.append((self.expect_any("EMPTY", "ERROR"), *found))
        return events

    def _json_object(self, parts: _Parts) -> None:
        if not self.at_symbol(")") and not self.at("NULL", "ON") and not self.at("ABSENT", "ON"):
            self._pair(parts)
            while self.accept_symbol(","):
                self._pair(parts)
        self._on_null(parts)

    def _pair(self, parts: _Parts) -> None:
        keyed = self.at("KEY") and not self.symbol_ahead("(") and self.ahead(1).word != "VALUE"
        if keyed:
            self.advance()
        self._add(parts)
        if keyed or not self.accept_symbol(":"):
            self.expect("VALUE")
        self._add(parts)

    def _json_array(self, parts: _Parts) -> None:
        if not self.at_symbol(")"):
            parts.args += self.list_of(self.expression)
        if self.accept("ORDER", "BY"):
            parts.order = self.order_by()
        if parts.args:
            self._on_null(parts)

    def _on_null(self, parts: _Parts) -> None:
        word = self.accept_any("NULL", "ABSENT")
        if word:
            self.expect("ON", "NULL")
            parts.json = replace(parts.json, on_null=word)


_Behaviour = tuple[str, "Node | None"]
"""Text before ON EMPTY or ON ERROR: its first word, such as NULL, and the value of DEFAULT or None."""
_ABOVE_IN = 7
"""Precedence just above IN (expression_grammar.py)."""
