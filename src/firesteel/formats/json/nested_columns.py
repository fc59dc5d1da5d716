"""Convert ROW, ARRAY and MAP of the format json in columns. Each leaf is one column, however deep it is.

Map entries are in the order of Java's HashMap. Flink: JsonParserToRowDataConverters.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from firesteel.formats.base import Fields, Flags, Indices
from firesteel.formats.json.batch_values import Reading, flags, unread_schema
from firesteel.formats.json.decode_schema import TEXT, DecodeSchema, list_of, map_of, object_of
from firesteel.formats.json.json_scan import Found, is_there, owners
from firesteel.formats.messages.text_columns import are_plain
from firesteel.functions.java.hash_code import hasher
from firesteel.functions.java.hash_map import buckets
from firesteel.kernels.types import Cells
from firesteel.types.arrow import to_arrow
from firesteel.types.sql import CHARACTER, STRING, SqlType, TypeRoot
from firesteel.types.value_parts import WHOLE, Parts, below, is_read, keys_of

_SPARSE = 4
"""If at most a quarter of the rows are not NULL, only these are converted, and then put in their places."""


def in_columns(fields: Fields) -> bool:
    """Return whether the columnar reader supports all types of the fields and no name is repeated."""
    return _are_distinct(fields.names) and all(map(_is_readable, fields.types))


def _is_readable(kind: SqlType) -> bool:
    if kind.root is TypeRoot.ROW:
        return _are_distinct(kind.names) and all(map(_is_readable, kind.children))
    if kind.root is TypeRoot.ARRAY:
        return _is_readable(kind.children[0])
    if kind.root is TypeRoot.MAP:
        return kind.children[0].root in CHARACTER and _is_readable(kind.children[1])
    return are_plain([kind])


def _are_distinct(names: tuple[str, ...]) -> bool:
    return len(set(names)) == len(names)


def schema_of(kind: SqlType, parts: Parts = WHOLE, *, required: bool = False) -> DecodeSchema:
    """Return the decode schema of a type, of which the query reads some parts.

    The scan also returns parts that the query does not read, because their values may be invalid, which is an
    error. It leaves out three kinds of unread parts that cannot be invalid:
    - Members of a ROW with the type STRING. Every JSON value can be read as a STRING.
    - Short numbers in a ROW (DecodeSchema.digits).
    - Entries of a MAP with STRING values, if the query reads only certain keys. The schema is then that of an
      object with these keys as members.

    Args:
        kind: The type.
        parts: Paths of the parts that the query reads: ("a",) for the field a of a ROW (value_parts.py).
        required: Whether a missing member of a ROW is an error, so that all members are scanned.
    """
    if kind.root is TypeRoot.ROW:
        return object_of(
            {
                name: schema_of(child, below(parts, name), required=required)
                if required or child.children or is_read(parts, name)
                else unread_schema(child)
                for name, child in zip(kind.names, kind.children, strict=True)
                if required or child.root not in CHARACTER or is_read(parts, name)
            }
        )
    if kind.root is TypeRoot.ARRAY:
        return list_of(schema_of(kind.children[0], below(parts, None), required=required))
    if kind.root is TypeRoot.MAP:
        keys = keys_of(parts)
        if keys is not None and kind.children[1].root in CHARACTER:
            return object_of(dict.fromkeys(keys, TEXT))
        return map_of(schema_of(kind.children[1], required=required))
    return TEXT


class NestedValues:
    """Converter of scanned messages to columns of SQL values, which may be ROWs, ARRAYs and MAPs.

    Args:
        reading: The scanned messages. It converts scalar values, and has the flags of odd messages.
        required: Whether a missing member of a ROW is an error (`fail-on-missing-field`).
    """

    def __init__(self, reading: Reading, *, required: bool) -> None:
        self._reading = reading
        self._required = required

    def values(self, found: Found, kind: SqlType, at: Indices, parts: Parts = WHOLE) -> pa.Array:
        """Return the values of a type. Parts that are not read are NULL, but checked for errors.

        Args:
            found: Result of the scan by `schema_of(kind, parts)`, n values.
            kind: The type.
            at: int64[n], the message of each value.
            parts: The parts of each value that the query reads.
        """
        if kind.root is TypeRoot.ROW:
            return self._rows(found, kind, at, parts)
        if kind.root is TypeRoot.ARRAY:
            return self._arrays(found, kind, at, parts)
        if kind.root is TypeRoot.MAP:
            return (self._maps_of_keys if found.keys is None else self._maps)(found, kind, at)
        return self._reading.values(found.cells, kind, at)

    def member(self, found: Found, kind: SqlType, at: Indices, there: Flags, parts: Parts) -> pa.Array:
        """Return the values of a ROW's member, one for each row. `there`: whether each row exists."""
        if self._required:
            self._reading.odd[at[there & (found.cells == 0)]] = True
        return self.values(found, kind, at, parts)

    def _rows(self, found: Found, kind: SqlType, at: Indices, parts: Parts) -> pa.Array:
        """Return the values of a ROW. If only few of them are not NULL, convert only those."""
        there = is_there(found.cells)
        rows, mask = np.flatnonzero(there), pa.array(~there)
        if len(rows) * _SPARSE > len(there):
            return pa.StructArray.from_arrays(
                self._members(found, kind, at, there, parts), fields=list(to_arrow(kind)), mask=mask
            )
        existing = self._members(_of_rows(found, rows), kind, at[rows], there[rows], parts)
        places = pa.array(np.cumsum(there) - 1, mask=~there)
        members = [
            pa.nulls(len(at), each.type) if each.null_count == len(each) else each.take(places)
            for each in existing
        ]
        return pa.StructArray.from_arrays(members, fields=list(to_arrow(kind)), mask=mask)

    def _members(
        self, found: Found, kind: SqlType, at: Indices, there: Flags, parts: Parts
    ) -> list[pa.Array]:
        columns = []
        for name, child in zip(kind.names, kind.children, strict=True):
            member = found.members.get(name)
            if member is None:
                columns.append(pa.nulls(len(at), to_arrow(child)))
            elif self._required or child.children or is_read(parts, name):
                columns.append(self.member(member, child, at, there, below(parts, name)))
            else:
                columns.append(self._reading.unread(member.cells, child, at))
        return columns

    def _arrays(self, found: Found, kind: SqlType, at: Indices, parts: Parts) -> pa.Array:
        assert found.inner is not None
        offsets, of = owners(found.cells)
        elements = self.values(found.inner, kind.children[0], at[of], below(parts, None))
        return _lists(offsets, elements, kind, found.cells)

    def _maps(self, found: Found, kind: SqlType, at: Indices) -> pa.Array:
        assert found.inner is not None
        assert found.keys is not None
        offsets, of = owners(found.cells)
        keys = self._reading.texts(found.keys, at[of])
        values = self.values(found.inner, kind.children[1], at[of])
        # Few keys are distinct. With a dictionary, _java_order computes the hash of each key only once.
        codes = keys.dictionary_encode()
        # If a map has a key twice, its message is odd. The scan has marked most of these messages. But it
        # compares keys as they are written, so it takes "a" and "\u0061" as two keys. Here, the keys have no
        # escapes any more, and the remaining messages are marked.
        if self._reading.has_escapes(found.keys):
            self._reading.odd[at[of[_repeated(codes, of)]]] = True
        order = pa.array(_java_order(codes, offsets, of))
        pair = to_arrow(kind).value_type
        entries = pa.StructArray.from_arrays([keys.take(order), values.take(order)], fields=list(pair))
        return _lists(offsets, entries, kind, found.cells)

    def _maps_of_keys(self, found: Found, kind: SqlType, at: Indices) -> pa.Array:
        """Return maps with only the entries whose keys the query reads, which the scan returns as members."""
        values = [self.values(each, kind.children[1], at) for each in found.members.values()]
        there = np.column_stack([flags(value.is_valid()) for value in values])
        offsets = np.append(0, np.cumsum(there.sum(axis=1)))
        if len(values) == 1:
            keys, value = pa.repeat(*found.members, int(offsets[-1])), values[0].drop_null()
        else:
            of, which = np.nonzero(there)
            keys = pa.array([*found.members], pa.string()).take(pa.array(which))
            value = pa.concat_arrays(values).take(pa.array(which * len(at) + of))
        entries = pa.StructArray.from_arrays([keys, value], fields=list(to_arrow(kind).value_type))
        return _lists(offsets, entries, kind, found.cells)


def _of_rows(found: Found, rows: Indices) -> Found:
    """Return the result of a scan for some of its n rows only.

    The rows that are left out must be missing or null. So they have no list elements and no map entries, and
    `inner` and `keys` of the result stay as they are.

    Args:
        found: Result for n rows.
        rows: Positions of the rows to keep.
    """
    members = {name: _of_rows(member, rows) for name, member in found.members.items()}
    return Found(found.cells[rows], members, found.inner, found.keys)


def _lists(offsets: Indices, values: pa.Array, kind: SqlType, lists: Cells) -> pa.Array:
    places, there = pa.array(offsets.astype(np.int32)), pa.array(~is_there(lists))
    return pa.ListArray.from_arrays(places, values, type=to_arrow(kind), mask=there)


def _repeated(keys: pa.DictionaryArray, of: Indices) -> Indices:
    """Return the positions of the entries whose key an earlier entry of the same map has.

    Args:
        keys: Keys of the m entries of all maps.
        of: int64[m], the number of the map of each entry.
    """
    words = of * (len(keys.dictionary) + 1) + keys.indices.fill_null(len(keys.dictionary)).to_numpy()
    order = np.argsort(words, kind="stable")
    found: Indices = order[1:][words[order[1:]] == words[order[:-1]]]
    return found


def _java_order(keys: pa.DictionaryArray, offsets: Indices, of: Indices) -> Indices:
    """Return the positions of the entries, map by map, in the order of a Java HashMap.

    The HashMap is filled one entry at a time, in the order of the message.

    Args:
        keys: Key of each of m entries.
        offsets: Position of the first entry of each map, and m.
        of: int64[m], the map of each entry.
    """
    hashes = np.array([*map(hasher(STRING), keys.dictionary.to_pylist())], np.int64) & 0xFFFFFFFF
    spread = np.append(hashes ^ hashes >> 16, 0)[keys.indices.fill_null(len(hashes)).to_numpy()]
    sizes, which = np.unique(np.diff(offsets), return_inverse=True)
    rooms = np.array([buckets(size) for size in sizes.tolist()], np.int64)[which]
    return np.lexsort((np.arange(len(of)), spread & (rooms[of] - 1), of))
