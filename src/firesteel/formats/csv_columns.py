"""The columnar path of csv: a block in which every line is one plain record, by one DuckDB statement."""

from __future__ import annotations

import re

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from firesteel.changelog import RowKind
from firesteel.formats.base import MESSAGES, Fields
from firesteel.formats.csv_options import CsvOptions
from firesteel.formats.json_cast import MAY_FAIL, cast_expression
from firesteel.formats.json_pattern import plain_pattern
from firesteel.formats.json_shape import needs_exact_path
from firesteel.formats.line_decoder import split_lines
from firesteel.runtime.duck.connection import connect
from firesteel.runtime.spec import field
from firesteel.types.sql import CHARACTER


class CsvColumns:
    """Reads blocks whose lines all match one pattern."""

    def __init__(self, fields: Fields, options: CsvOptions, schema: pa.Schema) -> None:
        self._schema = schema
        dialect = options.dialect
        self._avoided = [
            mark.encode()
            for mark in (dialect.quote, dialect.escape, "#" if dialect.comments else None)
            if mark
        ]
        delimiter = dialect.delimiter
        self._pattern = None if needs_exact_path(fields.types) else _pattern(fields, delimiter, options)
        self._statement = _statement(fields, delimiter, options)

    def read(self, data: bytes) -> pa.Table | None:
        """The rows, or None if some line needs the exact path."""
        if self._pattern is None or any(mark in data for mark in self._avoided):
            return None
        lines = split_lines(data)
        if not len(lines):
            return self._schema.empty_table()
        if not pc.all(pc.match_substring_regex(lines, self._pattern)).as_py():
            return None
        connection = connect()
        connection.register(MESSAGES, pa.table({"l": lines}))
        try:
            answer = connection.sql(self._statement).to_arrow_table()
        finally:
            connection.unregister(MESSAGES)
        if answer["flag"].to_numpy().any():
            return None
        kinds = pa.array(np.full(answer.num_rows, RowKind.INSERT, dtype=np.int8))
        columns = [kinds, *(answer[name] for name in self._schema.names[1:])]
        return pa.Table.from_arrays(columns, names=self._schema.names).cast(self._schema)


def _pattern(fields: Fields, delimiter: str, options: CsvOptions) -> str | None:
    wanted = dict(zip(fields.names, fields.types, strict=True))
    text = rf"[^{re.escape(delimiter)}\r\n]*"
    parts = []
    for name in fields.all_names:
        kind = wanted.get(name)
        plain = text if kind is None or kind.root in CHARACTER else plain_pattern(kind)
        if plain is None:
            return None
        if options.null_literal is not None:
            plain = f"(?:{plain}|{re.escape(options.null_literal)})"
        parts.append(plain)
    return f"^{re.escape(delimiter).join(parts)}\r?\n?$"


def _statement(fields: Fields, delimiter: str, options: CsvOptions) -> str:
    columns, flags = [], []
    for index, (name, kind) in enumerate(zip(fields.names, fields.types, strict=True)):
        text = f"v[{fields.all_names.index(name) + 1}]"
        if options.null_literal is not None:
            text = f"nullif({text}, {_literal(options.null_literal)})"
        value = cast_expression(text, kind)
        columns.append(f"{value} AS {field(index)}")
        if kind.root in MAY_FAIL:
            flags.append(f"({text} IS NOT NULL AND {value} IS NULL)")
    columns.append(f"{' OR '.join(flags) or 'false'} AS flag")
    split = f"string_split(rtrim(l, chr(13) || chr(10)), {_literal(delimiter)})"
    return f"SELECT {', '.join(columns)} FROM (SELECT {split} AS v FROM {MESSAGES})"


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
