"""Values of JSON that columns cannot judge, one by one, by the rules of a format's exact reader: the rest of
their messages is read in columns all the same."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from firesteel.formats.base import Fields, Flags, Indices
from firesteel.formats.json_options import JsonOptions
from firesteel.formats.json_parser import BadMessage, FloatText, IntText, parse_members, parse_tree
from firesteel.formats.json_stream import StreamConverters, Tokens
from firesteel.formats.json_tree import TreeConverters, has_decimal
from firesteel.types.sql import CHARACTER, SqlType

Convert = Callable[[bytes], Any]
_NUMBER, _WHOLE = re.compile(rb"-?[0-9][-+.0-9eE]{0,40}"), re.compile(rb"-?[0-9]+")
"""Of what the scan has found to be a number."""


class ExactValues:
    """convert: by type, what makes a value of a JSON text; it raises BadMessage or ValueError where the exact
    reader would have more to say of the message than the value."""

    def __init__(self, convert: Callable[[SqlType], Convert]) -> None:
        self._convert = convert
        self._made: dict[SqlType, Convert] = {}

    def mended(
        self, column: pa.Array, kind: SqlType, texts: Iterable[bytes], places: Indices
    ) -> tuple[pa.Array, Indices]:
        """The column with the values of these texts in these places; the places where there is none still."""
        convert = self._made.get(kind) or self._made.setdefault(kind, self._convert(kind))
        known: dict[bytes, Any] = {}
        values, good = [], np.ones(len(places), np.bool_)
        for number, text in enumerate(texts):
            try:
                if text not in known:
                    known[text] = convert(text)
            except (BadMessage, ValueError):
                good[number] = False
            else:
                values.append(known[text])
        if not values:
            return column, places
        mask: Flags = np.zeros(len(column), np.bool_)
        mask[places[good]] = True
        return pc.replace_with_mask(column, mask, pa.array(values, column.type)), places[~good]


def tree_values(fields: Fields, options: JsonOptions) -> ExactValues:
    """Of the CDC formats."""
    exact = any(map(has_decimal, fields.types))
    made = TreeConverters(iso=options.iso_timestamps, ignore_errors=False, exact=exact)

    def convert(kind: SqlType) -> Convert:
        converter = made.converter(kind)
        return lambda text: converter(_plain(text) or parse_tree(text))

    return ExactValues(convert)


def stream_values(fields: Fields, options: JsonOptions) -> ExactValues:
    """Of the format json."""
    made = StreamConverters(
        iso=options.iso_timestamps,
        ignore_errors=False,
        exact=any(map(has_decimal, fields.types)),
        fail_on_missing=options.fail_on_missing_field,
    )

    def convert(kind: SqlType) -> Convert:
        converter = made.converter(kind)

        def of(text: bytes) -> Any:
            if text[:1] in (b"{", b"[") and kind.root not in CHARACTER:
                raise ValueError("reading goes on within it")
            return converter(Tokens(_plain(text) or parse_members(text)))

        return of

    return ExactValues(convert)


def _plain(text: bytes) -> str | None:
    """What the parser makes of a short number, or a string without escapes; None for the others."""
    if _NUMBER.fullmatch(text):
        return IntText(text.decode()) if _WHOLE.fullmatch(text) else FloatText(text.decode())
    return text[1:-1].decode() if text[:1] == b'"' and b"\\" not in text else None
