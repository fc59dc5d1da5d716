"""The format raw: a message is the value of one column, a text, bytes or a number of fixed size.

Flink: RawFormatFactory, RawFormatDeserializationSchema, RawFormatSerializationSchema.
"""

from __future__ import annotations

import codecs
from collections import Counter
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from firesteel.changelog import INSERT_ONLY, KIND, RowKind, field
from firesteel.config.option import Kind, Option
from firesteel.errors import NotSupportedError, ValidationError
from firesteel.formats.base import Decoder, Encoder, Fields, Framing, Indices, MessageError, Options
from firesteel.types.arrow import to_arrow
from firesteel.types.sql import BYTES_LIKE, CHARACTER, SqlType, TypeRoot, quoted_name

_UTF_8 = "utf-8"
_AMBIGUOUS = ("utf-16", "utf-32")
"""Charsets whose byte order Java and Python choose differently."""
_BIG, _LITTLE = "big-endian", "little-endian"
_NUMBERS = {
    TypeRoot.BOOLEAN: ("u1", "BOOLEAN"),
    TypeRoot.TINYINT: ("i1", "TINYINT"),
    TypeRoot.SMALLINT: ("i2", "SMALLINT"),
    TypeRoot.INTEGER: ("i4", "INT"),
    TypeRoot.BIGINT: ("i8", "BIGINT"),
    TypeRoot.FLOAT: ("f4", "FLOAT"),
    TypeRoot.DOUBLE: ("f8", "DOUBLE"),
}
"""NumPy's type and Flink's type name, by SQL type."""


class RawColumn:
    """Decoder and encoder of one column. A NULL message is a row with NULL, and vice versa.

    Args:
        charset: Python's name of the charset.
    """

    def __init__(self, fields: Fields, charset: str, big_endian: bool) -> None:
        self.causes = Counter[str]()
        self._wanted = bool(fields.types)
        self._type = (fields.types or fields.all_types)[0]
        self._charset = charset
        code, self._name = _NUMBERS.get(self._type.root, ("", ""))
        self._number = np.dtype(f"{'>' if big_endian else '<'}{code}") if code else None

    def decode(self, messages: pa.BinaryArray) -> tuple[pa.Table, Indices]:
        kinds = pa.array(np.full(len(messages), int(RowKind.INSERT), np.int8))
        columns = {KIND: kinds} | ({field(0): self._values(messages)} if self._wanted else {})
        return pa.table(columns), np.arange(len(messages))

    def encode(self, changes: pa.Table) -> pa.BinaryArray:
        column = changes[field(0)]
        if self._type.root in BYTES_LIKE:
            return column.combine_chunks().cast(pa.binary())
        if self._number is None:
            texts = column.to_pylist()
            return pa.array(
                [None if text is None else text.encode(self._charset, "replace") for text in texts],
                pa.binary(),
            )
        valid = column.drop_null()
        if self._type.root is TypeRoot.BOOLEAN:
            valid = valid.cast(pa.uint8())
        data = pa.py_buffer(valid.to_numpy().astype(self._number).tobytes())
        fixed = pa.binary(self._number.itemsize)
        return _spread(pa.Array.from_buffers(fixed, len(valid), [None, data]).cast(pa.binary()), column)

    def _values(self, messages: pa.BinaryArray) -> pa.Array:
        if self._type.root in BYTES_LIKE:
            return messages
        if self._number is None:
            return self._texts(messages)
        lengths = pc.binary_length(messages.drop_null()).to_numpy()
        if (lengths != self._number.itemsize).any():
            present = np.flatnonzero(messages.is_valid().to_numpy(zero_copy_only=False))
            raise MessageError(
                int(present[np.argmax(lengths != self._number.itemsize)]),
                f"Size of data received for deserializing {self._name} type is not {self._number.itemsize}.",
            )
        data: Any = np.frombuffer(b"".join(messages.drop_null().to_pylist()), self._number)
        if self._type.root is TypeRoot.BOOLEAN:
            data = data != 0
        values = pa.array(data.astype(data.dtype.newbyteorder("="))).cast(to_arrow(self._type))
        return _spread(values, messages)

    def _texts(self, messages: pa.BinaryArray) -> pa.Array:
        if self._charset == _UTF_8:
            try:
                return messages.cast(pa.string())
            except pa.ArrowInvalid:  # Invalid UTF-8 becomes U+FFFD.
                pass
        texts = (None if m is None else m.decode(self._charset, "replace") for m in messages.to_pylist())
        return pa.array(list(texts), pa.string())


def _spread(values: pa.Array, like: Any) -> pa.Array:
    """Return `values` with a NULL inserted at each position at which `like` is NULL.

    For values [1, 2] and like ["a", NULL, "b"], the result is [1, NULL, 2].
    """
    valid = np.array(like.is_valid().to_pylist(), dtype=bool)
    return values.take(pa.array(np.cumsum(valid) - 1, mask=~valid))


class Raw:
    """The format `raw`, whose messages are the values of one column."""

    name = "raw"
    changelog_mode = INSERT_ONLY
    sink_mode = "insert-only"
    splittable = False
    options = (
        Option("charset", Kind.STRING, "UTF-8", "The charset of texts."),
        Option("endianness", Kind.STRING, _BIG, f"Of numbers: {_BIG} or {_LITTLE}."),
    )

    def validate(self, options: Options, names: tuple[str, ...], types: tuple[SqlType, ...]) -> None:
        if len(types) != 1:
            schema = ", ".join(f"{quoted_name(name)} {kind}" for name, kind in zip(names, types, strict=True))
            raise ValidationError(
                "The 'raw' format only supports single physical column. However the defined schema contains "
                f"multiple physical columns: [{schema}]"
            )
        if types[0].root not in (*CHARACTER, *BYTES_LIKE, *_NUMBERS):
            raise ValidationError(f"The 'raw' format doesn't supports '{types[0]}' as column type.")
        _charset(options)
        _is_big_endian(options)

    def framing(self, options: Options) -> Framing:
        raise NotSupportedError("The format raw cannot read files yet, only messages such as Kafka's.")

    def decoder(self, fields: Fields, options: Options) -> Decoder:
        return RawColumn(fields, _charset(options), _is_big_endian(options))

    def encoder(self, fields: Fields, options: Options) -> Encoder:
        return RawColumn(fields, _charset(options), _is_big_endian(options))


def _charset(options: Options) -> str:
    """Return Python's name of the charset in the options."""
    name = options.get("charset", "UTF-8")
    try:
        found = codecs.lookup(name).name
    except LookupError:
        raise ValidationError(f"Unsupported 'raw.charset' name: {name}.") from None
    if found in _AMBIGUOUS:
        raise NotSupportedError(
            f"'raw.charset' = '{name}' says no order of bytes.", hint=f"say {found}be or {found}le"
        )
    return found


def _is_big_endian(options: Options) -> bool:
    name = options.get("endianness", _BIG)
    if name.lower() not in (_BIG, _LITTLE):
        raise ValidationError(
            f"Unsupported endianness name: {name}. Valid values of 'raw.endianness' option are 'big-endian' "
            "and 'little-endian'."
        )
    return name.lower() == _BIG
