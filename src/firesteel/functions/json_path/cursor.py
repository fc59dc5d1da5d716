"""Cursor over the text of a JSON path (json-path: CharacterIndex).

`end` is the offset of the last character to read. The text may be longer: while a filter `[?(...)]` is
parsed, `end` is before its last bracket `]`. Reading after `end` returns the character there. Only reading
after the end of the text raises IndexError.
"""

from __future__ import annotations

from firesteel.functions.json_path.errors import InvalidPath


class Cursor:
    """Cursor over the text of a JSON path.

    Attributes:
        position: Offset of the next character.
        end: Offset of the last character to read.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.position = 0
        self.end = len(text) - 1

    @property
    def char(self) -> str:
        return self.at(self.position)

    @property
    def is_tail(self) -> bool:
        return self.position >= self.end

    def at(self, index: int) -> str:
        if index < 0:
            raise IndexError(index)
        return self.text[index]

    def within(self, index: int | None = None) -> bool:
        return 0 <= (self.position if index is None else index) <= self.end

    def next_is(self, char: str) -> bool:
        return self.within(self.position + 1) and self.at(self.position + 1) == char

    def skip_blanks(self) -> None:
        while self.within() and self.position < self.end and self.char == " ":
            self.position += 1

    def trim(self) -> None:
        self.skip_blanks()
        while self.within() and self.position < self.end and self.at(self.end) == " ":
            self.end -= 1

    def after_blanks(self, start: int | None = None) -> int:
        """Return the offset of the first non-blank character after `start`, None: after `position`.

        The offset is `end` + 1 if only blanks follow.
        """
        index = (self.position if start is None else start) + 1
        while self.within(index) and self.at(index) == " ":
            index += 1
        return index

    def next_significant(self, start: int | None = None) -> str:
        index = self.after_blanks(start)
        return self.at(index) if self.within(index) else " "

    def find_next_significant(self, char: str, start: int | None = None) -> int:
        """Return the offset of the first non-blank character after `start` if it is `char`, else -1.

        If `start` is None, the search begins after `position`.
        """
        index = self.after_blanks(start)
        return index if self.at(index) == char else -1

    def before_blanks(self, start: int) -> int:
        """Return the offset of the last non-blank character before `start`, or -1."""
        index = start - 1
        while self.within(index) and self.at(index) == " ":
            index -= 1
        return index if self.within(index) else -1

    def find(self, char: str, start: int) -> int:
        while self.within(start):
            if self.at(start) == char:
                return start
            start += 1
        return -1

    def find_unescaped(self, char: str, start: int) -> int:
        """Return the offset of the next `char` after `start` without a backslash before it, or -1."""
        index, escaped = start + 1, False
        while self.within(index):
            if escaped:
                escaped = False
            elif self.at(index) == "\\":
                escaped = True
            elif self.at(index) == char:
                return index
            index += 1
        return -1

    def find_closing(self, start: int, opening: str, closing: str, patterns: bool) -> int:
        """Return the offset of the bracket that closes the one at `start`, -1 if it is not closed.

        Args:
            start: Offset of the opening bracket.
            opening: The opening bracket.
            closing: The closing bracket.
            patterns: Whether to skip /.../ like strings.
        """
        if self.at(start) != opening:
            raise InvalidPath(f"Expected {opening} but found {self.at(start)}")
        opened, index = 1, start + 1
        while self.within(index):
            if self.at(index) in "'\"":
                index = self._after_closed(index)
            if patterns and self.at(index) == "/":
                index = self._after_closed(index)
            if self.at(index) == opening:
                opened += 1
            if self.at(index) == closing:
                opened -= 1
                if opened == 0:
                    return index
            index += 1
        return -1

    def _after_closed(self, start: int) -> int:
        found = self.find_unescaped(self.at(start), start)
        if found == -1:
            raise InvalidPath(f"Could not find matching close for {self.at(start)} in {self.text}")
        return found + 1

    def accept(self, text: str) -> bool:
        """Consume blanks, and then `text` if it comes next. Return whether it came next."""
        self.skip_blanks()
        if not self.within(self.position + len(text) - 1) or not self.text.startswith(text, self.position):
            return False
        self.position += len(text)
        return True


def unescaped(text: str) -> str:
    r"""Return a quoted name or text without its backslashes (json-path: Utils.unescape).

    Raises:
        InvalidPath: `\u` is not followed by hexadecimal digits.
    """
    letters = {"r": "\r", "f": "\f", "t": "\t", "n": "\n", "b": "\b"}
    parts, i = [], 0
    while i < len(text):
        char = text[i]
        if char != "\\" or i + 1 == len(text):
            parts.append(char)
        elif text[i + 1] == "u":
            digits = text[i + 2 : i + 6]
            if len(digits) == 4:  # At the end of the text, an escape of fewer digits is dropped.
                parts.append(_unit(digits))
            i += 5
        else:
            i += 1
            parts.append(letters.get(text[i], text[i]))
        i += 1
    return "".join(parts).encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


def _unit(digits: str) -> str:
    try:
        return chr(int(digits, 16))
    except ValueError:
        raise InvalidPath(f"Unable to parse unicode value: {digits}") from None
