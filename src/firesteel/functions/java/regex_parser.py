"""Translation of Java's regular expressions for Python's `re`. Rules: java.util.regex.Pattern of Java 17.

A pattern that Java rejects raises re.error. A pattern that `re` cannot express raises NotSupportedError.
"""

from __future__ import annotations

import re
from itertools import product

from firesteel.functions.java.regex_characters import Characters, invalid, missing
from firesteel.functions.java.regex_classes import LINE_ENDS, SHORT, word_boundary

_ANCHORS = {"A": r"\A", "z": r"\Z", "R": rf"(?:\r\n|[\x0b\f{LINE_ENDS}])"}
_REPEATED = {
    _ANCHORS["R"]: rf"(?:\r\n|(?!\r\n)[\x0b\f{LINE_ENDS}])",
    **{anchor: f"(?:{anchor})" for anchor in (_ANCHORS["A"], _ANCHORS["z"])},
}
r"""Replacements of anchors under a quantifier.

\R must not match half of \r\n, and Python does not repeat anchors.
"""
_VARIANTS = 64
"""Maximum number of widths of a lookbehind: Python requires fixed widths, so each is an alternative."""

Piece = tuple[str, int, int | None, str]
"""Part of a pattern: atom, minimum, maximum (None: unbounded), and kind of repetition.

The kind is "" for greedy, "?" for lazy, and "+" for possessive.
"""


def to_python(pattern: str, flags: str = "") -> str:
    """Return a Java pattern for `re.compile` without flags. `flags` are Java's letters (`ixmsdu`)."""
    if "U" in flags:
        missing("The flag U")
    return _Parser(_unquoted(pattern), set(flags)).whole()


def _unquoted(pattern: str) -> str:
    r"""Return a pattern with the text between `\Q` and `\E` escaped (Pattern.RemoveQEQuoting)."""
    parts, at = [], 0
    while at < len(pattern):
        if pattern.startswith("\\Q", at):
            end = pattern.find("\\E", at + 2)
            quoted = pattern[at + 2 : end if end >= 0 else len(pattern)]
            parts.append("".join(_escaped(letter) for letter in quoted))
            at = end + 2 if end >= 0 else len(pattern)
        else:
            width = 2 if pattern[at] == "\\" else 1
            parts.append(pattern[at : at + width])
            at += width
    return "".join(parts)


def _escaped(letter: str) -> str:
    if not letter.isascii() or letter.isalpha():
        return letter
    return f"\\x{ord(letter):02x}"


class _Parser(Characters):
    def __init__(self, text: str, flags: set[str]) -> None:
        super().__init__(text, flags)
        self.groups, self.closed = 0, set[int]()
        self.names: dict[str, int] = {}

    def whole(self) -> str:
        found = "|".join(map(_written, self.alternatives()))
        if self.at < len(self.text):
            invalid("Unmatched closing ')'")
        return found

    def alternatives(self) -> list[list[Piece]]:
        found = [self.sequence()]
        while self.peek() == "|":
            self.at += 1
            found.append(self.sequence())
        return found

    def sequence(self) -> list[Piece]:
        pieces: list[Piece] = []
        while (letter := self.peek()) and letter not in "|)":
            if letter in "*+?":
                invalid(f"Dangling meta character '{letter}'")
            atom = self.atom(letter)
            if atom is not None:
                pieces.append(self.quantified(atom))
        return pieces

    def atom(self, letter: str) -> str | None:
        """Read an atom that begins with `letter`, and return it for Python. None for flags such as `(?i)`.

        An atom is the part of a pattern to which a quantifier after it applies.
        """
        if letter == "{":
            return "(?:)"
        self.at += 1
        if letter == "(":
            return self.group()
        if letter == "[":
            return self.cased(self.character_class(True))
        if letter == "\\":
            return self.escape()
        if letter == ".":
            kept = "" if "s" in self.flags else "\\n" if "d" in self.flags else LINE_ENDS
            return f"[^{kept}]" if kept else r"[\s\S]"
        if letter == "^":
            return self.line_start()
        if letter == "$":
            return self.line_end("m" in self.flags)
        return self.literal(letter)

    def quantified(self, atom: str) -> Piece:
        sign = self.peek()
        if not sign or sign not in "*+?{":
            return atom, 1, 1, ""
        self.at += 1
        if sign == "{":
            least, most = self.counts()
        else:
            least, most = {"*": (0, None), "+": (1, None), "?": (0, 1)}[sign]
        how = self.peek()
        if not how or how not in "?+":
            return atom, least, most, ""
        self.at += 1
        return atom, least, most, how

    def counts(self) -> tuple[int, int | None]:
        found = re.compile(r"(\d+)(,?)(\d*)(\}?)", re.ASCII).match(self.text, self.at)
        if found is None:
            invalid("Illegal repetition")
        if not found[4]:
            invalid("Unclosed counted closure")
        self.at = found.end()
        least = int(found[1])
        most = int(found[3]) if found[3] else None if found[2] else least
        if (most is not None and most < least) or max(least, most or 0) > 0x7FFFFFFF:
            invalid("Illegal repetition range")
        return least, most

    def group(self) -> str | None:
        before = set(self.flags)
        if self.peek() != "?":
            return self.captured(before)
        self.at += 1
        letter = self.read()
        if letter in ("=", "!", ">", ":"):
            return self.closed_by(before, f"(?{letter}")
        if letter == "<":
            letter = self.read()
            if letter in ("=", "!"):
                return self.lookbehind(before, letter)
            return self.named(before, letter)
        self.at -= 1
        if letter in ("$", "@"):
            invalid("Unknown group type")
        self.set_flags()
        letter = self.read()
        if letter == ")":
            return None
        if letter != ":":
            invalid("Unknown inline modifier")
        return self.closed_by(before, "(?:")

    def closed_by(self, before: set[str], opening: str) -> str:
        """Read a group to its end, and return the group for Python: `opening`, its content and `)`.

        The flags after the group are those in `before`.
        """
        body = "|".join(map(_written, self.alternatives()))
        self.close(before)
        return f"{opening}{body})"

    def close(self, before: set[str]) -> None:
        if self.peek() != ")":
            invalid("Unclosed group")
        self.at += 1
        self.flags = before

    def captured(self, before: set[str]) -> str:
        self.groups += 1
        number = self.groups
        found = self.closed_by(before, "(")
        self.closed.add(number)
        return found

    def named(self, before: set[str], letter: str) -> str:
        self.at -= len(letter)
        name = self.name()
        if name in self.names:
            invalid(f"Named capturing group <{name}> is already defined")
        self.names[name] = self.groups + 1
        return self.captured(before)

    def name(self) -> str:
        found = re.compile("([a-zA-Z][a-zA-Z0-9]*)>").match(self.text, self.at)
        if found is None:
            invalid("capturing group name does not start with a Latin letter")
        self.at = found.end()
        return found[1]

    def lookbehind(self, before: set[str], sign: str) -> str:
        """Read a lookbehind, and return it for Python, as one lookbehind for each width.

        Args:
            before: Flags that are set again after the lookbehind.
            sign: `=` for a positive lookbehind, `!` for a negative one.
        """
        ways: list[str] = []
        groups = self.groups
        for pieces in self.alternatives():
            if any(most is None for _, _, most, _ in pieces):
                missing("A lookbehind without a longest text")
            if any(how == "+" and least != most for _, least, most, how in pieces):
                missing("A possessive quantifier in a lookbehind")
            if self.groups > groups and any(least != most for _, least, most, _ in pieces):
                missing("A group in a lookbehind of several widths")
            counts = [range(least, (most or 0) + 1) for _, least, most, _ in pieces]
            for way in product(*counts):
                ways.append(
                    f"(?<{sign}{_written([(p[0], n, n, '') for p, n in zip(pieces, way, strict=True)])})"
                )
                if len(ways) > _VARIANTS:
                    missing("A lookbehind of so many widths")
        self.close(before)
        return f"(?:{('|' if sign == '=' else '').join(ways)})"

    def set_flags(self) -> None:
        on = True
        while (letter := self.peek()) and letter in "imsducxU-":
            if letter in "cU":
                missing(f"The flag (?{letter})")
            if letter == "-":
                on = False
            elif on:
                self.flags.add(letter)
            else:
                self.flags.discard(letter)
            self.at += 1

    def line_start(self) -> str:
        if "m" not in self.flags:
            return r"\A"
        if "d" in self.flags:
            return r"(?:(?!\Z)(?:\A|(?<=\n)))"
        return r"(?:(?!\Z)(?:\A|(?<=[\n\x85\u2028\u2029])|(?<=\r)(?!\n)))"

    def line_end(self, each: bool) -> str:
        if "d" in self.flags:
            return r"(?=\n|\Z)" if each else r"(?=\n?\Z)"
        ends = r"\r\n|(?<!\r)\n|[\r\x85\u2028\u2029]"
        return rf"(?={ends}|\Z)" if each else rf"(?=(?:{ends})?\Z)"

    def literal(self, letter: str) -> str:
        return self.cased(re.escape(letter), letter)

    def escape(self) -> str:
        letter = self.read()
        if not letter:
            invalid("Unescaped trailing backslash")
        if letter in "pP":
            return self.property(letter == "P")
        if letter.lower() in SHORT:
            return f"[{'^' if letter.isupper() else ''}{SHORT[letter.lower()]}]"
        if letter in "123456789":
            return self.reference(int(letter))
        if letter == "k":
            if self.read() != "<":
                invalid("\\k is not followed by '<' for named capturing group")
            name = self.name()
            if name not in self.names:
                invalid(f"named capturing group <{name}> does not exist")
            return self.refer(self.names[name])
        if letter == "b" and self.peek() == "{":
            if self.text.startswith("{g}", self.at):
                missing("\\b{g}")
            if self.text.startswith("{g", self.at):
                invalid("Illegal/unsupported escape sequence")
        if letter in "bB":
            return word_boundary() if letter == "b" else f"(?!{word_boundary()})"
        if letter == "Z":
            return self.line_end(False)
        if letter in _ANCHORS:
            return _ANCHORS[letter]
        if letter in "GXN":
            missing(f"\\{letter}")
        return self.literal(self.escaped_letter(letter))

    def reference(self, number: int) -> str:
        r"""Read the rest of a back reference, and return it for Python. `number` is its first digit.

        A further digit belongs to the number only if the longer number is not above the number of groups that
        have begun so far. With 5 groups, `\12` is a reference to group 1, and then the text `2`.
        """
        while (digit := self.peek()) and digit in "0123456789" and number * 10 + int(digit) <= self.groups:
            number = number * 10 + int(digit)
            self.at += 1
        return self.refer(number)

    def refer(self, number: int) -> str:
        if number in self.closed:
            return self.cased(f"(?:\\{number})")
        if number <= self.groups:
            missing("A reference to a group within it")
        return "(?!)"


def _written(pieces: list[Piece]) -> str:
    return "".join(_repeated(*piece) for piece in pieces)


def _repeated(atom: str, least: int, most: int | None, how: str) -> str:
    if (least, most) == (1, 1) and not how:
        return atom
    atom = _REPEATED.get(atom, atom)
    signs = {(0, None): "*", (1, None): "+", (0, 1): "?"}
    end = "" if most is None else most
    return f"{atom}{signs.get((least, most)) or f'{{{least},{end}}}'}{how}"
