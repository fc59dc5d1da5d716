"""The columnar path of `json`: objects in one learned shape, by one DuckDB statement."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from firesteel.changelog import RowKind
from firesteel.formats.base import MESSAGES, Fields
from firesteel.formats.json_cast import MAY_FAIL, cast_expression
from firesteel.formats.json_options import JsonOptions
from firesteel.formats.json_parser import BadMessage, Members, parse_members
from firesteel.formats.json_pattern import object_pattern, pointer
from firesteel.formats.json_shape import Shape, needs_exact_path
from firesteel.formats.line_decoder import LINE
from firesteel.runtime.spec import KIND, field


class FlatShape:
    """A learned shape (line_decoder.Shape)."""

    def __init__(self, pattern: str, statement: str, fields: Fields) -> None:
        self.pattern = pattern
        self.statement = statement
        self._names = [field(index) for index in range(len(fields.names))]

    @classmethod
    def learn(cls, messages: list[bytes], fields: Fields, options: JsonOptions) -> FlatShape | None:
        """The shape of the messages that are objects; None if the columnar path cannot read them."""
        if needs_exact_path(fields.types):
            return None
        rows = [row for row in map(members_of, messages) if row is not None]
        if not rows:
            return None
        shape = Shape(rows, fields.names, fields.types, iso=options.iso_timestamps)
        if not shape.usable:
            return None
        members = shape.members()
        if options.fail_on_missing_field:
            members = [(key, text, missing and key not in fields.names) for key, text, missing in members]
        return cls(object_pattern(members), _statement(fields), fields)

    def rows(self, answer: pa.Table) -> tuple[pa.Table, list[int]]:
        """See line_decoder.Shape."""
        flagged = answer["flag"].to_numpy()
        odd: list[int] = []
        if flagged.any():
            odd = answer["i"].to_numpy()[flagged].tolist()
            answer = answer.filter(pa.array(~flagged))
        kinds = pa.array(np.full(answer.num_rows, RowKind.INSERT, dtype=np.int8))
        columns = [kinds, *(answer[name] for name in self._names), answer["i"]]
        return pa.Table.from_arrays(columns, names=[KIND, *self._names, LINE]), odd


def members_of(message: bytes) -> Members | None:
    """The message's members, if it is an object."""
    try:
        root = parse_members(message)
    except BadMessage:
        return None
    return root if isinstance(root, Members) else None


def _statement(fields: Fields) -> str:
    paths = ", ".join(pointer(name) for name in fields.names)
    columns, flags = ["i"], []
    for index, kind in enumerate(fields.types):
        text = f"v[{index + 1}]"
        value = cast_expression(text, kind)
        columns.append(f"{value} AS {field(index)}")
        if kind.root in MAY_FAIL:
            flags.append(f"({text} IS NOT NULL AND {value} IS NULL)")
    columns.append(f"{' OR '.join(flags) or 'false'} AS flag")
    inner = f"SELECT i, json_extract_string(l, [{paths}]) AS v FROM {MESSAGES}"
    return f"SELECT {', '.join(columns)} FROM ({inner})"
