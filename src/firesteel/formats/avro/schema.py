"""Avro schemas of rows. Flink: AvroSchemaConverter.convertToSchema."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from firesteel.errors import ValidationError
from firesteel.types.sql import SqlType, TypeRoot

Schema = Any
"""Avro schema as JSON: a name, a list of alternatives, or an object."""

_RECORD = "org.apache.flink.avro.generated.record"
_SIMPLE = {
    TypeRoot.BOOLEAN: "boolean",
    TypeRoot.TINYINT: "int",
    TypeRoot.SMALLINT: "int",
    TypeRoot.INTEGER: "int",
    TypeRoot.BIGINT: "long",
    TypeRoot.FLOAT: "float",
    TypeRoot.DOUBLE: "double",
    TypeRoot.CHAR: "string",
    TypeRoot.VARCHAR: "string",
    TypeRoot.BINARY: "bytes",
    TypeRoot.VARBINARY: "bytes",
    TypeRoot.DATE: {"type": "int", "logicalType": "date"},
}


def to_schema(kind: SqlType, legacy: bool = True, record: str = _RECORD) -> Schema:
    """Return the schema of a type.

    Args:
        kind: The type.
        legacy: Value of `avro.timestamp_mapping.legacy`. True: TIMESTAMP becomes Avro's timestamp-millis, and
            TIMESTAMP_LTZ is an error. False: TIMESTAMP becomes local-timestamp, and TIMESTAMP_LTZ timestamp.
        record: Name of the record.

    Raises:
        ValidationError: Avro does not have the type. The text is Flink's.
    """
    schema = _schema(kind, legacy, record)
    return ["null", schema] if kind.nullable and kind.root is not TypeRoot.NULL else schema


def with_logical_types(schema: Schema, change: Callable[[str], str | None]) -> Schema:
    """Return the schema with its logical types replaced by `change`.

    If `change` returns None, the logical type is removed.
    """
    if isinstance(schema, list):
        return [with_logical_types(each, change) for each in schema]
    if not isinstance(schema, dict):
        return schema
    changed = {key: _changed_part(key, value, change) for key, value in schema.items()}
    return {key: value for key, value in changed.items() if value is not None or key != "logicalType"}


def _changed_part(key: str, value: Any, change: Callable[[str], str | None]) -> Any:
    if key == "logicalType":
        return change(value)
    if key == "fields":
        return [{**field, "type": with_logical_types(field["type"], change)} for field in value]
    return with_logical_types(value, change) if key in ("type", "items", "values") else value


def _schema(kind: SqlType, legacy: bool, record: str) -> Schema:
    root = kind.root
    if root in _SIMPLE:
        return _SIMPLE[root]
    if root is TypeRoot.DECIMAL:
        return {"type": "bytes", "logicalType": "decimal", "precision": kind.precision, "scale": kind.scale}
    if root in (TypeRoot.TIMESTAMP, TypeRoot.TIMESTAMP_LTZ):
        return {"type": "long", "logicalType": _timestamp(kind, legacy)}
    if root is TypeRoot.TIME:
        if (kind.precision or 0) > 3:
            raise _too_precise("TIME", kind, 3)
        return {"type": "int", "logicalType": "time-millis"}
    if root is TypeRoot.ROW:
        named = zip(kind.names, kind.children, strict=True)
        return {"type": "record", "name": record, "fields": [_field(n, k, legacy, record) for n, k in named]}
    if root is TypeRoot.ARRAY:
        return {"type": "array", "items": to_schema(kind.children[0], record=record)}
    if root in (TypeRoot.MAP, TypeRoot.MULTISET):
        if kind.children[0].root not in (TypeRoot.CHAR, TypeRoot.VARCHAR):
            raise ValidationError(
                "Avro format doesn't support non-string as key type of map. The key type is: "
                f"{kind.children[0]}"
            )
        value = to_schema(kind.children[1], record=record) if root is TypeRoot.MAP else "int"
        return {"type": "map", "values": value}
    raise ValidationError(f"Unsupported to derive Schema for type: {kind}")


def _field(name: str, kind: SqlType, legacy: bool, record: str) -> Schema:
    schema = {"name": name, "type": to_schema(kind, legacy, f"{record}_{name}")}
    return schema | {"default": None} if kind.nullable else schema


def _timestamp(kind: SqlType, legacy: bool) -> str:
    precision, local = kind.precision or 0, kind.root is TypeRoot.TIMESTAMP
    if legacy:
        if not local:
            raise ValidationError(f"Unsupported to derive Schema for type: {kind}")
        if precision > 3:
            raise _too_precise("TIMESTAMP", kind, 3)
        return "timestamp-millis"
    if precision > 6:
        raise _too_precise("LOCAL TIMESTAMP" if local else "TIMESTAMP", kind, 6)
    return f"{'local-' if local else ''}timestamp-{'millis' if precision <= 3 else 'micros'}"


def _too_precise(name: str, kind: SqlType, most: int) -> ValidationError:
    return ValidationError(
        f"Avro does not support {name} type with precision: {kind.precision}, it only supports precision "
        f"less than {most}."
    )
