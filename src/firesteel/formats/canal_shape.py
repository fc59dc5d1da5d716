"""The columnar path of canal-json: messages of one row, in one learned shape, by one DuckDB statement."""

from __future__ import annotations

import json
import re

import numpy as np
import pyarrow as pa

from firesteel.changelog import RowKind
from firesteel.formats.base import Fields
from firesteel.formats.json_cast import MAY_FAIL, cast_expression
from firesteel.formats.json_flat import members_of
from firesteel.formats.json_options import JsonOptions
from firesteel.formats.json_parser import Members
from firesteel.formats.json_pattern import STRING, any_pattern, object_pattern, pointer
from firesteel.formats.json_shape import Shape, merged_keys, needs_exact_path
from firesteel.formats.line_decoder import LINE, MESSAGES
from firesteel.runtime.spec import KIND, field

_TYPES = '"(?:INSERT|UPDATE|DELETE)"'


class CanalShape:
    """A learned shape (line_decoder.Shape): its pattern and its statement."""

    def __init__(self, pattern: str, statement: str, fields: Fields, filters: dict[str, str]) -> None:
        self.pattern = pattern
        self.statement = statement
        self._fields = fields
        self._filters = {key: re.compile(text) for key, text in filters.items()}

    @classmethod
    def learn(cls, messages: list[bytes], fields: Fields, options: JsonOptions) -> CanalShape | None:
        """The shape of the messages that have one row; None if the columnar path cannot read them."""
        if needs_exact_path(fields.types):
            return None
        roots = [root for root in map(members_of, messages) if root is not None]
        rows = [row for root in roots if (row := _only_row(root, "data")) is not None]
        if not rows:
            return None
        shape = Shape(rows, fields.names, fields.types, iso=options.iso_timestamps)
        if not shape.usable:
            return None
        filters = {"database": options.database, "table": options.table}
        wanted = {key: text for key, text in filters.items() if text is not None}
        pattern = _pattern(roots, shape, wanted)
        return cls(pattern, _statement(fields, wanted), fields, wanted)

    def rows(self, wide: pa.Table) -> tuple[pa.Table, list[int]]:
        """See line_decoder.Shape."""
        odd: list[int] = []
        flagged = wide["flag"].to_numpy()
        if flagged.any():
            odd = wide["i"].to_numpy()[flagged].tolist()
            wide = wide.filter(pa.array(~flagged))
        for key, pattern in self._filters.items():
            wide = _filtered(wide, key, pattern)
        return self._changes(wide), odd

    def _changes(self, wide: pa.Table) -> pa.Table:
        """One row a message to one row a change: an UPDATE's row before it stands before it."""
        kinds = wide["kind"].to_numpy()
        updates = np.flatnonzero(kinds == RowKind.UPDATE_AFTER)
        names = [field(index) for index in range(len(self._fields.types))]
        if not len(updates):
            columns = [wide["kind"], *(wide[f"a{index}"] for index in range(len(names))), wide["i"]]
            return pa.Table.from_arrays(columns, names=[KIND, *names, LINE])
        copies = np.ones(len(kinds), dtype=np.int64)
        copies[updates] = 2
        picks = np.repeat(np.arange(len(kinds)), copies)
        before = np.cumsum(copies)[updates] - 2
        out_kinds = kinds[picks]
        out_kinds[before] = RowKind.UPDATE_BEFORE
        lines = wide["i"].to_numpy()[picks]
        picks[before] = len(kinds) + np.arange(len(updates))
        old = wide.take(pa.array(updates))
        indices = pa.array(picks)
        columns = [pa.array(out_kinds)]
        for index in range(len(names)):
            both = pa.chunked_array([*wide[f"a{index}"].chunks, *old[f"b{index}"].chunks])
            columns.append(both.combine_chunks().take(indices))
        return pa.Table.from_arrays([*columns, pa.array(lines)], names=[KIND, *names, LINE])


def _only_row(root: Members, key: str) -> Members | None:
    value = dict(root).get(key)
    if isinstance(value, list) and len(value) == 1 and isinstance(value[0], Members):
        return value[0]
    return None


def _pattern(roots: list[Members], shape: Shape, filters: dict[str, str]) -> str:
    row = object_pattern(shape.members())
    old = object_pattern(shape.members(optional=True))
    special = {"data": rf"\[{row}\]", "old": rf"(?:null|\[{old}\])", "type": _TYPES}
    special.update(dict.fromkeys(filters, STRING))
    keys = merged_keys(roots)
    keys += [key for key in special if key not in keys]
    needed = {"data", "type", *filters}
    everywhere = {key for key in keys if all(any(key == one for one, _ in root) for root in roots)}
    members = []
    for key in keys:
        pattern = special.get(key) or any_pattern(
            value for root in roots for one, value in root if one == key
        )
        members.append((key, pattern, key not in needed and key not in everywhere))
    return object_pattern(members)


def _statement(fields: Fields, filters: dict[str, str]) -> str:
    """One parse of each message gives the type, the new and the old values, and what else is needed.

    An old value is taken from the new row where its name does not occur in `old`; the text of `old` is
    compact JSON here, so `"name":` is found there exactly when it is a key.
    """
    count = len(fields.names)
    paths = [pointer("type"), pointer("old")]
    paths += [pointer("data", "0", name) for name in fields.names]
    paths += [pointer("old", "0", name) for name in fields.names]
    paths += [pointer(key) for key in filters]
    columns = [
        "i",
        "CASE v[1] WHEN 'INSERT' THEN 0 WHEN 'UPDATE' THEN 2 ELSE 3 END::TINYINT AS kind",
    ]
    flags = []
    for index, (name, kind) in enumerate(zip(fields.names, fields.types, strict=True)):
        after, old = f"v[{3 + index}]", f"v[{3 + count + index}]"
        key = _key_text(name)
        before = (
            f"(CASE WHEN v[1] <> 'UPDATE' THEN NULL WHEN {old} IS NOT NULL THEN {old} "
            f"WHEN contains(v[2], {key}) THEN NULL ELSE {after} END)"
        )
        new_value = cast_expression(after, kind)
        old_value = cast_expression(before, kind)
        columns += [f"{new_value} AS a{index}", f"{old_value} AS b{index}"]
        if kind.root in MAY_FAIL:
            flags += [
                f"({after} IS NOT NULL AND {new_value} IS NULL)",
                f"({before} IS NOT NULL AND {old_value} IS NULL)",
            ]
    columns += [f'v[{3 + 2 * count + index}] AS "{key}"' for index, key in enumerate(filters)]
    flags.append("(v[1] = 'UPDATE' AND v[2] IS NULL)")
    columns.append(f"{' OR '.join(flags)} AS flag")
    inner = f"SELECT i, json_extract_string(l, [{', '.join(paths)}]) AS v FROM {MESSAGES}"
    return f"SELECT {', '.join(columns)} FROM ({inner})"


def _key_text(name: str) -> str:
    return "'" + (json.dumps(name, ensure_ascii=False) + ":").replace("'", "''") + "'"


def _filtered(wide: pa.Table, key: str, pattern: re.Pattern[str]) -> pa.Table:
    """The messages whose database or table matches; there are few different ones."""
    codes = wide[key].combine_chunks().dictionary_encode()
    keep = np.array([pattern.fullmatch(one) is not None for one in codes.dictionary.to_pylist()], dtype=bool)
    return wide.filter(pa.array(keep[codes.indices.to_numpy()])) if not keep.all() else wide
