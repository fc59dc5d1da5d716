"""Characters and character classes of Java's regular expressions, translated for Python's `re`."""

from __future__ import annotations

import re
from typing import NoReturn

from firesteel.errors import NotSupportedError
from firesteel.functions.java.regex_classes import SHORT, class_letter, property_class

_BLANKS = " \t\n\x0b\f\r"
_CONTROLS = {"t": "\t", "n": "\n", "r": "\r", "f": "\f", "a": "\a", "e": "\x1b"}
_LINE_END = re.compile("[\n\r\x85\u2028\u2029]")


def invalid(why: str) -> NoReturn:
    raise re.error(why)


def missing(what: str) -> NoReturn:
    raise NotSupportedError(f"{what} in a regular expression is not supported")


class Characters:
    """Reader of a pattern from start to end, with the flags that are set at each position."""

    def __init__(self, text: str, flags: set[str]) -> None:
        self.text, self.at, self.flags = text, 0, flags

    def peek(self) -> str:
        """Return the next character, or "" at the end. With flag x, skip blanks and comments first."""
        while "x" in self.flags and self.at < len(self.text):
            if self.text[self.at] == "#":
                end = _LINE_END.search(self.text, self.at)
                self.at = end.start() if end else len(self.text)
            elif self.text[self.at] in _BLANKS:
                self.at += 1
            else:
                break
        return self.text[self.at : self.at + 1]

    def read(self) -> str:
        """Return and consume the next character, even if it is a blank."""
        self.at += 1
        return self.text[self.at - 1 : self.at]

    def cased(self, text: str, letter: str = "a") -> str:
        """Return the expression `text`, case-insensitive if flag i is set.

        `letter` is the character that `text` matches. If it is not ASCII, flag u is needed, too.
        """
        if "i" not in self.flags:
            return text
        if "u" in self.flags:
            return f"(?i:{text})"
        return f"(?ai:{text})" if letter.isascii() else text

    def escaped_letter(self, letter: str) -> str:
        r"""Return the character that an escape stands for, inside or outside of a character class.

        The rest of a longer escape, such as the digits of `\u0041`, is read and consumed.

        Args:
            letter: Character after the backslash, which is consumed already.
        """
        if letter in _CONTROLS:
            return _CONTROLS[letter]
        if letter == "c":
            following = self.read()
            return chr(ord(following) ^ 64) if following else invalid("Illegal control escape sequence")
        if letter in "0xu":
            return self.coded(letter)
        if letter.isascii() and letter.isalpha():
            invalid("Illegal/unsupported escape sequence")
        return letter

    def coded(self, letter: str) -> str:
        forms = {
            "0": "([0-3][0-7]{2}|[0-7]{1,2})",
            "x": r"([0-9a-fA-F]{2})|\{([0-9a-fA-F]+)\}",
            "u": "([0-9a-fA-F]{4})",
        }
        found = re.compile(forms[letter]).match(self.text, self.at)
        if found is None:
            invalid(f"Illegal escape sequence \\{letter}")
        self.at = found.end()
        code = int(found[found.lastindex or 1], 8 if letter == "0" else 16)
        if code > 0x10FFFF:
            invalid("Hexadecimal codepoint is too big")
        low = re.compile(r"\\u([dD][c-fC-F][0-9a-fA-F]{2})").match(self.text, self.at)
        if letter == "u" and 0xD800 <= code < 0xDC00 and low:
            self.at = low.end()
            code = 0x10000 + ((code & 0x3FF) << 10) + (int(low[1], 16) & 0x3FF)
        return chr(code)

    def property(self, negated: bool) -> str:
        if self.text.startswith("{", self.at):
            end = self.text.find("}", self.at)
            if end < 0:
                invalid("Unclosed character family")
            name = self.text[self.at + 1 : end]
            self.at = end + 1
        else:
            name = self.read()
        if not name:
            invalid("Empty character family")
        return f"[{'^' if negated else ''}{property_class(name, 'i' in self.flags)}]"

    def character_class(self, closes: bool) -> str:
        """Read a class after `[`, or the operand after `&&`, and return it for Python.

        A class may contain classes, and `&&` for intersections. `[^` negates the whole.

        Args:
            closes: Whether to consume the closing `]`: True for a class, False for an operand.
        """
        negated = closes and self.peek() == "^"
        self.at += negated
        all_of: list[str] = []
        plain, nested = "", list[str]()
        while letter := self.peek():
            if letter == "]" and (plain or nested or all_of):
                self.at += closes
                if plain or nested:
                    all_of.append(_any_of(plain, nested))
                return _class(all_of, negated)
            if letter == "[":
                self.at += 1
                nested.append(self.character_class(True))
            elif self.text.startswith("&&", self.at):
                if plain or nested:
                    all_of.append(_any_of(plain, nested))
                plain, nested = "", []
                self.at += 2
                right = self.right_side()
                if right:
                    all_of.append(right)
                elif not all_of:
                    invalid("Bad class syntax")
            else:
                text = self.member(letter)
                if text.startswith("["):
                    nested.append(text)
                else:
                    plain += text
        invalid("Unclosed character class")

    def right_side(self) -> str:
        parts: list[str] = []
        while (letter := self.peek()) != "]" and letter != "&":
            self.at += letter == "["
            parts.append(self.character_class(letter == "["))
        return _any_of("", parts) if parts else ""

    def member(self, letter: str) -> str:
        r"""Read one member of a class such as `[a-z\d]`, and return it for Python.

        A character or a range is returned without brackets: `a-z`. An escape for several characters, such as
        `\d` or `\p{Alpha}`, is returned as a class in brackets: `[0-9]`.

        Args:
            letter: First character of the member, which `peek` has returned.
        """
        self.at += 1
        if letter == "\\":
            escape = self.read()
            if escape and escape in "pP":
                return self.property(escape == "P")
            ranged = self.text.startswith("-", self.at)
            if escape and escape.lower() in SHORT and not (escape == "v" and ranged):
                return f"[{'^' if escape.isupper() else ''}{SHORT[escape.lower()]}]"
            letter = "\x0b" if escape == "v" else self.class_escape(escape)
        if self.peek() != "-" or self.text[self.at + 1 : self.at + 2] in ("[", "]", ""):
            return class_letter(letter)
        self.at += 1
        last = self.peek()
        self.at += 1
        if last == "\\":
            escape = self.read()
            last = "\x0b" if escape == "v" else self.class_escape(escape)
        if last < letter:
            invalid("Illegal character range")
        return f"{class_letter(letter)}-{class_letter(last)}"

    def class_escape(self, letter: str) -> str:
        if not letter or letter in "123456789":
            invalid("Illegal/unsupported escape sequence")
        if letter == "N":
            missing("\\N")
        return self.escaped_letter(letter)


def _any_of(plain: str, nested: list[str]) -> str:
    found = [*([f"[{plain}]"] if plain else []), *nested]
    return found[0] if len(found) == 1 else f"(?:{'|'.join(found)})"


def _class(all_of: list[str], negated: bool) -> str:
    """Return an expression for a character that is in all classes of `all_of`; if negated, for any other."""
    found = "".join(f"(?={test})" for test in all_of[:-1]) + all_of[-1]
    if not negated:
        return f"(?:{found})" if all_of[1:] else found
    if not all_of[1:] and found.startswith("[") and not found.startswith("[^"):
        return f"[^{found[1:]}"
    return rf"(?:(?!{found})[\s\S])"
