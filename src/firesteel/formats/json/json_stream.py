"""Convert JSON to SQL values token by token, as Flink's JsonParserToRowDataConverters does.

The format `json` uses this module. The CDC formats convert a parsed tree instead (row_decoder.py). As in
Flink, the results differ from those of a tree in three ways:
- The conversion of a row stops once it has found as many members as the row has fields. So if the object has
  a key twice, the first member may win. In a tree, it is always the last.
- A number that is read as STRING keeps its text.
- After a bad value that is ignored, reading continues with the next token, which may be inside the value.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from decimal import Decimal
from typing import Any

from firesteel.errors import NotSupportedError
from firesteel.formats.json.row_decoder import TreeConverters, text_keys
from firesteel.formats.messages import text_values as values
from firesteel.formats.messages.json_limits import check_text
from firesteel.formats.messages.json_parser import FloatText, IntText, Members
from firesteel.functions.java.floating_text import parse_double, parse_float
from firesteel.functions.java.hash_code import hasher
from firesteel.functions.java.hash_map import hashed
from firesteel.types.sql import CHARACTER, INT, SqlType, TypeRoot

START_OBJECT, END_OBJECT, START_ARRAY, END_ARRAY, NAME, VALUE = "{", "}", "[", "]", "name", "value"
Token = tuple[str, Any]


class Tokens:
    """Tokens of a value, and the current position. After the last token, `kind` is None."""

    def __init__(self, value: Any) -> None:
        self._tokens: list[Token] = []
        self._position = 0
        self._add(value)

    def _add(self, value: Any) -> None:
        """Add the tokens of a value. The method uses a stack, because a value may be deeply nested."""
        add = self._tokens.append
        opened: list[tuple[Iterator[Any], str | None]] = [(iter((value,)), None)]
        while opened:
            parts, end = opened[-1]
            for one in parts:
                if type(one) is tuple:  # A member of an object: (name, value).
                    add((NAME, one[0]))
                    one = one[1]
                if isinstance(one, Members):
                    add((START_OBJECT, None))
                    opened.append((iter(one), END_OBJECT))
                    break
                if isinstance(one, list):
                    add((START_ARRAY, None))
                    opened.append((iter(one), END_ARRAY))
                    break
                add((VALUE, one))
            else:
                opened.pop()
                if end is not None:
                    add((end, None))

    @property
    def kind(self) -> str | None:
        """Return the kind of the current token, None behind the last one.

        The kinds are START_OBJECT, END_OBJECT, START_ARRAY, END_ARRAY, NAME (of a member) and VALUE (a
        string, number, boolean or null).
        """
        return self._tokens[self._position][0] if self._position < len(self._tokens) else None

    @property
    def value(self) -> Any:
        """Return the value of the current token, None if it is not a VALUE."""
        token = self._tokens[self._position]
        return token[1] if token[0] is VALUE else None

    @property
    def is_null(self) -> bool:
        """Return whether there is no token or it is null."""
        return self.kind is None or (self.kind is VALUE and self.value is None)

    def next(self) -> str | None:
        """Move to the next token and return its kind."""
        self._position += 1
        return self.kind

    def text(self) -> str:
        """Return the token's text (Jackson: JsonParser.getText).

        Raises:
            ValueError: The text is too long.
        """
        kind, value = self._tokens[self._position]
        if kind is NAME:
            return str(value)
        if kind is not VALUE:
            return kind
        if isinstance(value, bool):
            return "true" if value else "false"
        return "null" if value is None else check_text(str(value))

    def take(self) -> Any:
        """Return the value that starts at the current token, objects as dicts, and move to its last token.

        Jackson: readValueAsTree. The method uses a stack instead of recursion, because a value may be deeply
        nested.
        """
        opened: list[Any] = []
        names: list[str] = []  # Name of the current member of each open object.
        while True:
            kind = self.kind
            if kind is NAME:
                names[-1] = self.text()
                self.next()
                continue
            if kind in (START_OBJECT, START_ARRAY):
                opened.append({} if kind is START_OBJECT else [])
                names.append("")
                self.next()
                continue
            value = self.value
            if kind in (END_OBJECT, END_ARRAY):
                value = opened.pop()
                names.pop()
            if not opened:
                return value
            if isinstance(opened[-1], dict):
                opened[-1][names[-1]] = value
            else:
                opened[-1].append(value)
            self.next()

    def skip_to_next_member(self) -> None:
        """Move past the value that starts at the current token. From a name, move to its value."""
        if self.kind is None:
            raise ValueError("Unexpected end of the message")
        if self.kind in (START_OBJECT, START_ARRAY):
            depth = 1
            while depth:
                kind = self.next()
                if kind is None:
                    raise ValueError("Unexpected end of the message")
                depth += (kind in (START_OBJECT, START_ARRAY)) - (kind in (END_OBJECT, END_ARRAY))
        self.next()


Convert = Callable[[Tokens], Any]


class StreamConverters:
    """Factory of converters of JSON tokens by SQL type.

    Args:
        iso: Whether timestamps are in ISO-8601 format.
        ignore_errors: Whether a bad value becomes None.
        exact: Whether fractions are read as BigDecimal.
        fail_on_missing: Whether a missing field is an error (`json.fail-on-missing-field`).
    """

    def __init__(self, *, iso: bool, ignore_errors: bool, exact: bool, fail_on_missing: bool) -> None:
        self._iso = iso
        self._ignore_errors = ignore_errors
        self._fail_on_missing = fail_on_missing
        self._tree = TreeConverters(iso=iso, ignore_errors=ignore_errors, exact=exact)

    def converter(self, kind: SqlType) -> Convert:
        """Return the converter of a type. It accepts null, and raises ValueError if Flink rejects a value."""
        convert = self._not_null(kind)

        def null_safe(tokens: Tokens) -> Any:
            if tokens.is_null:
                return None
            try:
                return convert(tokens)
            except ValueError:
                if self._ignore_errors:
                    return None
                raise

        return null_safe

    def _not_null(self, kind: SqlType) -> Convert:
        root = kind.root
        if root in (TypeRoot.TIMESTAMP, TypeRoot.TIMESTAMP_LTZ):
            zoned, nanos = root is TypeRoot.TIMESTAMP_LTZ, (kind.precision or 0) > 6
            return lambda t: values.timestamp(t.text(), iso=self._iso, zoned=zoned, nanos=nanos)
        if root is TypeRoot.DECIMAL:
            return _decimal(kind.precision or 0, kind.scale or 0)
        if root is TypeRoot.ARRAY:
            return self._array(kind)
        if root in (TypeRoot.MAP, TypeRoot.MULTISET):
            return self._map(kind)
        if root is TypeRoot.ROW:
            return self.row(kind.names, kind.children)
        if root in CHARACTER:
            return self._string
        if root not in _SIMPLE:
            raise NotSupportedError(f"The format json cannot read the type {kind}")
        return _SIMPLE[root]

    def _string(self, tokens: Tokens) -> str:
        if tokens.kind in (START_OBJECT, START_ARRAY):
            return self._tree.written(tokens.take())
        return values.replaced(tokens.text())

    def _array(self, kind: SqlType) -> Convert:
        element = self.converter(kind.children[0])

        def convert(tokens: Tokens) -> list[Any]:
            if tokens.kind is not START_ARRAY:
                raise ValueError("Illegal JSON array data...")
            result = []
            while tokens.next() is not END_ARRAY:
                if tokens.kind is None:
                    raise ValueError("Unexpected end of the message")
                result.append(element(tokens))
            return result

        return convert

    def _map(self, kind: SqlType) -> Convert:
        key_type = text_keys(kind)
        key = self.converter(key_type)
        value = self.converter(kind.children[1] if kind.root is TypeRoot.MAP else INT)
        hash_of = hasher(key_type)

        def convert(tokens: Tokens) -> list[tuple[str, Any]]:
            if tokens.kind is not START_OBJECT:
                raise ValueError("Illegal JSON map data...")
            result: dict[str, Any] = {}
            while tokens.next() is not END_OBJECT:
                if tokens.kind is None:
                    raise ValueError("Unexpected end of the message")
                name = key(tokens)
                tokens.next()
                result[name] = value(tokens)
            return hashed(list(result.items()), hash_of)

        return convert

    def row(self, names: tuple[str, ...], kinds: tuple[SqlType, ...]) -> Convert:
        """Return the converter of objects to tuples in the order of `names`."""
        fields = {name: (i, self.converter(k)) for i, (name, k) in enumerate(zip(names, kinds, strict=True))}

        def convert(tokens: Tokens) -> tuple[Any, ...]:
            if tokens.kind is not START_OBJECT:
                raise ValueError("Illegal JSON object data...")
            row: list[Any] = [None] * len(names)
            found = 0
            tokens.next()
            while tokens.kind is not END_OBJECT:
                if found >= len(fields):
                    tokens.skip_to_next_member()
                    continue
                found += _member(tokens, fields, row)
            if found < len(fields) and self._fail_on_missing:
                raise ValueError("Some field is missing in the JSON data.")
            return tuple(row)

        return convert


def _member(tokens: Tokens, fields: dict[str, tuple[int, Convert]], row: list[Any]) -> bool:
    """Read one member of an object into `row`. Return whether the member is one of the fields.

    Before the call, the current token is the member's name. After it, the current token is the one behind the
    member: the next name or END_OBJECT. If a bad value is ignored, it may be a token inside the value.

    Args:
        tokens: The tokens, which this function moves.
        fields: Index in `row` and converter of each field, by name.
        row: Values of the fields. The function sets one of them.
    """
    if tokens.kind is None:
        raise ValueError("Unexpected end of the message")
    name = tokens.text()
    tokens.next()
    place = fields.get(name)
    if place is None:
        tokens.skip_to_next_member()
        return False
    index, convert = place
    try:
        row[index] = convert(tokens)
    except ValueError as error:
        raise ValueError(f"Fail to deserialize at field: {name}. {error}") from None
    tokens.next()
    return True


def _boolean(tokens: Tokens) -> bool:
    value = tokens.value
    return value if isinstance(value, bool) else values.boolean(values.trim(tokens.text()))


def _integer(bits: int) -> Convert:
    def convert(tokens: Tokens) -> int:
        value = tokens.value
        if type(value) is IntText:
            return values.ranged(int(value), bits)
        if type(value) is FloatText and bits >= 32:
            return _truncated(value, bits)
        return values.integer(values.trim(tokens.text()), bits)

    return convert


def _truncated(text: str, bits: int) -> int:
    """Return a number without its fraction (Jackson: JsonParser.getIntValue, getLongValue).

    Raises:
        ValueError: An integer of `bits` bits cannot hold the number.
    """
    number = float(text)
    least, most = float(-(1 << (bits - 1))), float((1 << (bits - 1)) - 1)
    if not least <= number <= most:
        raise ValueError(f"Numeric value ({text}) out of range")
    return min(int(number), (1 << (bits - 1)) - 1)


def _double(tokens: Tokens) -> float:
    value = tokens.value
    return float(value) if type(value) is FloatText else parse_double(tokens.text())


def _float(tokens: Tokens) -> float:
    return parse_float(tokens.text())


def _decimal(precision: int, scale: int) -> Convert:
    def convert(tokens: Tokens) -> Decimal | None:
        value = tokens.value
        if isinstance(value, bool) or not isinstance(value, str):
            raise ValueError(f"Current token ({tokens.kind}) not numeric")
        return values.decimal(values.trim(check_text(value)), precision, scale)

    return convert


def _binary(tokens: Tokens) -> bytes:
    if type(tokens.value) is not str:
        raise ValueError("Current token is no text, cannot be read as base64")
    return values.base64(check_text(tokens.value))


_SIMPLE: dict[TypeRoot, Convert] = {
    TypeRoot.NULL: lambda tokens: None,
    TypeRoot.BOOLEAN: _boolean,
    TypeRoot.TINYINT: _integer(8),
    TypeRoot.SMALLINT: _integer(16),
    TypeRoot.INTEGER: _integer(32),
    TypeRoot.BIGINT: _integer(64),
    TypeRoot.INTERVAL_YEAR_MONTH: _integer(32),
    TypeRoot.INTERVAL_DAY_TIME: _integer(64),
    TypeRoot.DOUBLE: _double,
    TypeRoot.FLOAT: _float,
    TypeRoot.DATE: lambda tokens: values.date_days(tokens.text()),
    TypeRoot.TIME: lambda tokens: values.time_micros(tokens.text()),
    TypeRoot.BINARY: _binary,
    TypeRoot.VARBINARY: _binary,
}
