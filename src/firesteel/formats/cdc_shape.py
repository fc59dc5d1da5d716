"""The columnar path of the CDC formats with one row a message: one learned shape, one DuckDB statement."""

from __future__ import annotations

from firesteel.formats.base import Fields
from firesteel.formats.cdc import DELETE, INSERT, UPDATE, Envelope
from firesteel.formats.json_cast import ChangeStatement, before_text
from firesteel.formats.json_flat import members_of
from firesteel.formats.json_options import JsonOptions
from firesteel.formats.json_parser import Members
from firesteel.formats.json_pattern import any_pattern, object_pattern, pointer
from firesteel.formats.json_shape import Shape, merged_keys, needs_exact_path
from firesteel.formats.update_shape import UpdateShape

_CODES = {INSERT: 0, UPDATE: 2, DELETE: 3}


def learn(
    envelope: Envelope, messages: list[bytes], fields: Fields, options: JsonOptions
) -> UpdateShape | None:
    """The shape of the messages; None if the columnar path cannot read them."""
    if needs_exact_path(fields.types) or options.schema_include:
        return None
    roots = [root for root in map(members_of, messages) if root is not None]
    whole = (envelope.after,) if envelope.partial else (envelope.before, envelope.after)
    rows = [part for root in roots for key, part in root if isinstance(part, Members) and key in whole]
    if not rows:
        return None
    shape = Shape(rows, fields.names, fields.types, iso=options.iso_timestamps)
    if not shape.usable:
        return None
    return UpdateShape(_pattern(envelope, roots, shape), _statement(envelope, fields), fields)


def _pattern(envelope: Envelope, roots: list[Members], shape: Shape) -> str:
    row = f"(?:null|{object_pattern(shape.members())})"
    before = f"(?:null|{object_pattern(shape.members(optional=True))})" if envelope.partial else row
    names = "|".join(envelope.operations)
    special = {envelope.before: before, envelope.after: row, envelope.operation: f'"(?:{names})"'}
    keys = merged_keys(roots)
    keys += [key for key in special if key not in keys]
    members = []
    for key in keys:
        pattern = special.get(key) or any_pattern(
            value for root in roots for one, value in root if one == key
        )
        always = all(any(key == one for one, _ in root) for root in roots)
        members.append((key, pattern, key != envelope.operation and not always))
    return object_pattern(members)


def _statement(envelope: Envelope, fields: Fields) -> str:
    """Flags what the exact path must refuse: a row that is missing."""
    names, count = fields.names, range(len(fields.names))
    paths = [pointer(envelope.operation), pointer(envelope.before), pointer(envelope.after)]
    paths += [pointer(envelope.after, name) for name in names]
    paths += [pointer(envelope.before, name) for name in names]
    codes = " ".join(f"WHEN '{name}' THEN {_CODES[meaning]}" for name, meaning in envelope.operations.items())
    if envelope.partial:
        new = [f"n{j}" for j in count]
        before = [before_text("k = 2", f"p{j}", f"n{j}", "o", name) for j, name in enumerate(names)]
        wrong = "(w IS NULL OR (k = 2 AND o IS NULL))"
    else:
        new = [f"CASE WHEN k = 3 THEN p{j} ELSE n{j} END" for j in count]
        before = [f"CASE WHEN k = 2 THEN p{j} END" for j in count]
        wrong = "((k <> 3 AND w IS NULL) OR (k <> 0 AND o IS NULL))"
    return ChangeStatement(
        types=fields.types,
        paths=tuple(paths),
        head=(("k", f"CASE v[1] {codes} END"), ("o", "v[2]"), ("w", "v[3]")),
        new=tuple(new),
        before=tuple(before),
        kind="k",
        wrong=wrong,
    ).sql
