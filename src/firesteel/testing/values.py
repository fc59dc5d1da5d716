"""SQL values of YAML nodes, by the type of their column, and YAML texts of SQL values."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, time
from decimal import Decimal, InvalidOperation
from typing import Any

from firesteel.testing.document import Node
from firesteel.types.arrow import KEY, VALUE
from firesteel.types.decimals import EXACT
from firesteel.types.iso_times import time_of_iso
from firesteel.types.sql import APPROXIMATE, BYTES_LIKE, CHARACTER, INTEGER_BITS, SqlType, TypeRoot
from firesteel.types.zones import offset_of_local

_MOMENT = re.compile(r"(\d{4}-\d\d-\d\d)(?:[ T](\d\d:\d\d(?::\d\d)?)(?:\.(\d{1,9}))?)?(Z)?")
_DAY_SECONDS = 86_400
_EPOCH = date(1970, 1, 1)
_BOOLEANS = {"true": True, "false": False}
_INTERVALS = (TypeRoot.INTERVAL_DAY_TIME, TypeRoot.INTERVAL_YEAR_MONTH)


def value_of(node: Node, kind: SqlType, zone: str) -> Any:
    """Return the value of a node, as `pyarrow.array` takes it for the type.

    Args:
        node: The value as written. Lists are ARRAYs and ROWs, mappings are MAPs and ROWs.
        kind: The type of the column.
        zone: Time zone of TIMESTAMP_LTZ that is written without Z.

    Raises:
        TestFileError: The node is no value of the type.
    """
    if node.is_null:
        if not kind.nullable:
            node.fail(f"the column is {kind}, so its value cannot be NULL")
        return None
    read = _READ.get(kind.root)
    if read is not None:
        return read(node, kind, zone)
    text = node.text(f"a value of {kind}")
    scalar = _scalar(kind, zone)
    if scalar is None:
        node.fail(f"values of {kind} cannot be written in a file of tests")
    try:
        return scalar(text)
    except (ValueError, KeyError, InvalidOperation, OverflowError):
        node.fail(f"'{text}' is no value of {kind.with_nullable(True)}")


def moment(text: str, zone: str) -> int:
    """Return a text such as `2026-01-31 12:00:00.000` as nanoseconds since 1970 in UTC.

    The text is the time of a clock in UTC if it ends with Z, otherwise of a clock in the time zone `zone`.

    Raises:
        ValueError: The text is no such moment.
    """
    match = _MOMENT.fullmatch(text)
    if match is None:
        raise ValueError(text)
    clock = time.fromisoformat(match[2] or "00:00")
    seconds = (date.fromisoformat(match[1]) - _EPOCH).days * _DAY_SECONDS
    seconds += clock.hour * 3600 + clock.minute * 60 + clock.second
    if match[4] is None:
        seconds -= offset_of_local(seconds, zone)
    return seconds * 10**9 + int((match[3] or "").ljust(9, "0"))


def _scalar(kind: SqlType, zone: str) -> Callable[[str], Any] | None:
    """Return the function that reads a text as a value of a type; None for types not written as a text."""
    root = kind.root
    if root in CHARACTER:
        return str
    if root in INTEGER_BITS:
        return lambda text: _integer(text, INTEGER_BITS[root])
    if root in _INTERVALS:
        return int
    if root in APPROXIMATE:
        return float
    if root is TypeRoot.DECIMAL:
        return lambda text: _decimal(text, kind.precision or 0, kind.scale or 0)
    if root is TypeRoot.BOOLEAN:
        return lambda text: _BOOLEANS[text.lower()]
    if root is TypeRoot.DATE:
        return date.fromisoformat
    if root is TypeRoot.TIME:
        return time_of_iso
    if root in (TypeRoot.TIMESTAMP, TypeRoot.TIMESTAMP_LTZ):
        local = "UTC" if root is TypeRoot.TIMESTAMP else zone
        return lambda text: _ticks(moment(text, local), kind.precision or 0)
    if root in BYTES_LIKE:
        return _bytes
    return None


def _bytes(text: str) -> bytes:
    if not (text.startswith("x'") and text.endswith("'")):
        raise ValueError(text)
    return bytes.fromhex(text[2:-1])


def _integer(text: str, bits: int) -> int:
    value = int(text)
    if not -(1 << bits - 1) <= value < 1 << bits - 1:
        raise ValueError(text)
    return value


def _decimal(text: str, precision: int, scale: int) -> Decimal:
    value = Decimal(text)
    exact = value.quantize(Decimal(1).scaleb(-scale), context=EXACT)
    if exact != value or len(exact.as_tuple().digits) > max(precision, scale + 1):
        raise ValueError(text)
    return exact


def _ticks(nanos: int, precision: int) -> int:
    """Convert nanoseconds to the unit of a timestamp's Arrow type.

    The unit is microseconds up to precision 6, and nanoseconds above.

    Raises:
        ValueError: The fraction of a second has more than `precision` digits.
    """
    if nanos % 10 ** (9 - precision):
        raise ValueError(nanos)
    return nanos if precision > 6 else nanos // 1000


def _array(node: Node, kind: SqlType, zone: str) -> list[Any]:
    return [value_of(each, kind.children[0], zone) for each in node.items(f"a value of {kind}")]


def _map(node: Node, kind: SqlType, zone: str) -> list[dict[str, Any]]:
    key, value = kind.children
    return [
        {KEY: value_of(one, key, zone), VALUE: value_of(other, value, zone)}
        for one, other in node.pairs(f"a value of {kind}")
    ]


def _row(node: Node, kind: SqlType, zone: str) -> dict[str, Any]:
    types = dict(zip(kind.names, kind.children, strict=True))
    if node.kind == "mapping":
        members = node.members(f"a value of {kind}", kind.names)
        row: dict[str, Any] = dict.fromkeys(kind.names)
        row |= {name: value_of(member, types[name], zone) for name, member in members.items()}
        missing = next(
            (name for name in kind.names if name not in members and not types[name].nullable), None
        )
        if missing is not None:
            node.fail(f"the value has no field '{missing}', which is {types[missing]}")
        return row
    cells = node.items(f"a value of {kind}")
    if len(cells) != len(kind.names):
        node.fail(f"{kind} has {len(kind.names)} fields, the value {len(cells)}")
    return {name: value_of(cell, types[name], zone) for name, cell in zip(kind.names, cells, strict=True)}


_READ: dict[TypeRoot, Callable[[Node, SqlType, str], Any]] = {
    TypeRoot.ARRAY: _array,
    TypeRoot.MAP: _map,
    TypeRoot.ROW: _row,
}
