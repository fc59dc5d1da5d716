"""Java's regular expressions, executed by Python's `re`.

`re` has possessive quantifiers and atomic groups since Python 3.11. On Python 3.10, the package `regex` runs
patterns that contain them. It is slower than `re` and gives the same results.
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
        except regex.error as error:  # Callers catch re.error only.
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
    offsets = [0, *accumulate(1 + (letter > "\uffff") for letter in text)]
    at, within = 0, False
    while at <= len(text):
        # Java searches UTF-16 units. So after an empty match before a character of two units, it tries to
        # match between these units. For this one attempt, text[at - 1] is split into its two units.
        if within:
            seen = f"{text[: at - 1]}{units(text[at - 1])}{text[at:]}"
            found = pattern.match(seen, at)
            within = False
            if found:
                yield _spans(found, [*offsets[:at], offsets[at - 1] + 1, *offsets[at:]])
                at = max(found.end() - 1, at)
                continue
        found = pattern.search(text, at)
        if found is None:
            return
        yield _spans(found, offsets)
        empty = found.start() == found.end()
        at = found.end() + empty
        within = empty and text[at - 1 : at] > "\uffff"


def _spans(match: re.Match[str], offsets: list[int]) -> Spans:
    return tuple(tuple(offsets[i] if i >= 0 else -1 for i in span) for span in match.regs)
