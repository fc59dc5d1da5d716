"""The statement at the cursor, as completion sees it: its words, and the tables it reads."""

from __future__ import annotations

from dataclasses import dataclass

from firesteel.sql.lexer import Kind, Token, tokens

_CLAUSES = frozenset(
    [
        "SELECT",
        "FROM",
        "WHERE",
        "GROUP",
        "HAVING",
        "ORDER",
        "ON",
        "JOIN",
        "INTO",
        "VALUES",
        "SET",
        "WITH",
        "LIMIT",
        "PARTITION",
        "QUALIFY",
        "USING",
        "BY",
    ]
)
_AFTER_A_TABLE = frozenset(
    [
        "WHERE",
        "GROUP",
        "HAVING",
        "ORDER",
        "ON",
        "JOIN",
        "LEFT",
        "RIGHT",
        "INNER",
        "FULL",
        "CROSS",
        "NATURAL",
        "UNION",
        "EXCEPT",
        "INTERSECT",
        "LIMIT",
        "USING",
        "SELECT",
        "FETCH",
        "OFFSET",
        "QUALIFY",
        "WINDOW",
        "FOR",
        "SET",
        "VALUES",
    ]
)
TABLE_WORDS = frozenset({"FROM", "JOIN", "INTO"})
_FROM_IN_CALLS = frozenset({"EXTRACT", "TRIM", "SUBSTRING", "OVERLAY", "POSITION"})
"""Functions in whose arguments FROM does not precede a table, as in `EXTRACT(YEAR FROM ts)`."""

_NO_TABLE = _CLAUSES | {"TABLE", "LATERAL", "UNNEST"}
"""Words that may follow FROM or JOIN and are no name of a table."""


@dataclass(frozen=True)
class Typed:
    """A statement up to the cursor.

    Attributes:
        words: Complete tokens before the word that is being typed.
        prefix: Typed part of the word, without its quote.
        start: Offset of the prefix in the text.
        quote: Quote before the prefix, "" for none.
        rest: Tokens of the statement after the cursor.
    """

    words: tuple[Token, ...]
    prefix: str
    start: int
    quote: str
    rest: tuple[Token, ...]

    def word(self, back: int = 1) -> str:
        """Return the token `back` tokens before the word that is being typed; 1 is the nearest token.

        Returns:
            A word without quotes in upper case, or a symbol such as `(`. "" for any other token, such as a
            string or a quoted name, and if there are fewer tokens.
        """
        if back > len(self.words):
            return ""
        token = self.words[-back]
        return token.text if token.kind is Kind.SYMBOL else token.word

    @property
    def first(self) -> tuple[str, str]:
        """First two words of the statement in upper case."""
        found = [token.word for token in self.words[:2]]
        return (*found, "", "")[0], (*found, "", "")[1]

    @property
    def clause(self) -> str:
        """Keyword that begins the clause at the cursor, such as FROM; "" for none.

        Keywords within closed parentheses are ignored. In open parentheses that contain no such keyword, the
        clause outside of the parentheses counts: FROM at the end of `SELECT a FROM f(`.
        """
        depth = 0
        for token in reversed(self.words):
            if _symbol(token) in ("(", ")"):
                depth = depth + 1 if token.text == ")" else max(depth - 1, 0)
            elif not depth and token.word in _CLAUSES:
                return token.word
        return ""

    @property
    def called(self) -> str:
        """Word before the innermost open parenthesis, in upper case; "" for none."""
        depth = 0
        for before, token in zip(reversed(self.words[:-1]), reversed(self.words), strict=False):
            depth += {")": 1, "(": -1}.get(_symbol(token), 0)
            if depth < 0:
                return before.word
        return ""

    @property
    def wants_table(self) -> bool:
        """Whether a table's name fits at the cursor: behind FROM, JOIN, INTO, `(TABLE` or a comma of FROM."""
        word = self.word()
        if word == "FROM":
            return self.called not in _FROM_IN_CALLS and self.word(2) != "DISTINCT"
        if word in TABLE_WORDS or (word == "TABLE" and self.word(2) == "("):
            return True
        return word == "," and self.clause == "FROM" and self.called in ("", "FROM")


def typed(text: str, cursor: int) -> Typed | None:
    """Return the statement at the cursor, None inside of a comment."""
    found = tokens(text[:cursor])[:-1]
    found = found[_behind_the_last_semicolon(found) :]
    rest = tokens(_behind_quote(text[cursor:], found))[:-1]
    ends = next((i for i, t in enumerate(rest) if t.kind is Kind.SYMBOL and t.text == ";"), len(rest))
    after = tuple(rest[:ends])
    if found and found[-1].kind is Kind.UNREADABLE and found[-1].text[0] in "'`":
        opened = found[-1]
        return Typed(tuple(found[:-1]), opened.text[1:], opened.start + 1, opened.text[0], after)
    if _in_comment(text[:cursor], found):
        return None
    if found and found[-1].kind is Kind.WORD and found[-1].end == cursor:
        return Typed(tuple(found[:-1]), found[-1].text, found[-1].start, "", after)
    return Typed(tuple(found), "", cursor, "", after)


def _behind_quote(text: str, found: list[Token]) -> str:
    """Return the text after the cursor, without the rest of a string or name in which the cursor stands.

    The rest ends at the next quote. If a line end or one of `=,();` comes before that quote, the user has
    probably not typed the closing quote yet. The whole text is then returned.

    Args:
        text: The text after the cursor.
        found: Tokens before the cursor.
    """
    if not found or found[-1].kind is not Kind.UNREADABLE:
        return text
    inside, quote, behind = text.partition(found[-1].text[0])
    return behind if quote and not set(inside) & set("\n=,();") else text


def _behind_the_last_semicolon(found: list[Token]) -> int:
    ends = [i for i, token in enumerate(found) if token.kind is Kind.SYMBOL and token.text == ";"]
    return ends[-1] + 1 if ends else 0


def _in_comment(text: str, found: list[Token]) -> bool:
    if found and found[-1].kind is Kind.UNREADABLE and found[-1].text.startswith("/*"):
        return True
    behind = text[found[-1].end if found else 0 :]
    line = behind.rpartition("\n")[2]
    return "--" in line or line.lstrip().startswith("//")


def tables_read(statement: Typed) -> dict[str, tuple[str, ...]]:
    """Return the tables that the statement names, such as {"o": ("my_catalog", "shop", "orders")}.

    The key qualifies columns: it is the alias, or the last part of the table's name if there is no alias. The
    value has the parts of the table's name.
    """
    every = (*statement.words, *statement.rest)
    found: dict[str, tuple[str, ...]] = {}
    index = 0
    in_from = False
    around: list[bool] = []  # for each open parenthesis, `in_from` before it
    while index < len(every):
        word, symbol = every[index].word, _symbol(every[index])
        if word in TABLE_WORDS or word == "TABLE" or (in_from and symbol == ","):
            in_from = in_from or word in ("FROM", "JOIN")
            path, index = _path(every, index + 1)
            if path and not (index < len(every) and _symbol(every[index]) == "("):
                alias, index = _alias(every, index)
                found[alias or path[-1]] = path
            continue
        if symbol == "(":
            around.append(in_from)
        if symbol == ")" and around:
            in_from = around.pop()
        in_from = in_from and symbol != "(" and word not in _AFTER_A_TABLE
        index += 1
    return found


def _symbol(token: Token) -> str:
    return token.text if token.kind is Kind.SYMBOL else ""


def _path(every: tuple[Token, ...], index: int) -> tuple[tuple[str, ...], int]:
    parts: list[str] = []
    if index < len(every) and every[index].word in _NO_TABLE:
        return (), index
    while index < len(every) and every[index].kind in (Kind.WORD, Kind.QUOTED):
        parts.append(every[index].text)
        index += 1
        if index >= len(every) or every[index].text != ".":
            break
        index += 1
    return tuple(parts), index


def _alias(every: tuple[Token, ...], index: int) -> tuple[str, int]:
    if index < len(every) and every[index].word == "AS":
        index += 1
    is_name = index < len(every) and every[index].kind in (Kind.WORD, Kind.QUOTED)
    if is_name and every[index].word not in _AFTER_A_TABLE:
        return every[index].text, index + 1
    return "", index


def options_given(statement: Typed) -> dict[str, str]:
    """Return the options `'key' = 'value'` of the statement, before and after the cursor."""
    every = (*statement.words, *statement.rest)
    return {
        key.text: value.text
        for key, equals, value in zip(every, every[1:], every[2:], strict=False)
        if key.kind is Kind.STRING and equals.text == "=" and value.kind is Kind.STRING
    }
