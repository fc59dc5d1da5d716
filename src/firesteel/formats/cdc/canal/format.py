"""The format canal-json: changes of MySQL tables as Alibaba Canal writes them.

`{"data": [row, ...], "old": [row, ...], "type": "UPDATE"}`; `old` has the changed fields.
Flink: CanalJsonDeserializationSchema, CanalJsonDecodingFormat.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from firesteel.changelog import RowKind
from firesteel.errors import ValidationError
from firesteel.formats.base import Fields, Options
from firesteel.formats.cdc.canal.batch_decoder import CanalColumns
from firesteel.formats.json.batch_values import in_columns
from firesteel.formats.json.json_format import JsonFormat
from firesteel.formats.json.options import CANAL_OPTIONS, JsonOptions
from firesteel.formats.json.row_decoder import TreeConverters, has_decimal, occurs
from firesteel.formats.messages.control_messages import explained, quoted
from firesteel.formats.messages.json_limits import BadMessage
from firesteel.formats.messages.json_parser import parse_tree
from firesteel.formats.messages.message_decoder import Row
from firesteel.functions.java.regular_expressions import parsed
from firesteel.types.sql import SqlType

Values = tuple[object, ...]
_KINDS = {"INSERT": RowKind.INSERT, "DELETE": RowKind.DELETE}


class CanalMessages:
    """Exact reader of Canal messages (message_decoder.Exact)."""

    def __init__(self, fields: Fields, options: JsonOptions) -> None:
        self._fields = fields
        self.ignored: Exception | None = None
        self._options = options
        self._exact = any(map(has_decimal, fields.types))
        self._converters = TreeConverters(
            iso=options.iso_timestamps, ignore_errors=options.ignore_parse_errors, exact=self._exact
        )
        self._row = self._converters.row(fields.names, fields.types)
        self._filters = [
            (key, parsed(pattern))
            for key, pattern in (("database", options.database), ("table", options.table))
            if pattern is not None
        ]

    def error(self, message: bytes, reason: str) -> str:
        return f"Corrupt Canal JSON message '{quoted(message)}'. {reason}"

    def read(self, message: bytes) -> Sequence[Row] | None:
        if not message:
            return ()
        rows: list[Row] = []
        try:
            self._add_rows(parse_tree(message, exact=self._exact), message, rows)
        except (BadMessage, ValueError) as error:
            explanation = explained("Canal", message, error)
            if not self._options.ignore_parse_errors:
                raise explanation from None
            self.ignored = explanation
            return rows or None  # As in Flink, the rows before a bad row are returned.
        return rows

    def _add_rows(self, root: Any, message: bytes, rows: list[Row]) -> None:
        if not isinstance(root, dict):
            raise BadMessage("The message is no JSON object.")
        for key, pattern in self._filters:
            if key not in root:
                raise BadMessage(f"The message has no field '{key}'.")
            if not pattern.fullmatch(self._converters.text(root[key])):
                return
        kind = root.get("type")
        # Flink converts `data` and `old` before it checks the type. So a bad value in them is an error, even
        # if the type does not need them, as with CREATE.
        data, old = self._array(root, "data"), self._array(root, "old")
        if kind is None:
            raise BadMessage("The message has no field 'type'.")
        if isinstance(kind, str) and kind in _KINDS:
            rows.extend((_KINDS[kind], _there(row, "data")) for row in _present(data, "data"))
        elif kind == "UPDATE":
            self._add_updates(root, _present(data, "data"), old, rows)
        elif kind != "CREATE":
            raise BadMessage(f'Unknown "type" value "{self._converters.text(kind)}".')

    def _array(self, root: dict[str, Any], key: str) -> list[Values | None] | None:
        """Return the rows of the list `data` or `old`, None without such a list. A null in it is None."""
        value = root.get(key)
        if value is None:
            return None
        if not isinstance(value, list):
            if self._options.ignore_parse_errors:
                return None
            raise BadMessage(f"Fail to deserialize at field: {key}. It is no JSON array.")
        return [self._element(row) for row in value]

    def _element(self, row: Any) -> Values | None:
        if row is None or (self._options.ignore_parse_errors and not isinstance(row, dict)):
            return None
        return tuple(self._row(row).values())

    def _add_updates(
        self,
        root: dict[str, Any],
        data: list[Values | None],
        old: list[Values | None] | None,
        rows: list[Row],
    ) -> None:
        named = [occurs(root.get("old"), name) for name in self._fields.names]
        for index, row in enumerate(data):
            after = _there(row, "data")
            olds = _present(old, "old")
            before = _there(olds[index] if index < len(olds) else None, "old")
            filled = tuple(
                new if value is None and not there else value
                for value, new, there in zip(before, after, named, strict=True)
            )
            rows.append((RowKind.UPDATE_BEFORE, filled))
            rows.append((RowKind.UPDATE_AFTER, after))


def _present(rows: list[Values | None] | None, key: str) -> list[Values | None]:
    if rows is None:
        raise BadMessage(f"The field '{key}' is null.")
    return rows


def _there(row: Values | None, key: str) -> Values:
    if row is None:
        raise BadMessage(f"The field '{key}' lacks a row.")
    return row


class CanalJson(JsonFormat):
    """The format `canal-json`, which reads and writes changes as Alibaba Canal does."""

    name = "canal-json"
    options = CANAL_OPTIONS
    insert = ('{"data":[', '],"type":"INSERT"}')
    delete = ('{"data":[', '],"type":"DELETE"}')

    def validate(self, options: Options, names: tuple[str, ...], types: tuple[SqlType, ...]) -> None:
        super().validate(options, names, types)
        for key in ("database.include", "table.include"):
            try:
                parsed(options.get(key, ""))
            except re.error as error:
                raise ValidationError(
                    f"Invalid value for option '{self.name}.{key}'.",
                    hint=f"it is no regular expression: {error}",
                ) from None

    def exact(self, fields: Fields, options: JsonOptions) -> CanalMessages:
        return CanalMessages(fields, options)

    def columns(self, fields: Fields, options: JsonOptions, schema: pa.Schema) -> CanalColumns | None:
        return CanalColumns(fields, options, schema) if in_columns(fields) else None
