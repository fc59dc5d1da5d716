"""How a producer writes its messages, learned from a few of them.

Producers write every message alike: the same keys in the same order, the same values in quotes. A shape
turns that into one pattern which a message matches or not; one that matches holds no repeated key, no
odd number, nothing that would need the exact path.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from firesteel.formats.json_parser import FloatText, IntText, Members
from firesteel.formats.json_pattern import Style, any_pattern, value_pattern
from firesteel.types.sql import CHARACTER, SqlType, TypeRoot

Member = tuple[str, str, bool]


def merged_keys(objects: Iterable[Members]) -> list[str]:
    """All keys, each after those that it follows in the objects."""
    keys: list[str] = []
    for pairs in objects:
        position = 0
        for key, _ in pairs:
            if key in keys:
                position = keys.index(key) + 1
            else:
                keys.insert(position, key)
                position += 1
    return keys


def column_style(kind: SqlType, values: Sequence[Any]) -> Style:
    """How most of the values stand there; without a sign of it, as the type suggests."""
    quoted = sum(type(value) is str for value in values)
    bare = sum(isinstance(value, (bool, IntText, FloatText)) for value in values)
    if quoted == bare:
        textual = kind.root in CHARACTER or kind.is_datetime
        return Style.QUOTED if textual or quoted else Style.BARE
    return Style.QUOTED if quoted > bare else Style.BARE


class Shape:
    """The learned members of row objects: `members(optional)` for patterns, `styles` for casts."""

    def __init__(self, rows: Sequence[Members], names: Sequence[str], types: Sequence[SqlType], *, iso: bool):
        self.keys = merged_keys(rows)
        counts = Counter(key for pairs in rows for key in {key for key, _ in pairs})
        self._always = {key for key, count in counts.items() if count == len(rows)}
        self.styles: dict[str, Style] = {}
        self.usable = True
        self._patterns: dict[str, str] = {}
        for name, kind in zip(names, types, strict=True):
            seen = [value for pairs in rows for key, value in pairs if key == name]
            style = self.styles[name] = column_style(kind, seen)
            pattern = value_pattern(kind, style, iso=iso)
            if pattern is None:
                self.usable = False
                return
            self._patterns[name] = pattern
            if name not in self.keys:
                self.keys.append(name)
        for key in self.keys:
            if key not in self._patterns:
                seen = [value for pairs in rows for one, value in pairs if one == key]
                self._patterns[key] = any_pattern(seen)

    def members(self, *, optional: bool = False) -> list[Member]:
        """Members in order; optional: each may be missing, else those that some sample lacks."""
        return [(key, self._patterns[key], optional or key not in self._always) for key in self.keys]


def needs_exact_path(types: Iterable[SqlType]) -> bool:
    """Whether a column's type is outside what patterns cover."""
    nested = (
        TypeRoot.ARRAY,
        TypeRoot.MAP,
        TypeRoot.MULTISET,
        TypeRoot.ROW,
        TypeRoot.BINARY,
        TypeRoot.VARBINARY,
        TypeRoot.NULL,
        TypeRoot.INTERVAL_YEAR_MONTH,
        TypeRoot.INTERVAL_DAY_TIME,
    )
    return any(kind.root in nested for kind in types)
