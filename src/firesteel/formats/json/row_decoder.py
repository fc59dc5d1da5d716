"""Convert JSON values (json_parser.parse_tree) to SQL values, as Flink's JsonToRowDataConverters does.

The CDC formats use it. The format `json` converts the parser's tokens instead (json_stream.py).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from firesteel.errors import NotSupportedError
from firesteel.formats.messages import text_values as values
from firesteel.formats.messages.json_limits import big_decimal
from firesteel.formats.messages.json_parser import FloatText, IntText
from firesteel.functions.java.floating_text import parse_double, parse_float
from firesteel.functions.java.hash_code import hasher
from firesteel.functions.java.hash_map import hashed
from firesteel.types.primitive_text import double_text
from firesteel.types.sql import CHARACTER, WHOLE_BITS, SqlType, TypeRoot

Convert = Callable[[Any], Any]


class TreeConverters:
    """Factory of converters of JSON values by SQL type.

    Args:
        iso: Whether timestamps are in ISO-8601 format.
        ignore_errors: Whether a bad value becomes None.
        exact: Whether the message's type contains a DECIMAL, so that Flink reads fractions as BigDecimal.
    """

    def __init__(self, *, iso: bool, ignore_errors: bool, exact: bool) -> None:
        self._iso = iso
        self._ignore_errors = ignore_errors
        self._exact = exact

    def converter(self, kind: SqlType) -> Convert:
        """Return the converter of a type. It accepts None, and raises ValueError if Flink rejects a value."""
        convert = self._not_null(kind)
        if self._ignore_errors:
            return _ignoring(convert)
        return lambda node: None if node is None else convert(node)

    def _not_null(self, kind: SqlType) -> Convert:
        root = kind.root
        if root in WHOLE_BITS:
            return self._integer(kind)
        if root is TypeRoot.DECIMAL:
            precision, scale = kind.precision or 0, kind.scale or 0
            return lambda node: values.decimal(self.text(node), precision, scale)
        if root in (TypeRoot.TIMESTAMP, TypeRoot.TIMESTAMP_LTZ):
            zoned, nanos = root is TypeRoot.TIMESTAMP_LTZ, (kind.precision or 0) > 6
            return lambda node: values.timestamp(self.text(node), iso=self._iso, zoned=zoned, nanos=nanos)
        if root is TypeRoot.ARRAY:
            return self._array(kind)
        if root in (TypeRoot.MAP, TypeRoot.MULTISET):
            return self._map(kind)
        if root is TypeRoot.ROW:
            return self.row(kind.names, kind.children)
        if root in CHARACTER:
            return self._string
        simple = self._simple(root)
        if simple is None:
            raise NotSupportedError(f"JSON formats cannot read the type {kind}")
        return simple

    def _simple(self, root: TypeRoot) -> Convert | None:
        return {
            TypeRoot.NULL: lambda node: None,
            TypeRoot.BOOLEAN: self._boolean,
            TypeRoot.DOUBLE: self._double,
            TypeRoot.FLOAT: self._float,
            TypeRoot.DATE: lambda node: values.date_days(self.text(node)),
            TypeRoot.TIME: lambda node: values.time_micros(self.text(node)),
            TypeRoot.BINARY: _binary,
            TypeRoot.VARBINARY: _binary,
        }.get(root)

    def text(self, node: Any) -> str:
        """Return a JSON value as text; "" for arrays and objects (Jackson: JsonNode.asText)."""
        kind = type(node)
        if kind is str:
            return str(node)
        if kind is IntText:
            return str(int(node))
        if kind is FloatText:
            return self._float_text(node)
        if node is None:
            return "null"
        if isinstance(node, bool):
            return "true" if node else "false"
        return ""

    def _float_text(self, node: FloatText) -> str:
        return decimal_text(big_decimal(node)) if self._exact else double_text(float(node))

    def _boolean(self, node: Any) -> bool:
        return node if isinstance(node, bool) else values.boolean(values.trim(self.text(node)))

    def _integer(self, kind: SqlType) -> Convert:
        bits = WHOLE_BITS[kind.root]

        def convert(node: Any) -> int:
            if bits >= 32 and type(node) is FloatText:
                # Jackson's canConvertToInt and asInt drop the fraction.
                number = big_decimal(node) if self._exact else float(node)
                if -(1 << (bits - 1)) <= number < 1 << (bits - 1):
                    return int(number)
            return values.integer(values.trim(self.text(node)), bits)

        return convert

    def _double(self, node: Any) -> float:
        return parse_double(self.text(node)) if type(node) is not FloatText or self._exact else float(node)

    def _float(self, node: Any) -> float:
        if type(node) is FloatText and not self._exact:
            return values.narrowed(float(node))
        return parse_float(self.text(node))

    def _string(self, node: Any) -> str:
        return self.written(node) if isinstance(node, (dict, list)) else values.replaced(self.text(node))

    def written(self, node: Any) -> str:
        """Return the compact JSON of a value (Jackson: JsonNode.toString).

        It uses a stack instead of recursion, because a value may be deeply nested.
        """
        parts: list[str] = []
        # This stack has the values and texts (_Mark) still to write. The next one is last.
        left: list[Any] = [node]
        while left:
            value = left.pop()
            if isinstance(value, _Mark):
                parts.append(value.text)
            elif isinstance(value, dict):
                pairs = [(_Mark(f"{_quoted(key)}:"), one) for key, one in value.items()]
                left += _in_brackets("{", pairs, "}")
            elif isinstance(value, list):
                left += _in_brackets("[", [(one,) for one in value], "]")
            else:
                parts.append(_quoted(value) if type(value) is str else self.text(value))
        return "".join(parts)

    def _array(self, kind: SqlType) -> Convert:
        element = self.converter(kind.children[0])

        def convert(node: Any) -> list[Any]:
            if not isinstance(node, list):
                raise ValueError("the value is no JSON array")
            return [element(one) for one in node]

        return convert

    def _map(self, kind: SqlType) -> Convert:
        key_type = text_keys(kind)
        value_type = kind.children[1] if kind.root is TypeRoot.MAP else SqlType(TypeRoot.INTEGER)
        value = self.converter(value_type)
        hash_of = hasher(key_type)

        def convert(node: Any) -> list[tuple[str, Any]]:
            members = node.items() if isinstance(node, dict) else ()
            found = {values.replaced(key): value(one) for key, one in members}
            return hashed(list(found.items()), hash_of)

        return convert

    def row(self, names: tuple[str, ...], kinds: tuple[SqlType, ...]) -> Convert:
        """Return the converter of objects to dicts with the keys `names`. A missing member is None."""
        fields = [(name, self.converter(kind)) for name, kind in zip(names, kinds, strict=True)]

        def convert(node: Any) -> dict[str, Any]:
            if not isinstance(node, dict):
                raise ValueError("the value is no JSON object")
            row = {}
            for name, field in fields:
                try:
                    row[name] = field(node.get(name))
                except ValueError as error:
                    raise ValueError(f"Fail to deserialize at field: {name}. {error}") from None
            return row

        return convert


@dataclass(frozen=True)
class _Mark:
    """JSON text that is no value: a bracket, a comma, or a member's name with its colon."""

    text: str


_COMMA = _Mark(",")


def _in_brackets(opening: str, members: Sequence[tuple[Any, ...]], closing: str) -> list[Any]:
    """Return the parts of an object or array for the stack of `written`, the last part first.

    The array [1, 2] has the parts `]`, 2, `,`, 1, `[`. Brackets and commas are _Marks.

    Args:
        opening: The opening bracket.
        members: (value,) for each element of an array, (_Mark with name and colon, value) for each member of
            an object.
        closing: The closing bracket.
    """
    found: list[Any] = [_Mark(opening)]
    for number, member in enumerate(members):
        found += (_COMMA, *member) if number else member
    found.append(_Mark(closing))
    found.reverse()
    return found


def _ignoring(convert: Convert) -> Convert:
    def ignoring(node: Any) -> Any:
        try:
            return None if node is None else convert(node)
        except ValueError:
            return None

    return ignoring


def _binary(node: Any) -> bytes | None:
    return values.base64(node) if type(node) is str else None


def decimal_text(value: Decimal) -> str:
    """Return Java's BigDecimal.toString of the value without trailing zeros."""
    if not value:
        return "0"
    sign, digits, exponent = value.as_tuple()
    text = "".join(map(str, digits)).rstrip("0")
    exponent = int(exponent) + len(digits) - len(text)
    adjusted = exponent + len(text) - 1
    if exponent <= 0 and adjusted >= -6:
        if exponent:
            padded = text.rjust(1 - exponent, "0")
            text = f"{padded[:exponent]}.{padded[exponent:]}"
    else:
        fraction = f".{text[1:]}" if len(text) > 1 else ""
        text = f"{text[0]}{fraction}E{adjusted:+d}"
    return f"-{text}" if sign else text


def _quoted(text: str) -> str:
    return values.replaced(json.dumps(text, ensure_ascii=False))


def text_keys(kind: SqlType) -> SqlType:
    """Return the type of a map's keys, which must be strings.

    Raises:
        NotSupportedError: The keys are not strings. The text is Flink's.
    """
    if kind.children[0].root not in CHARACTER:
        raise NotSupportedError(
            f"JSON format doesn't support non-string as key type of map. The type is: {kind}"
        )
    return kind.children[0]


def has_decimal(kind: SqlType) -> bool:
    """Return whether the type is or contains a DECIMAL. Flink then reads fractions as BigDecimal."""
    return kind.root is TypeRoot.DECIMAL or any(has_decimal(child) for child in kind.children)


def occurs(node: Any, name: str) -> bool:
    """Return whether a value contains a member of this name at any depth (Jackson: JsonNode.findValue)."""
    left = [node]
    while left:
        value = left.pop()
        if isinstance(value, dict):
            if name in value:
                return True
            left += value.values()
        elif isinstance(value, list):
            left += value
    return False
