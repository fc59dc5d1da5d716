"""The columnar path of the CDC formats with one row a message: one learned shape, one DuckDB statement."""

from __future__ import annotations

from firesteel.formats.base import Fields
from firesteel.formats.cdc import DELETE, INSERT, UPDATE, Envelope
from firesteel.formats.json_cast import before_text, change_columns
from firesteel.formats.json_flat import members_of
from firesteel.formats.json_options import JsonOptions
from firesteel.formats.json_parser import Members
from firesteel.formats.json_pattern import any_pattern, object_pattern, pointer
from firesteel.formats.json_shape import Shape, merged_keys, needs_exact_path
from firesteel.formats.line_decoder import MESSAGES
from firesteel.formats.update_shape import UpdateShape

_CODES = {INSERT: 0, UPDATE: 2, DELETE: 3}


def learn(
    envelope: Envelope, messages: list[bytes], fields: Fields, options: JsonOptions
) -> UpdateShape | None:
    """The shape of the messages; None if the columnar path cannot read them."""
    if needs_exact_path(fields.types) or options.schema_include:
        return None
    roots = [root for root in map(members_of, messages) if root is not None]
    rows = [
        part
        for root in roots
        for key, part in root
        if isinstance(part, Members)
        and key in ((envelope.after,) if envelope.partial else (envelope.before, envelope.after))
    ]
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
    count = len(fields.names)
    paths = [pointer(envelope.operation), pointer(envelope.before), pointer(envelope.after)]
    paths += [pointer(envelope.after, name) for name in fields.names]
    paths += [pointer(envelope.before, name) for name in fields.names]
    codes = " ".join(f"WHEN '{name}' THEN {_CODES[meaning]}" for name, meaning in envelope.operations.items())
    kind = f"CASE v[1] {codes} END"
    after = [f"v[{4 + index}]" for index in range(count)]
    old = [f"v[{4 + count + index}]" for index in range(count)]
    if envelope.partial:
        new = after
        before = [
            before_text(f"{kind} = 2", old[index], after[index], "v[2]", name)
            for index, name in enumerate(fields.names)
        ]
        missing = f"(v[3] IS NULL OR ({kind} = 2 AND v[2] IS NULL))"
    else:
        new = [f"CASE WHEN {kind} = 3 THEN {b} ELSE {a} END" for a, b in zip(after, old, strict=True)]
        before = [f"CASE WHEN {kind} = 2 THEN {b} END" for b in old]
        missing = f"(({kind} <> 3 AND v[3] IS NULL) OR ({kind} <> 0 AND v[2] IS NULL))"
    columns, flags = change_columns(fields.types, new, before)
    flag = " OR ".join([missing, *flags])
    inner = f"SELECT i, json_extract_string(l, [{', '.join(paths)}]) AS v FROM {MESSAGES}"
    return f"SELECT i, ({kind})::TINYINT AS kind, {', '.join(columns)}, {flag} AS flag FROM ({inner})"
