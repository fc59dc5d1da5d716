"""The statement WHY of the shell: which row of which job is to be explained."""

from __future__ import annotations

from dataclasses import dataclass

from firesteel.errors import ParseError
from firesteel.sql.lexer import Kind, Token, tokens

_FORM = (
    "write WHY [JOB 'id' | CHECKPOINT 'folder'] [AT batch] [SELECT * FROM table] "
    "WHERE name = 'Tom' [LIMIT rows]"
)
_NAMES = (Kind.WORD, Kind.QUOTED)


@dataclass(frozen=True)
class WhyStatement:
    """A statement WHY.

    Attributes:
        condition: Condition on the columns of the row.
        table: Name of the table that has the row, by its parts; empty for the only one of the job.
        job: Id of the job in the registry; None for the last one that writes to the table.
        checkpoint: Folder of a checkpoint; None for a job of the shell.
        at: Number of the micro-batch after which the row is explained; None for the last one.
        limit: Largest number of source rows, of changes of the row, and of steps of each operator that the
            answer lists. A step is an operator's input, its state before and after, and its output.
    """

    condition: str
    table: tuple[str, ...] = ()
    job: str | None = None
    checkpoint: str | None = None
    at: int | None = None
    limit: int = 20


def is_why(text: str) -> bool:
    """Return whether the first word of a text is WHY, in any case."""
    return tokens(text)[0].word == "WHY"


def parse_why(text: str) -> WhyStatement:
    """Return the statement of a text that begins with WHY.

    Raises:
        ParseError: The text does not have the form of the statement WHY. The hint shows the form.
    """
    return _Parser(text).statement()


class _Parser:
    def __init__(self, text: str) -> None:
        self._text = text
        found = [token for token in tokens(text) if token.text != ";" or token.kind is not Kind.SYMBOL]
        self._tokens, self._at = found, 1

    @property
    def _token(self) -> Token:
        return self._tokens[self._at]

    def statement(self) -> WhyStatement:
        job, checkpoint, at = None, None, None
        if self._takes("JOB"):
            job = self._value(Kind.STRING, Kind.NUMBER, what="the id of a job")
        elif self._takes("CHECKPOINT"):
            checkpoint = self._value(Kind.STRING, what="the folder of a checkpoint, in quotes")
        if self._takes("AT"):
            at = self._number("the number of a micro-batch")
        table = self._table()
        if not (table or job or checkpoint):
            raise self._error("WHY needs a job, a checkpoint or a table")
        if not self._takes("WHERE"):
            raise self._error("WHERE with the values of some columns is missing")
        start = self._tokens[self._at - 1].end
        limit, end = self._limit()
        return WhyStatement(self._text[start:end].strip(), table, job, checkpoint, at, limit)

    def _table(self) -> tuple[str, ...]:
        if not self._takes("SELECT"):
            return ()
        if not (self._takes("*") and self._takes("FROM")):
            raise self._error("WHY takes SELECT * FROM one table")
        parts = [self._value(*_NAMES, what="a table")]
        while self._takes("."):
            parts.append(self._value(*_NAMES, what="a table"))
        return tuple(parts)

    def _limit(self) -> tuple[int, int]:
        """Return the number of LIMIT at the end of the statement (20 if missing), and the condition's end.

        The end is an offset in the text of the statement.
        """
        if len(self._tokens) - self._at < 3 or self._tokens[-3].word != "LIMIT":
            return WhyStatement.limit, self._tokens[-2].end
        self._at = len(self._tokens) - 2
        limit = self._number("a number of rows from 1 on")
        if limit < 1:
            self._at -= 1
            raise self._error("LIMIT takes a number of rows from 1 on")
        return limit, self._tokens[-3].start

    def _takes(self, word: str) -> bool:
        """Skip a word or a symbol, and return whether it was there."""
        is_there = self._token.word == word or (self._token.kind is Kind.SYMBOL and self._token.text == word)
        self._at += is_there
        return is_there

    def _value(self, *kinds: Kind, what: str) -> str:
        if self._token.kind not in kinds:
            raise self._error(f"{what} is expected")
        self._at += 1
        return self._tokens[self._at - 1].text

    def _number(self, what: str) -> int:
        text = self._value(Kind.NUMBER, what=what)
        if not text.isdigit():
            self._at -= 1
            raise self._error(f"{what} is expected")
        return int(text)

    def _error(self, message: str) -> ParseError:
        return ParseError(message, range=self._token.range, sql=self._text, hint=_FORM)
