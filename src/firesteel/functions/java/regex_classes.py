"""Java's character classes, as contents of character classes for Python's `re`."""

from __future__ import annotations

import re
import sys
import unicodedata
from functools import lru_cache

from firesteel.errors import NotSupportedError

LINE_ENDS = r"\n\r\x85\u2028\u2029"
SHORT = {
    "d": "0-9",
    "w": "a-zA-Z0-9_",
    "s": r" \t\n\x0b\f\r",
    "h": r" \t\xa0\u1680\u180e\u2000-\u200a\u202f\u205f\u3000",
    "v": r"\n\x0b\f\r\x85\u2028\u2029",
}
r"""Contents of the classes of single letters such as `\d`: ASCII only, as in Java."""

_POSIX = {
    "ASCII": r"\x00-\x7f",
    "Alpha": "a-zA-Z",
    "Digit": "0-9",
    "Alnum": "a-zA-Z0-9",
    "Upper": "A-Z",
    "Lower": "a-z",
    "Punct": r"!-/:-@\[-`{-~",
    "Graph": "!-~",
    "Print": " -~",
    "Blank": r" \t",
    "Cntrl": r"\x00-\x1f\x7f",
    "XDigit": "0-9a-fA-F",
    "Space": SHORT["s"],
    "L1": r"\x00-\xff",
    "all": r"\x00-\U0010ffff",
}
_OF_UNICODE = {
    "LETTER": ("L",),
    "DIGIT": ("Nd",),
    "PUNCTUATION": ("P",),
    "CONTROL": ("Cc",),
    "TITLECASE": ("Lt",),
    "LOWERCASE": ("lower",),
    "UPPERCASE": ("upper",),
    "WHITE_SPACE": ("white",),
}
_SCRIPTS = {
    "LATIN": "41-5A 61-7A AA BA C0-D6 D8-F6 F8-2B8 2E0-2E4 1D00-1D25 1D2C-1D5C 1D62-1D65 1D6B-1D77 1D79-1DBE "
    "1E00-1EFF 2071 207F 2090-209C 212A-212B 2132 214E 2160-2188 2C60-2C7F A722-A787 A78B-A7BF "
    "A7C2-A7CA A7F5-A7FF AB30-AB5A AB5C-AB64 AB66-AB69 FB00-FB06 FF21-FF3A FF41-FF5A",
    "HAN": "2E80-2E99 2E9B-2EF3 2F00-2FD5 3005 3007 3021-3029 3038-303B 3400-4DBF 4E00-9FFC "
    "F900-FA6D FA70-FAD9 16FF0-16FF1 20000-2A6DD 2A700-2B734 2B740-2B81D 2B820-2CEA1 "
    "2CEB0-2EBE0 2F800-2FA1D 30000-3134A",
    "CYRILLIC": "400-484 487-52F 1C80-1C88 1D2B 1D78 2DE0-2DFF A640-A69F FE2E-FE2F",
    "HIRAGANA": "3041-3096 309D-309F 1B001-1B11E 1B150-1B152 1F200",
    "KATAKANA": "30A1-30FA 30FD-30FF 31F0-31FF 32D0-32FE 3300-3357 FF66-FF6F FF71-FF9D 1B000 1B164-1B167",
    "HANGUL": "1100-11FF 302E-302F 3131-318E 3200-321E 3260-327E A960-A97C AC00-D7A3 D7B0-D7C6 D7CB-D7FB "
    "FFA0-FFBE FFC2-FFC7 FFCA-FFCF FFD2-FFD7 FFDA-FFDC",
}
"""Code points of scripts in Unicode 13, the version of Java 17."""
_WHITE = frozenset("\t\n\x0b\f\r \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000") | {
    chr(code) for code in range(0x2000, 0x200B)
}
_TWO_LETTERS = """
    Cn Lu Ll Lt Lm Lo Mn Me Mc Nd Nl No Zs Zl Zp Cc Cf Co Cs Pd Ps Pe Pc Po Sm Sc Sk So Pi Pf
"""
_CATEGORIES = frozenset(_TWO_LETTERS.split()) | frozenset("LMNZCPS")
_CASED = frozenset({"Lu", "Ll", "Lt"})
_MARKS = 4
"""Maximum number of successive non-spacing marks that `word_boundary` takes for a part of a word."""


def property_class(name: str, caseless: bool) -> str:
    r"""Return the contents of the class `\p{name}`.

    Args:
        name: Name of the property.
        caseless: Whether upper, lower and title case are equivalent.

    Raises:
        re.error: Java does not have the property.
        NotSupportedError: The property is a script, block or other name that is not supported.
    """
    kind, is_pair, value = name.partition("=")
    if is_pair and kind.lower() in ("gc", "general_category"):
        return _category(value, caseless)
    script = _SCRIPTS.get((value if kind.lower() in ("sc", "script") else name.removeprefix("Is")).upper())
    if script is not None and (is_pair or name.startswith("Is")):
        return re.sub(r"[0-9A-F]+", lambda code: class_letter(chr(int(code[0], 16))), script).replace(" ", "")
    if not is_pair and name.startswith("Is"):
        known = _OF_UNICODE.get(name[2:].upper())
        if known is not None:
            cased = caseless and name[2:].upper() in ("LOWERCASE", "UPPERCASE", "TITLECASE")
            return _ranges(("lower", "upper", "Lt") if cased else known)
        return _category(name[2:], caseless)
    if name in _POSIX:
        return _POSIX["Alpha" if caseless and name in ("Upper", "Lower") else name]
    return _category(name, caseless)


def _category(name: str, caseless: bool) -> str:
    if name in ("LC", "LD"):
        return _ranges(("Lu", "Ll", "Lt") if name == "LC" else ("L", "Nd"))
    if name not in _CATEGORIES:
        if len(name) <= 2:
            raise re.error(f"Unknown character property name {{{name}}}")
        raise NotSupportedError(f"The character property {name} in a regular expression is not supported")
    return _ranges(tuple(sorted(_CASED)) if caseless and name in _CASED else (name,))


@lru_cache(maxsize=32)
def _ranges(kinds: tuple[str, ...]) -> str:
    """Return the contents of a character class with all characters of at least one of some kinds.

    Args:
        kinds: Unicode categories such as "Lu"; groups of categories such as "L"; or "lower" (lowercase),
            "upper" (uppercase) and "white" (Unicode's property White_Space).
    """
    categories = frozenset(kinds)
    found: list[list[int]] = []
    for code in range(sys.maxunicode + 1):
        letter = chr(code)
        category = unicodedata.category(letter)
        if (
            category in categories
            or category[0] in categories
            or ("lower" in categories and letter.islower())
            or ("upper" in categories and letter.isupper())
            or ("white" in categories and letter in _WHITE)
        ):
            if found and found[-1][1] == code - 1:
                found[-1][1] = code
            else:
                found.append([code, code])
    return "".join(f"{class_letter(chr(a))}-{class_letter(chr(b))}" for a, b in found)


@lru_cache(maxsize=1)
def word_boundary() -> str:
    r"""Return Java's `\b` for Python's `re` (java.util.regex.Pattern.Bound of Java 17).

    In Java, letters, decimal digits and `_` belong to a word, and so do non-spacing marks after a letter or
    digit up to U+FFFF. In Python, these marks belong to no word, but numbers such as ² do. For ASCII, both
    agree. A lookbehind of Python has a fixed width, so there is one for each number of marks up to _MARKS.
    """
    letter, mark, other = _ranges(("L", "Nd")), _ranges(("Mn",)), r"[^\x00-\x7f]"
    far = r"[\U00010000-\U0010ffff]"
    marked = [f"(?!{far})[{letter}][{mark}]{{{count}}}" for count in range(1, _MARKS + 1)]
    behind = "|".join(f"(?<={text})" for text in (f"[{letter}]", *marked))
    not_behind = "".join(f"(?<!{text})" for text in (f"[{letter}_]", *marked))
    ends = f"(?:{behind})(?![{letter}_{mark}])|(?<=_|(?={far})[{letter}])(?![{letter}_])"
    begins = f"{not_behind}(?=[{letter}_])"
    return rf"(?:(?<!{other})(?!{other})\b|(?:(?={other})|(?<={other}))(?:{ends}|{begins}))"


def class_letter(letter: str) -> str:
    """Return a character, escaped for a class of Python's `re`."""
    return "\\" + letter if letter in r"\[]^-&~|" else letter
