"""LIKE, SIMILAR TO and regular expressions. Flink: SqlLikeUtils, SqlFunctionUtils."""

from __future__ import annotations

import re
from functools import lru_cache
from math import ceil

from firesteel.errors import JobError
from firesteel.functions.duckdb.library import text_columns
from firesteel.functions.duckdb.registry import in_columns, nullable
from firesteel.functions.java.hash_code import string_hash
from firesteel.functions.java.hash_map import hashed
from firesteel.functions.java.regular_expressions import compiled, find_all
from firesteel.functions.java.utf16 import text_of, units

_CLASSES = {
    "ALPHA": r"a-zA-Z",
    "UPPER": r"A-Z",
    "LOWER": r"a-z",
    "DIGIT": r"\d",
    "SPACE": r" ",
    "WHITESPACE": r"\s",
    "ALNUM": r"a-zA-Z0-9",
}
_ANY_LETTER = "[^\\n\\r\\x85\\u2028\\u2029]"
"""Regular expression for `_` in a pattern of LIKE or SIMILAR TO: any character but a line end, as Java's `.`.

For `%`, which matches any text, line ends are included.
"""
_SPECIAL = set("[]()|^-+*%_?{}")


@lru_cache(maxsize=512)
def _like(pattern: str, escape: str | None) -> re.Pattern[str]:
    parts, i = [], 0
    while i < len(pattern):
        letter = pattern[i]
        if letter == escape:
            if i + 1 == len(pattern) or pattern[i + 1] not in ("%", "_", escape):
                raise JobError(f"Invalid escape sequence '{pattern}', {i}")
            parts.append(re.escape(pattern[i + 1]))
            i += 1
        else:
            parts.append({"%": ".*", "_": _ANY_LETTER}.get(letter) or re.escape(letter))
        i += 1
    return re.compile("".join(parts), re.DOTALL)


def like(text: str, pattern: str, escape: str | None = None) -> bool:
    """Return whether the whole text matches a LIKE pattern. Without ESCAPE, it has no escape character.

    Raises:
        JobError: The escape is not one character.
    """
    if escape is not None and len(escape) != 1:
        raise JobError(f"Invalid escape character '{escape}'")
    return _like(pattern, escape).fullmatch(text) is not None


@lru_cache(maxsize=512)
def _similar(pattern: str, escape: str | None) -> re.Pattern[str]:
    parts: list[str] = []
    i = 0
    while i < len(pattern):
        letter = pattern[i]
        if letter == escape:
            if i + 1 == len(pattern):
                raise JobError(f"Invalid escape sequence '{pattern}', {i}")
            following = pattern[i + 1]
            if following not in _SPECIAL and following != escape:
                raise JobError(f"Invalid escape sequence '{pattern}', {i}")
            parts.append(re.escape(following))
            i += 1
        elif letter == "[":
            i = _character_class(pattern, i, parts)
        elif letter in "%_":
            parts.append({"%": ".*", "_": _ANY_LETTER}[letter])
        elif letter in "()|+*?{}":
            parts.append(letter)
        else:
            parts.append(letter if letter == "." else re.escape(letter))
        i += 1
    try:
        return re.compile("".join(parts), re.DOTALL)
    except re.error:
        raise JobError(f"Invalid regular expression '{pattern}'") from None


def _character_class(pattern: str, start: int, parts: list[str]) -> int:
    """Translate the class `[...]` that begins at `start` in a SIMILAR TO pattern to a regular expression.

    Append the expression to `parts`, and return the position of the class's closing bracket.
    """
    i = start + 1
    content = []
    if pattern[i : i + 1] == "^":
        content.append("^")
        i += 1
    while i < len(pattern) and pattern[i] != "]":
        named = re.match(r"\[:(\w+):\]", pattern[i:])
        if named and named[1].upper() in _CLASSES:
            content.append(_CLASSES[named[1].upper()])
            i += named.end()
            continue
        content.append("\\" + pattern[i] if pattern[i] in "\\[&~|" else pattern[i])
        i += 1
    if i >= len(pattern):
        raise JobError(f"Invalid regular expression '{pattern}'")
    parts.append(f"[{''.join(content)}]")
    return i


def similar(text: str, pattern: str, escape: str | None = None) -> bool:
    """Return whether the whole text matches a pattern of SIMILAR TO."""
    return _similar(pattern, escape).fullmatch(text) is not None


@in_columns(text_columns.regexp)
def regexp(text: str, pattern: str) -> bool:
    """Return REGEXP: whether the pattern is found. An empty pattern is never found."""
    found = compiled(pattern)
    return bool(pattern) and found is not None and found.search(text) is not None


def regexp_replace(text: str, pattern: str, new: str) -> str | None:
    """Return REGEXP_REPLACE, NULL if the pattern is invalid. The replacement is literal text."""
    found = compiled(pattern)
    if found is None:
        return None
    seen, parts, at = units(text), [], 0
    for (start, end), *_ in find_all(found, text):
        parts += [seen[at:start], new]
        at = end
    return text_of("".join([*parts, seen[at:]])) if parts else text


@in_columns(text_columns.regexp_extract)
def regexp_extract(text: str, pattern: str, group: int = 0) -> str | None:
    found = compiled(pattern)
    if found is None or not 0 <= group <= found.groups:
        return None
    match = found.search(text)
    return None if match is None else match[group]


def regexp_count(text: str, pattern: str) -> int | None:
    found = compiled(pattern)
    return None if found is None else sum(1 for _ in find_all(found, text))


def regexp_instr(text: str, pattern: str) -> int | None:
    """Return the position of the first match in UTF-16 units, counted from 1.

    The result is 0 if there is no match, and NULL if the pattern is invalid.
    """
    found = compiled(pattern)
    if found is None:
        return None
    match = found.search(text)
    return 0 if match is None else len(units(text[: match.start()])) + 1


def regexp_substr(text: str, pattern: str) -> str | None:
    found = compiled(pattern)
    match = None if found is None else found.search(text)
    return None if match is None else match[0]


def regexp_extract_all(text: str, pattern: str, group: int = 1) -> list[str | None] | None:
    found = compiled(pattern)
    if found is None or not 0 <= group <= found.groups:
        return None
    seen = units(text)
    spans = (spans[group] for spans in find_all(found, text))
    return [text_of(seen[start:end]) if start >= 0 else None for start, end in spans]


@in_columns(text_columns.split_index)
@nullable
def split_index(text: str | None, separator: str | None, index: int | None) -> str | None:
    """Return the part at an index, counted from 0, of a text that a separator divides.

    An empty separator divides the text at each white space. The result is NULL if there is no such part, for
    an empty text, and if an argument is NULL.
    """
    if text is None or separator is None or index is None or index < 0:
        return None
    if not text:
        return None
    parts = text.split(separator) if separator else re.split(r"\s", text)
    return parts[index] if index < len(parts) else None


def split_index_at(text: str, code: int, index: int) -> str | None:
    """Return the part of a text at an index, counted from 0, as `split_index` does.

    Args:
        text: The text.
        code: Code of the separator character, from 1 to 255. For other codes, the result is NULL.
        index: Index of the part.
    """
    return split_index(text, chr(code), index) if 1 <= code <= 255 else None


def split(text: str, separator: str) -> list[str] | None:
    """Return the parts of a text between separators, or its UTF-16 units if the separator is empty.

    An empty text has no parts.
    """
    if not text:
        return []
    return text.split(separator) if separator else [text_of(unit) for unit in units(text)]


def str_to_map(text: str, entries: str = ",", pair: str = "=") -> list[tuple[str, str | None]]:
    """Return the entries of STR_TO_MAP, in the order of Java's HashMap. A key without a value has NULL.

    Args:
        text: The text, such as `a=1,b=2`.
        entries: Regular expression of the separator between entries.
        pair: Regular expression of the separator between a key and its value.

    Raises:
        JobError: A regular expression is invalid.
    """
    if not text:
        return []
    between, within = compiled(entries), compiled(pair)
    if between is None or within is None:
        raise JobError(f"Invalid regular expression '{entries if between is None else pair}'")
    parts = _java_split(between, text)
    found: dict[str, str | None] = {}
    for entry in parts:
        key, *value = _java_split(within, entry, 2)
        found[key if value else entry] = value[0] if value else None
    # Initial capacity of the Java map, as Flink's CollectionUtil computes it from the number of entries.
    room = len(parts) + 1 if len(parts) <= 2 else ceil(len(parts) / 0.75)
    pairs = hashed(list(found.items()), string_hash, room)
    return [(text_of(key), value and text_of(value)) for key, value in pairs]


def _java_split(pattern: re.Pattern[str], text: str, limit: int = 0) -> list[str]:
    """Return the parts of a text as Java's String.split does. An empty match at the front is skipped.

    If `limit` is positive, there are at most `limit` parts, the last of which may contain separators. If it
    is 0, the number is not limited, and empty parts at the end are dropped.
    """
    seen, parts, at = units(text), list[str](), 0
    for (start, end), *_ in find_all(pattern, text):
        if limit and len(parts) == limit - 1:
            break
        if end == 0:
            continue
        parts.append(seen[at:start])
        at = end
    if not at:
        return [text]
    parts.append(seen[at:])
    while not limit and parts and not parts[-1]:
        parts.pop()
    return parts
