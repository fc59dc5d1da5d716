"""The columnar path of canal-json: messages of one row, in one learned shape, by one DuckDB statement."""

from __future__ import annotations

from firesteel.formats.base import Fields
from firesteel.formats.json_cast import ChangeStatement, before_text
from firesteel.formats.json_flat import members_of
from firesteel.formats.json_options import JsonOptions
from firesteel.formats.json_parser import Members
from firesteel.formats.json_pattern import STRING, any_pattern, object_pattern, pointer
from firesteel.formats.json_shape import Shape, merged_keys, needs_exact_path
from firesteel.formats.update_shape import UpdateShape

_TYPES = '"(?:INSERT|UPDATE|DELETE)"'


def learn(messages: list[bytes], fields: Fields, options: JsonOptions) -> UpdateShape | None:
    """The shape of the messages that have one row; None if the columnar path cannot read them."""
    if needs_exact_path(fields.types):
        return None
    roots = [root for root in map(members_of, messages) if root is not None]
    rows = [row for root in roots if (row := _only_row(root)) is not None]
    if not rows:
        return None
    shape = Shape(rows, fields.names, fields.types, iso=options.iso_timestamps)
    if not shape.usable:
        return None
    filters = {"database": options.database, "table": options.table}
    wanted = {key: text for key, text in filters.items() if text is not None}
    pattern = _pattern(roots, shape, list(wanted))
    return UpdateShape(pattern, _statement(fields, list(wanted)), fields, wanted)


def _only_row(root: Members) -> Members | None:
    value = dict(root).get("data")
    if isinstance(value, list) and len(value) == 1 and isinstance(value[0], Members):
        return value[0]
    return None


def _pattern(roots: list[Members], shape: Shape, filters: list[str]) -> str:
    row = object_pattern(shape.members())
    old = object_pattern(shape.members(optional=True))
    special = {"data": rf"\[{row}\]", "old": rf"(?:null|\[{old}\])", "type": _TYPES}
    special.update(dict.fromkeys(filters, STRING))
    keys = merged_keys(roots)
    keys += [key for key in special if key not in keys]
    needed = {"data", "type", *filters}
    members = []
    for key in keys:
        pattern = special.get(key) or any_pattern(
            value for root in roots for one, value in root if one == key
        )
        always = all(any(key == one for one, _ in root) for root in roots)
        members.append((key, pattern, key not in needed and not always))
    return object_pattern(members)


def _statement(fields: Fields, filters: list[str]) -> str:
    """One parse of each message gives the type, the new and the old values, and what else is needed."""
    names = fields.names
    paths = [pointer("type"), pointer("old"), *map(pointer, filters)]
    paths += [pointer("data", "0", name) for name in names]
    paths += [pointer("old", "0", name) for name in names]
    update = "k = 'UPDATE'"
    return ChangeStatement(
        types=fields.types,
        paths=tuple(paths),
        head=(("k", "v[1]"), ("o", "v[2]"), *((f'"{key}"', f"v[{3 + n}]") for n, key in enumerate(filters))),
        new=tuple(f"n{j}" for j in range(len(names))),
        before=tuple(before_text(update, f"p{j}", f"n{j}", "o", name) for j, name in enumerate(names)),
        kind="CASE k WHEN 'INSERT' THEN 0 WHEN 'UPDATE' THEN 2 ELSE 3 END",
        wrong=f"({update} AND o IS NULL)",
        kept=tuple(f'"{key}"' for key in filters),
    ).sql
