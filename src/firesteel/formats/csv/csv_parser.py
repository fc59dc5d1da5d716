"""Parse CSV text to records as Jackson's CsvDecoder does, which Flink uses.

A value is quoted only if the quote is its very first character. Inside, quotes are doubled, and line ends
belong to the value. Outside, spaces belong to the value. A record ends at LF, CR or CR LF.
"""

from __future__ import annotations

from dataclasses import dataclass

from firesteel.formats.messages.json_limits import BadMessage

_ESCAPES = {"0": "\0", "n": "\n", "r": "\r", "t": "\t"}
_LINE_ENDS = "\r\n"


class OpenQuote(BadMessage):
    """Error: a quoted value is not closed at the end of the text."""


@dataclass(frozen=True)
class CsvDialect:
    """Syntax of csv. `quote` and `escape` are None if the syntax has no such character."""

    delimiter: str = ","
    quote: str | None = '"'
    escape: str | None = None
    comments: bool = False


@dataclass
class Record:
    """One record of a csv text.

    Attributes:
        values: The values.
        error: First error in the record, None if there is none. The reader then reads the other values.
        wrong: Number of the value with the first error, counted from 1. 0 without an error.
        beyond: Second error in the record, None if there is none. The record ends at this error. The reader
            takes the rest of the line as the next record.
    """

    values: list[str]
    error: str | None = None
    wrong: int = 0
    beyond: str | None = None


class CsvReader:
    """Reader of the records of one text. It reads a line with one error to its end, but stops at a second."""

    def __init__(self, text: str, dialect: CsvDialect) -> None:
        self._text = text
        self._dialect = dialect
        self._position = 0

    @property
    def position(self) -> int:
        """Return the position of the next record."""
        return self._position

    def next(self) -> Record | None:
        """Return the next record, or None at the end.

        Raises:
            OpenQuote: The text ends within a quoted value.
        """
        while self._position < len(self._text):
            if not (self._dialect.comments and self._skipped_line()):
                return self._record()
        return None

    def _skipped_line(self) -> bool:
        """Skip the next line if it is blank or a comment, and return whether it was skipped.

        A comment begins with `#`, after blanks at most. `next` calls this method only if the dialect allows
        comments. Without comments, a blank line is a record.
        """
        text, start = self._text, self._position
        while start < len(text) and text[start] <= " " and text[start] not in _LINE_ENDS:
            start += 1
        if start < len(text) and text[start] not in "#\r\n":
            return False
        while start < len(text) and text[start] not in _LINE_ENDS:
            start += 1
        self._position = start
        self._end_line()
        return True

    def _record(self) -> Record:
        record = Record([])
        while True:
            error = self._value(record.values)
            if error is None and self._at_line_end():
                self._end_line()
                return record
            self._position += 1  # Skip the delimiter, or the wrong character in its place.
            if error is not None:
                if record.error is not None:
                    record.beyond = error
                    return record
                record.error, record.wrong = error, len(record.values)

    def _value(self, values: list[str]) -> str | None:
        """Read one value and append it to `values`. Return the text of its error, None if it is valid."""
        text, quote = self._text, self._dialect.quote
        if quote is not None and text.startswith(quote, self._position):
            return self._quoted(values, quote)
        if self._dialect.escape is not None:
            values.append(self._with_escapes(self._dialect.delimiter + _LINE_ENDS))
            return None
        end = self._position
        stops = self._dialect.delimiter + _LINE_ENDS
        while end < len(text) and text[end] not in stops:
            end += 1
        values.append(text[self._position : end])
        self._position = end
        return None

    def _with_escapes(self, stops: str) -> str:
        """Read text with escapes up to one of `stops`."""
        text, parts = self._text, []
        while self._position < len(text) and text[self._position] not in stops:
            character = text[self._position]
            self._position += 1
            if character == self._dialect.escape:
                character = self._escaped()
            parts.append(character)
        return "".join(parts)

    def _escaped(self) -> str:
        if self._position >= len(self._text):
            raise OpenQuote("Unexpected end-of-input in an escape sequence")
        character = self._text[self._position]
        self._position += 1
        return _ESCAPES.get(character, character)

    def _quoted(self, values: list[str], quote: str) -> str | None:
        text, parts = self._text, []
        self._position += 1
        while True:
            parts.append(self._with_escapes(quote))
            if self._position >= len(text):
                raise OpenQuote("Missing closing quote for value")
            self._position += 1
            if not text.startswith(quote, self._position):
                break
            parts.append(quote)
            self._position += 1
        values.append("".join(parts))
        delimiter = self._dialect.delimiter
        while self._position < len(text):
            character = text[self._position]
            if character > " " or character == delimiter or character in _LINE_ENDS:
                break
            self._position += 1
        if self._position < len(text) and text[self._position] not in delimiter + _LINE_ENDS:
            return (
                f"Unexpected character ('{text[self._position]}' (code {ord(text[self._position])})): "
                f"Expected column separator character ('{delimiter}' (code {ord(delimiter)})) or end-of-line"
            )
        return None

    def _at_line_end(self) -> bool:
        return self._position >= len(self._text) or self._text[self._position] in _LINE_ENDS

    def _end_line(self) -> None:
        self._position += 2 if self._text.startswith("\r\n", self._position) else 1
