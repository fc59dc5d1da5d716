"""Parser of SQL statements, and its entry points."""

from __future__ import annotations

import re
from collections.abc import Callable

from firesteel.errors import FiresteelError, ParseError, SourceRange, ValidationError
from firesteel.sql.job_grammar import JobGrammar
from firesteel.sql.lexer import Kind, tokens
from firesteel.sql.query_syntax import Hint
from firesteel.sql.statements import (
    CreateTable,
    Describe,
    Explain,
    Insert,
    Name,
    Query,
    ResetOption,
    SetOption,
    Show,
    Statement,
    StatementSet,
    Use,
)
from firesteel.sql.syntax import Node
from firesteel.types.sql import SqlType

_DETAILS = ("ESTIMATED_COST", "CHANGELOG_MODE", "JSON_EXECUTION_PLAN", "PLAN_ADVICE")
_WITHOUT_PLACE = ("CATALOGS", "MODULES", "FULL MODULES", "JARS")
_ANY_CASE = ("CATALOGS", "DATABASES", "FUNCTIONS", "USER FUNCTIONS", "PROCEDURES")
_SHOWN = (
    *("TABLES", "VIEWS", "FUNCTIONS", "USER FUNCTIONS", "CATALOGS", "DATABASES", "MODULES"),
    *("FULL MODULES", "JARS", "MODELS", "MATERIALIZED TABLES", "PROCEDURES"),
)
_LATER = frozenset({"CALL", "COMPILE", "MERGE", "LOAD", "UNLOAD", "ADD", "REMOVE", "EXECUTE"})
# `SET key = value` without quotes around the key, as in Flink's SetOperationParseStrategy (ExtendedParser)
_BARE_SET = re.compile(r"SET\s+([^'\s]+?)\s*=\s*(?:'([^']*)'|([^;\s]+))\s*", re.IGNORECASE)


def parse_script(text: str) -> list[Statement]:
    """Return all statements of a script in order.

    Raises:
        ParseError: The text is not Flink SQL.
        NotSupportedError: Flink supports the syntax, Firesteel does not.
    """
    return _located(text, lambda parser: parser.script())


def parse_statement(text: str) -> Statement:
    """Return the only statement of a text. Raises ParseError for none or several, else as parse_script."""
    statements = parse_script(text)
    if len(statements) != 1:
        found = (
            SourceRange(statements[1].range.start, statements[1].range.end)
            if statements
            else SourceRange(0, 0)
        )
        raise ParseError(f"one statement is expected, found {len(statements)}", range=found, sql=text)
    return statements[0]


def parse_query(text: str) -> Query:
    """Return the query of a text, such as a view's. Raises ParseError for no query, else as parse_script."""
    statement = parse_statement(text)
    if not isinstance(statement, Query):
        raise ParseError("a query is expected", range=statement.range, sql=text)
    return statement


def parse_expression(text: str) -> Node:
    """Return the expression of a text, such as a computed column's. Raises as parse_script does."""
    parser = Parser(text, tokens(text))
    found = parser.expression()
    if not parser.at_end():
        raise parser.error().located(text)
    return found


def parse_type(text: str) -> SqlType:
    """Return the type of a text such as `INT NOT NULL`. It may be an interval. Raises as parse_script."""
    parser = Parser(text, tokens(text))
    parser.intervals_anywhere = True
    try:
        found = parser.element_type()
    except FiresteelError as error:
        raise error.located(text) from None
    if not parser.at_end():
        raise parser.error().located(text)
    return found


def split_script(text: str) -> list[SourceRange]:
    """Return the range of each statement in a script, without its semicolon. Statements may be invalid.

    A semicolon ends a statement, unless it is in a string, a comment, a name between backquotes or a
    statement set (STATEMENT SET BEGIN ... END). Empty statements are left out.
    """
    found = tokens(text)
    ranges: list[SourceRange] = []
    first: int | None = None
    in_set = False
    for index, token in enumerate(found):
        before = found[index - 1]
        words = [t.word for t in found[max(0, index - 2) : index + 1]]
        if words in (["STATEMENT", "SET", "BEGIN"], ["BEGIN", "STATEMENT", "SET"]):
            in_set = True
        if token.word == "END" and before.text == ";":
            in_set = False
        ends = token.kind is Kind.END or (token.kind is Kind.SYMBOL and token.text == ";" and not in_set)
        if ends and first is not None:
            ranges.append(SourceRange(first, before.end))
            first = None
        elif not ends and first is None:
            first = token.start
    return ranges


def is_complete(text: str) -> bool:
    """Return whether the last token of a text is a semicolon that ends a statement. A comment may follow.

    An interactive terminal runs such a text. For any other text, it waits for more lines.
    """
    found = tokens(text)
    ranges = split_script(text)
    return (
        len(found) > 1
        and found[-2].kind is Kind.SYMBOL
        and found[-2].text == ";"
        and (not ranges or ranges[-1].end <= found[-2].start)
    )


def _located(text: str, read: Callable[[Parser], list[Statement]]) -> list[Statement]:
    parser: Parser | None = None
    try:
        parser = Parser(text, tokens(text))
        return read(parser)
    except FiresteelError as error:
        raise error.located(text) from None
    except RecursionError:
        place = SourceRange(0, len(text)) if parser is None else parser.token.range
        raise ParseError(
            "the statement is nested too deeply",
            range=place,
            sql=text,
            hint="take what is inside out into views",
        ) from None


class Parser(JobGrammar):
    """Parser of Flink SQL statements."""

    def script(self) -> list[Statement]:
        """Read statements to the end of the text, skipping empty ones."""
        statements: list[Statement] = []
        while True:
            while self.accept_symbol(";"):
                pass
            if self.at_end():
                return statements
            statements.append(self.statement())
            if not self.at_symbol(";") and not self.at_end():
                raise self.error()

    def statement(self) -> Statement:
        """Read one statement, without the semicolon that ends it."""
        word = self.token.word
        reader: dict[str, Callable[[], Statement]] = {
            "CREATE": self.create,
            "REPLACE": self.create,
            "DROP": self.drop,
            "ALTER": self.alter,
            "ANALYZE": self.analyze,
            **dict.fromkeys(("TRUNCATE", "DELETE", "UPDATE"), self.change_rows),
            "SET": self._set,
            "RESET": self._reset,
            "SHOW": self._show,
            "DESCRIBE": self._describe,
            "DESC": self._describe,
            "USE": self._use,
            "EXPLAIN": self._explain,
            "STOP": self.stop_job,
        }
        if word in reader:
            return reader[word]()
        if self.at("EXECUTE", "STATEMENT") or self.at("BEGIN", "STATEMENT") or self.at("INSERT"):
            return self._change()
        if self.at_any("SELECT", "WITH", "VALUES", "TABLE") or self.at_symbol("("):
            return self._query_statement()
        if word in _LATER:
            raise self.not_supported(f"the statement {word}", self.token)
        if self.at("STATEMENT", "SET"):
            raise self.error(hint="write EXECUTE STATEMENT SET BEGIN ... END")
        self._looked_for += [*reader, "INSERT", "SELECT"]
        raise self.error(f"unknown statement {self._found()}")

    def _query_statement(self) -> Query:
        start = self.token.start
        query = self.query()
        return Query(self.since(start), query)

    def _change(self) -> Insert | StatementSet | Query:
        if self.at("INSERT"):
            return self._insert()
        start = self.token.start
        if self.accept("BEGIN"):  # as in Flink's SQL client: BEGIN STATEMENT SET; INSERT ...; END
            self.expect("STATEMENT", "SET")
            self.expect_symbol(";")
        else:
            self.accept("EXECUTE")
            self.expect("STATEMENT", "SET")
            self.expect("BEGIN")
        inserts: list[Insert] = []
        while not inserts or not self.at("END"):
            if not self.at("INSERT"):
                raise self.error()
            inserts.append(self._insert())
            self.expect_symbol(";")
        self.expect("END")
        return StatementSet(self.since(start), tuple(inserts))

    def _insert(self) -> Insert:
        start = self.advance().start
        if self.expect_any("INTO", "OVERWRITE") == "OVERWRITE":
            raise ValidationError("Streaming mode not support overwrite.", range=self.previous.range)
        table = self.full_name()
        hints = tuple(_hint(hint) for hint in self.hints())
        partition: tuple[tuple[Name, Node], ...] = ()
        if self.accept("PARTITION"):
            partition = tuple(self.in_parentheses(lambda: self.list_of(self._partition_value)))
        columns: tuple[Name, ...] = ()
        if self.at_symbol("(") and not self.is_query_ahead():
            columns = self.names_in_parentheses()
        query = self.query()
        conflict = None
        if self.accept("ON", "CONFLICT"):
            self.expect("DO")
            conflict = self.expect_any("DEDUPLICATE", "ERROR", "NOTHING")
        return Insert(self.since(start), table, query, columns, hints, conflict, partition)

    def _partition_value(self) -> tuple[Name, Node]:
        """Read `key = literal` in the clause PARTITION (..) of an INSERT."""
        key = self.simple_name()
        self.expect_symbol("=")
        return key, self.literal()

    def _explain(self) -> Explain:
        start = self.advance().start
        details: tuple[str, ...] = ()
        if self.accept("PLAN"):
            self.expect("FOR")
        elif self.at_any(*_DETAILS):
            details = self.list_of(lambda: self.expect_any(*_DETAILS))
        statement: Query | Insert | StatementSet | CreateTable
        if self.at_any("CREATE", "REPLACE"):
            created = self.create()
            if not isinstance(created, CreateTable) or created.query is None:
                raise ParseError("only a table made AS a query can be explained", range=created.range)
            statement = created
        elif self.at_any("INSERT", "EXECUTE", "STATEMENT"):
            statement = self._change()
        elif self.at_any("SELECT", "WITH", "VALUES", "TABLE") or self.at_symbol("("):
            statement = self._query_statement()
        else:
            raise self.error()
        return Explain(self.since(start), statement, tuple(details))

    # --- options ---------------------------------------------------------------------------------
    def _set(self) -> SetOption:
        start = self.advance().start
        if self.at_end() or self.at_symbol(";"):
            return SetOption(self.since(start))
        if self.token.kind is Kind.STRING:
            key = self.string()
            self.expect_symbol("=")
            return SetOption(range=SourceRange(start, self.token.end), key=key, value=self.string())
        return self._bare_set(start)

    def _bare_set(self, start: int) -> SetOption:
        """Read the rest of `SET table.exec.state.ttl = 1d`, up to the semicolon or the end of the text.

        A regular expression finds the key and the value, because the lexer splits a text such as `1d` into
        several tokens. `start` is the offset of SET.
        """
        if self.token.kind is not Kind.WORD:
            raise self.error()
        while not self.at_end() and not self.at_symbol(";"):
            self.advance()
        end = self.previous.end
        match = _BARE_SET.fullmatch(self.text[start:end])
        if match is None:
            raise ParseError(
                "SET takes a name and a value",
                range=SourceRange(start, end),
                hint="write SET 'name' = 'value';",
            )
        value = match.group(2) if match.group(2) is not None else match.group(3)
        return SetOption(SourceRange(start, end), match.group(1), value)

    def _reset(self) -> ResetOption:
        start = self.advance().start
        if self.at_end() or self.at_symbol(";"):
            return ResetOption(self.since(start))
        if self.token.kind is Kind.STRING:
            key = self.string()
            return ResetOption(self.since(start), key)
        if self.token.kind is not Kind.WORD:
            raise self.error()
        first = self.token.start
        while not self.at_end() and not self.at_symbol(";"):
            self.advance()
        key = self.text[first : self.previous.end]
        if re.search(r"[\s'=]", key):
            raise ParseError("RESET takes one name", range=SourceRange(first, self.previous.end))
        return ResetOption(self.since(start), key)

    # --- SHOW, DESCRIBE, USE ---------------------------------------------------------------------
    def _show(self) -> Statement:
        start = self.advance().start
        if self.accept("JOBS"):
            return self.show_jobs(start)
        for word in ("TABLE", "VIEW", "CATALOG"):
            if self.accept("CREATE", word):
                name = self.simple_name() if word == "CATALOG" else self.full_name()
                return Show(self.since(start), f"CREATE {word}", name)
        if self.accept("CURRENT"):
            what = f"CURRENT {self.expect_any('CATALOG', 'DATABASE')}"
            return Show(self.since(start), what)
        if self.accept("COLUMNS"):
            self.expect_any("FROM", "IN")
            name = self.full_name()
            return self._show_like(start, "COLUMNS", name)
        if self.accept("PARTITIONS"):
            name = self.full_name()
            if self.accept("PARTITION"):
                self.in_parentheses(lambda: self.list_of(self.expression))
            return Show(self.since(start), "PARTITIONS", name)
        for what in _SHOWN:
            if self.accept(*what.split()):
                in_database = self.accept_any("FROM", "IN") if what not in _WITHOUT_PLACE else None
                return self._show_like(start, what, self.full_name() if in_database else None)
        raise self.error()

    def _show_like(self, start: int, what: str, name: Name | None) -> Show:
        negated = self.accept("NOT")
        words = ("LIKE", "ILIKE") if what in _ANY_CASE else ("LIKE",)
        word = self.expect_any(*words) if negated else self.accept_any(*words)
        pattern = self.string() if word else None
        return Show(self.since(start), what, name, pattern, negated, word == "ILIKE")

    def _describe(self) -> Statement:
        start = self.advance().start
        if self.at("CATALOG") and not self.symbol_ahead("."):
            self.advance()
            return self.describe_catalog(start)
        if self.at_any("DATABASE", "FUNCTION", "MODEL", "JOB") and self.ahead(1).kind in (
            Kind.WORD,
            Kind.QUOTED,
            Kind.STRING,
        ):
            if self.at("DATABASE"):
                raise self.described_database()
            if self.at("JOB"):
                return self.describe_job(start)
            raise self.not_supported(f"DESCRIBE {self.token.word}", self.token)
        self.accept("TABLE")
        extended = self.accept("EXTENDED")
        table = self.full_name()
        return Describe(self.since(start), table, extended)

    def _use(self) -> Use:
        start = self.advance().start
        if self.at("MODULES"):
            raise self.not_supported("USE MODULES", self.token)
        kind = (
            "CATALOG" if self.at("CATALOG") and self.ahead(1).kind in (Kind.WORD, Kind.QUOTED) else "DATABASE"
        )
        if kind == "CATALOG":
            self.advance()
        name = self.full_name()
        return Use(self.since(start), kind, name)


def _hint(node: object) -> tuple[str, tuple[tuple[str, str], ...]]:
    assert isinstance(node, Hint)
    return node.name.name.upper(), node.options


__all__ = [
    "Parser",
    "is_complete",
    "parse_query",
    "parse_script",
    "parse_statement",
    "split_script",
]
