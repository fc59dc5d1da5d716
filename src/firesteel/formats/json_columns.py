"""What the columnar readers of the JSON formats share: texts of a scan to values, and doubts settled.

A scan gives the text of a value and not how it stood there. Where that matters (a number with a fraction read
as STRING keeps its digits in Flink, a DOUBLE does not have them all) the value's JSON type is looked up, and
a message with such a value goes the exact way.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from firesteel.formats.base import Fields, Flags, Indices
from firesteel.formats.json_scan import Scan, quoted, types_at
from firesteel.formats.message_bytes import begin_with
from firesteel.formats.text_columns import are_plain, typed
from firesteel.types.sql import CHARACTER, SqlType, TypeRoot

Paths = Callable[[Indices], pa.Array]
"""The JSON pointers of some of a column's values."""
_NO_TEXT = r"^(?:-?[0-9]+(?:\.[0-9]|[eE])|-?0$|[\[{])"
"""Texts whose value may have been a number with a fraction, -0, a list or an object."""
_NO_TEXT_BEGINS = b"-0123456789[{"
_EXACT_DIGITS = 15
"""A decimal number of so many digits survives the trip through a DOUBLE."""
UNREAD = -1


class Reading:
    """The messages of one scan. odd: the rows of the scan that are for the exact reader."""

    def __init__(self, messages: pa.BinaryArray, scan: Scan, *, iso: bool) -> None:
        self._messages = messages
        self._scan = scan
        self._iso = iso
        self.count = len(scan.numbers)
        self.odd: Flags = np.zeros(self.count, dtype=bool)

    def column(self, name: str) -> pa.Array:
        """A member of all messages."""
        return self._scan.rows[name].combine_chunks()

    def values(self, texts: pa.StringArray, kind: SqlType, at: Indices, paths: Paths) -> pa.Array:
        """The values of texts. at: the message of each."""
        column = typed(texts, kind, iso=self._iso)
        self.odd[at[column.odd]] = True
        doubtful = _doubtful(texts, column.values, kind)
        if len(doubtful):
            self.look(at[doubtful], paths(doubtful), "VARCHAR")
        return column.values

    def look(self, at: Indices, paths: pa.Array, expected: str) -> None:
        """Flag the messages whose value at its path has not the JSON type that is expected."""
        messages = self._messages.take(pa.array(self._scan.numbers[at]))
        found = pc.equal(types_at(messages, paths), expected).fill_null(False)
        self.odd[at[~found.to_numpy()]] = True

    def odd_numbers(self) -> Indices:
        """The indices of all messages for the exact reader."""
        return np.concatenate([self._scan.odd, self._scan.numbers[self.odd]])

    def numbers(self, at: Indices) -> Indices:
        """The indices of these messages."""
        return self._scan.numbers[at]


def _doubtful(texts: pa.StringArray, values: pa.Array, kind: SqlType) -> Indices:
    """The places of values that depend on how they stood there, as text or as a number."""
    if kind.root in (TypeRoot.DOUBLE, TypeRoot.FLOAT):
        return _negative_zeros(values)
    if kind.root in CHARACTER:
        begun = np.flatnonzero(begin_with(texts, _NO_TEXT_BEGINS))  # ten times faster than the pattern
        found = pc.match_substring_regex(texts.take(pa.array(begun)), _NO_TEXT)
        return begun[flags(found)]
    if kind.root is TypeRoot.DECIMAL and (kind.precision or 0) > _EXACT_DIGITS:
        return np.flatnonzero(flags(pc.match_substring(texts, ".")))
    return np.zeros(0, dtype=np.int64)


def _negative_zeros(values: pa.Array) -> Indices:
    """As an integer, or read as a BigDecimal, the number has no sign."""
    numbers = values.fill_null(1.0).to_numpy(zero_copy_only=False)
    return np.flatnonzero((numbers == 0) & np.signbit(numbers))


def struct_type(fields: Fields) -> str:
    """A row of texts as a DuckDB type; of no wanted fields, it has one that no row has."""
    names = fields.names or ("\x01",)
    return f"STRUCT({', '.join(f'{quoted(name)} VARCHAR' for name in names)})"


def pointer(*steps: str) -> str:
    """A JSON pointer."""
    return "".join("/" + step.replace("~", "~0").replace("/", "~1") for step in steps)


def same_path(path: str) -> Paths:
    """All values stand at one place of their messages."""
    return lambda wanted: pa.repeat(path, len(wanted))


def path_by_place(before: str, places: Indices, after: str) -> Paths:
    """The values stand in elements of a list."""
    return lambda wanted: pc.binary_join_element_wise(
        before, pc.cast(pa.array(places[wanted]), pa.string()), after, ""
    )


def flags(values: pa.Array) -> Flags:
    """A column of booleans; NULL is false."""
    found: Flags = values.fill_null(False).to_numpy(zero_copy_only=False)
    return found


def codes(names: pa.StringArray, meanings: Mapping[str, int]) -> npt.NDArray[np.int8]:
    """What each name means; UNREAD for another one and NULL."""
    found = names.dictionary_encode()
    table = [meanings.get(name, UNREAD) for name in found.dictionary.to_pylist()]
    places = found.indices.fill_null(len(table)).to_numpy(zero_copy_only=False)
    found_codes: npt.NDArray[np.int8] = np.array([*table, UNREAD], dtype=np.int8)[places]
    return found_codes


def in_columns(fields: Fields) -> bool:
    """Whether the columnar reader has the types, and DuckDB can tell the names apart."""
    names = {name.casefold() for name in fields.names}
    return are_plain(fields.types) and "" not in names and len(names) == len(fields.names)
