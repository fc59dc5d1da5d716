"""Java's regular expressions written for Python's `re`."""

from __future__ import annotations

import re
import sys
import unicodedata
from functools import lru_cache

_PROPERTIES = {
    "L": r"[^\W\d_]",
    "Alpha": "[a-zA-Z]",
    "Digit": "[0-9]",
    "Alnum": "[a-zA-Z0-9]",
    "Upper": "[A-Z]",
    "Lower": "[a-z]",
    "Punct": r"[!-/:-@\[-`{-~]",
    "Space": r"[ \t\n\x0b\f\r]",
    "IsAlphabetic": r"[^\W\d_]",
    "IsDigit": r"\d",
}
_ASCII_SHORT = {"d": "0-9", "w": "a-zA-Z0-9_", "s": r" \t\n\x0b\f\r"}


@lru_cache(maxsize=32)
def _category(name: str) -> str:
    """A class of all characters of a general category (Lu) or a group of them (L)."""
    ranges: list[list[int]] = []
    for code in range(sys.maxunicode + 1):
        if unicodedata.category(chr(code)).startswith(name):
            if ranges and ranges[-1][1] == code - 1:
                ranges[-1][1] = code
            else:
                ranges.append([code, code])
    if not ranges:
        raise re.error(f"unknown property {name}")
    return "[" + "".join(f"{re.escape(chr(a))}-{re.escape(chr(b))}" for a, b in ranges) + "]"


def to_python(pattern: str) -> str:
    """The pattern for `re.compile`. Java's \\d, \\w, \\s and \\b mean ASCII, its properties Unicode."""
    parts, i = [], 0
    while i < len(pattern):
        letter = pattern[i]
        if letter == "\\" and i + 1 < len(pattern):
            text, i = _escape(pattern, i, False)
        elif letter == "[":
            text, i = _character_class(pattern, i + 1)
        else:
            text, i = letter, i + 1
        parts.append(text)
    return "".join(parts)


def _character_class(pattern: str, i: int) -> tuple[str, int]:
    """What the class whose text begins at `i` is in Python, and where the text after it begins.

    Java's classes may hold others, and `&&` between what must all hold; `[^` negates the whole
    (java.util.regex.Pattern). Raises re.error for one without an end.
    """
    negated = pattern.startswith("^", i)
    i += negated
    all_of: list[str] = []
    plain, nested = "", list[str]()
    while i < len(pattern):
        if pattern[i] == "]" and (plain or nested or all_of):
            all_of.append(_any_of(plain, nested))
            if negated and len(all_of) == 1 and not nested:
                return f"[^{plain}]", i + 1
            found = "".join(f"(?={test})" for test in all_of[:-1]) + all_of[-1]
            return (f"(?:(?!{found})[\\s\\S])" if negated else f"(?:{found})" if all_of[1:] else found), i + 1
        if pattern.startswith("&&", i):
            all_of.append(_any_of(plain, nested))
            plain, nested, i = "", [], i + 2
            continue
        if pattern[i] == "[":
            text, i = _character_class(pattern, i + 1)
        elif pattern[i] == "\\" and i + 1 < len(pattern):
            text, i = _escape(pattern, i, True)
        else:
            text, i = ("\\" if pattern[i] in "&~|^]" else "") + pattern[i], i + 1
        if text.startswith(("[", "(?")):
            nested.append(text)
        else:
            plain += text
    raise re.error(f"a class without an end in {pattern}")


def _any_of(plain: str, nested: list[str]) -> str:
    found = [*([f"[{plain}]"] if plain else []), *nested]
    return found[0] if len(found) == 1 else f"(?:{'|'.join(found)})"


def _escape(pattern: str, i: int, in_class: bool) -> tuple[str, int]:
    """What the escape at `i` is in Python, and where the text after it begins."""
    letter = pattern[i + 1]
    if letter in ("p", "P"):
        named = re.match(r"\{(\w+)\}|(\w)", pattern[i + 2 :])
        if named is None:
            raise re.error(f"unknown property in {pattern}")
        inner = _PROPERTIES.get(named[1] or named[2]) or _category(named[1] or named[2])
        text = inner if letter == "p" else f"(?!{inner})."
        return text[1:-1] if in_class and text.startswith("[") and not text.startswith("[^") else text, (
            i + 2 + named.end()
        )
    if letter.lower() in _ASCII_SHORT:
        content = _ASCII_SHORT[letter.lower()]
        if in_class and letter.islower():
            return content, i + 2
        return f"[{'^' if letter.isupper() else ''}{content}]", i + 2
    if letter == "Q":
        end = pattern.find("\\E", i + 2)
        end = len(pattern) if end < 0 else end
        return re.escape(pattern[i + 2 : end]), min(end + 2, len(pattern))
    if letter == "z":
        return r"\Z", i + 2
    if letter == "Z":
        return r"(?=\n?\Z)", i + 2
    if letter == "h":
        return r"[ \t\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]", i + 2
    return "\\" + letter, i + 2
