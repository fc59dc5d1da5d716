"""Exact reader of the CDC formats with one row in each message."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from firesteel.changelog import RowKind
from firesteel.formats.base import Fields
from firesteel.formats.json.options import JsonOptions
from firesteel.formats.json.row_decoder import TreeConverters, has_decimal, occurs
from firesteel.formats.messages.control_messages import explained, quoted
from firesteel.formats.messages.json_limits import BadMessage
from firesteel.formats.messages.json_parser import parse_tree
from firesteel.formats.messages.message_decoder import Row

INSERT, UPDATE, DELETE = "insert", "update", "delete"
Values = tuple[object, ...]


@dataclass(frozen=True)
class Envelope:
    """Object that wraps the rows of a CDC format.

    Attributes:
        title: Name of the format in errors.
        operation: Member with the kind of the change.
        operations: Kind of the change by the value of that member.
        before: Member with the row before the change.
        after: Member with the row after the change.
        partial: True for Maxwell. The member `before` then has only the changed fields of an UPDATE, and the
            row of a DELETE is in the member `after`.
        replica: Tool that the hint names if the row before a change is missing.
    """

    title: str
    operation: str
    operations: Mapping[str, str]
    before: str = "before"
    after: str = "after"
    partial: bool = False
    replica: str = ""


class EnvelopeMessages:
    """Exact reader of messages in an envelope (message_decoder.Exact)."""

    def __init__(self, envelope: Envelope, fields: Fields, options: JsonOptions) -> None:
        self._envelope = envelope
        self.ignored: Exception | None = None
        self._fields = fields
        self._options = options
        self._exact = any(map(has_decimal, fields.types))
        self._converters = TreeConverters(
            iso=options.iso_timestamps, ignore_errors=options.ignore_parse_errors, exact=self._exact
        )
        self._row = self._converters.row(fields.names, fields.types)

    def error(self, message: bytes, reason: str) -> str:
        return f"Corrupt {self._envelope.title} JSON message '{quoted(message)}'. {reason}"

    def read(self, message: bytes) -> Sequence[Row] | None:
        if not message:
            return ()
        try:
            return self._rows(self._payload(parse_tree(message, exact=self._exact)), message)
        except (BadMessage, ValueError) as error:
            explanation = explained(self._envelope.title, message, error)
            if not self._options.ignore_parse_errors:
                raise explanation from None
            self.ignored = explanation
            return None

    def _payload(self, root: Any) -> dict[str, Any]:
        if self._options.schema_include and isinstance(root, dict):
            root = root.get("payload")
        if not isinstance(root, dict):
            raise BadMessage("The message is no JSON object.")
        return root

    def _rows(self, root: dict[str, Any], message: bytes) -> Sequence[Row]:
        envelope = self._envelope
        before, after = self._part(root, envelope.before), self._part(root, envelope.after)
        value = root.get(envelope.operation)
        if value is None:
            raise BadMessage(f"The message has no field '{envelope.operation}'.")
        name = self._converters.text(value)
        operation = envelope.operations.get(name)
        if operation == INSERT:
            return [(RowKind.INSERT, _there(after, envelope.after))]
        if operation == UPDATE:
            new = _there(after, envelope.after) if envelope.partial or before is not None else ()
            old = self._filled(root, before, new) if envelope.partial else self._needed(before, "UPDATE")
            return [(RowKind.UPDATE_BEFORE, old), (RowKind.UPDATE_AFTER, new)]
        if operation == DELETE:
            return [
                (
                    RowKind.DELETE,
                    _there(after, envelope.after) if envelope.partial else self._needed(before, "DELETE"),
                )
            ]
        raise BadMessage(f'Unknown "{envelope.operation}" value "{name}".')

    def _part(self, root: dict[str, Any], key: str) -> Values | None:
        """Return a row of the message, None if there is none."""
        value = root.get(key)
        if value is None or (self._options.ignore_parse_errors and not isinstance(value, dict)):
            return None
        try:
            return tuple(self._row(value).values())
        except ValueError as error:
            raise ValueError(f"Fail to deserialize at field: {key}. {error}") from None

    def _filled(self, root: dict[str, Any], before: Values | None, new: Values) -> Values:
        """Return the row before a change, from the changed fields and the row after it."""
        old = _there(before, self._envelope.before)
        source = root.get(self._envelope.before)
        return tuple(
            new[index] if value is None and not occurs(source, name) else value
            for index, (name, value) in enumerate(zip(self._fields.names, old, strict=True))
        )

    def _needed(self, before: Values | None, operation: str) -> Values:
        if before is None:
            raise BadMessage(
                f'The "before" field of {operation} message is null, if you are using '
                f"{self._envelope.replica} Postgres Connector, please check the Postgres table has been set "
                "REPLICA IDENTITY to FULL level."
            )
        return before


def _there(row: Values | None, key: str) -> Values:
    if row is None:
        raise BadMessage(f"The field '{key}' is null.")
    return row
