"""Java's regular expressions, executed by Python's `re`.

`re` of Python 3.10 has no possessive quantifiers and no atomic groups; patterns with them run by the package
`regex` there, which is slower and otherwise does the same.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from functools import lru_cache
from itertools import accumulate

from firesteel.errors import NotSupportedError
from firesteel.functions.java.regex_parser import to_python
from firesteel.functions.java.utf16 import units

Spans = tuple[tuple[int, ...], ...]


@lru_cache(maxsize=512)
def compiled(pattern: str, flags: str = "") -> re.Pattern[str] | None:
    """Return a Java pattern as a Python pattern, or None if the pattern is invalid.

    Raises:
        NotSupportedError: Python's `re` cannot express the pattern.
    """
    try:
        return parsed(pattern, flags)
    except re.error:
        return None


def parsed(pattern: str, flags: str = "") -> re.Pattern[str]:
    """Return a Java pattern as a Python pattern.

    Args:
        pattern: Java's regular expression.
        flags: Letters of Java's flags.

    Raises:
        re.error: The pattern is invalid.
        NotSupportedError: Python's `re` cannot express the pattern.
    """
    written = to_python(pattern, flags)
    try:
        return _compile(written)
    except (re.error, OverflowError) as error:
        raise NotSupportedError(f"The regular expression {pattern} is not supported: {error}") from None


def _compile(written: str) -> re.Pattern[str]:
    try:
        return re.compile(written)
    except re.error:
        if sys.version_info >= (3, 11):
            raise
        import regex  # type: ignore[import-untyped]

        try:
            pattern: re.Pattern[str] = regex.compile(written, regex.VERSION0)
        except regex.error as error:  # regex.error is no subclass of re.error.
            raise re.error(str(error)) from None
        return pattern


def find_all(pattern: re.Pattern[str], text: str) -> Iterator[Spans]:
    """Yield the spans of each match and its groups in UTF-16 units, like Java's Matcher.find.

    A group that did not participate has the span (-1, -1). After an empty match, the search continues one
    unit later, even inside a character.
    """
    if text.isascii() or max(text) < "\U00010000":
        at = 0
        while at <= len(text) and (found := pattern.search(text, at)):
            yield found.regs
            at = found.end() + (found.start() == found.end())
    else:
        yield from _by_units(pattern, text)


def _by_units(pattern: re.Pattern[str], text: str) -> Iterator[Spans]:
    whole = [0, *accumulate(1 + (letter > "\uffff") for letter in text)]
    at, seen, offsets, halved = 0, text, whole, len(text)
    while at <= len(seen) and (found := pattern.search(seen, at)):
        yield tuple(tuple(offsets[i] if i >= 0 else -1 for i in span) for span in found.regs)
        end, nothing = found.end() - (found.end() > halved), found.start() == found.end()
        within = nothing and found.end() != halved + 1 and text[end : end + 1] > "\uffff"
        at, seen, offsets, halved = end + nothing, text, whole, len(text)
        if within:  # Continue between the two halves of the character.
            halved = end
            seen = f"{text[:end]}{units(text[end])}{text[end + 1 :]}"
            offsets = [*whole[: end + 1], whole[end] + 1, *whole[end + 1 :]]
