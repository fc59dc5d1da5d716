"""ROW, ARRAY and MAP of the format json in columns: each leaf is one column of texts, however deep it is.

Rules: Flink JsonParserToRowDataConverters. A map's entries stand in the order of Java's HashMap.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from firesteel.formats.base import Fields, Flags, Indices
from firesteel.formats.json_columns import Paths, Reading, flags, pointer
from firesteel.formats.json_scan import quoted
from firesteel.formats.text_columns import are_plain
from firesteel.runtime.java.hash_code import hasher
from firesteel.runtime.java.hash_map import buckets
from firesteel.types.arrow import to_arrow
from firesteel.types.sql import CHARACTER, STRING, SqlType, TypeRoot
from firesteel.types.value_parts import WHOLE, Parts, below, is_read, keys_of


def in_columns(fields: Fields) -> bool:
    """Whether the columnar reader has the types, and DuckDB can tell the names apart."""
    return _are_distinct(fields.names) and all(map(_is_readable, fields.types))


def _is_readable(kind: SqlType) -> bool:
    if kind.root is TypeRoot.ROW:
        return bool(kind.names) and _are_distinct(kind.names) and all(map(_is_readable, kind.children))
    if kind.root is TypeRoot.ARRAY:
        return _is_readable(kind.children[0])
    if kind.root is TypeRoot.MAP:
        return kind.children[0].root in CHARACTER and _is_readable(kind.children[1])
    return are_plain([kind])


def _are_distinct(names: tuple[str, ...]) -> bool:
    folded = {name.casefold() for name in names}
    return "" not in folded and len(folded) == len(names) and "\0" not in "".join(names)


def scan_type(kind: SqlType, parts: Parts = WHOLE, *, required: bool = False) -> str:
    """The DuckDB type that a value of this type is scanned as, of which these parts are looked at. STRINGs
    that are not are left out of a ROW, and a MAP of STRINGs is scanned as a row of its keys: there is nothing
    about the others that could be wrong. required: but a row's missing member is."""
    if kind.root is TypeRoot.ROW:
        fields = list(zip(kind.names, kind.children, strict=True))
        read = [
            (name, child)
            for name, child in fields
            if required or child.root not in CHARACTER or is_read(parts, name)
        ] or fields[:1]
        return _struct(
            (name, scan_type(child, below(parts, name), required=required)) for name, child in read
        )
    if kind.root is TypeRoot.ARRAY:
        return f"{scan_type(kind.children[0], below(parts, None), required=required)}[]"
    if kind.root is TypeRoot.MAP:
        keys = keys_of(parts)
        if keys is not None and _are_distinct(keys) and kind.children[1].root in CHARACTER:
            return _struct((key, "VARCHAR") for key in keys)
        return f"MAP(VARCHAR, {scan_type(kind.children[1], required=required)})"
    return "VARCHAR"


def _struct(members: Iterable[tuple[str, str]]) -> str:
    return f"STRUCT({', '.join(f'{quoted(name)} {kind}' for name, kind in members)})"


class NestedValues:
    """The values of a reading. required: a row's missing member is an error (`fail-on-missing-field`)."""

    def __init__(self, reading: Reading, *, required: bool) -> None:
        self._reading = reading
        self._required = required

    def values(self, read: pa.Array, kind: SqlType, at: Indices, paths: Paths) -> pa.Array:
        """What was scanned as a `scan_type(kind)` as the SQL type. at: the message of each; paths: where
        in it they stand."""
        if kind.root is TypeRoot.ROW:
            return self._rows(read, kind, at, paths)
        if kind.root is TypeRoot.ARRAY:
            return self._arrays(read, kind, at, paths)
        if kind.root is TypeRoot.MAP:
            of_keys = pa.types.is_struct(read.type)
            return (self._maps_of_keys if of_keys else self._maps)(read, kind, at, paths)
        return self._reading.values(read, kind, at, paths)

    def member(
        self, read: pa.Array, kind: SqlType, at: Indices, paths: Paths, owners: Flags | None = None
    ) -> pa.Array:
        """The same of a member of a row. owners: whether there is a row, of each value."""
        if self._required:
            missing = flags(read.is_null())
            places = np.flatnonzero(missing if owners is None else missing & owners)
            if len(places):
                self._reading.look(at[places], paths(places), "NULL")
        return self.values(read, kind, at, paths)

    def _rows(self, read: pa.StructArray, kind: SqlType, at: Indices, paths: Paths) -> pa.Array:
        there = flags(read.is_valid())
        scanned = dict(zip((each.name for each in read.type), read.flatten(), strict=True))
        members = [
            self.member(scanned[name], child, at, _below(paths, name), there)
            if name in scanned
            else pa.nulls(len(read), to_arrow(child))
            for name, child in zip(kind.names, kind.children, strict=True)
        ]
        return pa.StructArray.from_arrays(members, fields=list(to_arrow(kind)), mask=pa.array(~there))

    def _arrays(self, read: pa.ListArray, kind: SqlType, at: Indices, paths: Paths) -> pa.Array:
        offsets, owners = _places(read)
        elements = read.values[int(offsets[0]) : int(offsets[-1])]
        offsets = offsets - offsets[0]
        indices = np.arange(len(owners)) - offsets[owners]

        def path(wanted: Indices) -> pa.Array:
            numbers = pc.cast(pa.array(indices[wanted]), pa.string())
            return pc.binary_join_element_wise(paths(owners[wanted]), numbers, "/")

        values = self.values(elements, kind.children[0], at[owners], path)
        return _lists(offsets, values, kind, read)

    def _maps(self, read: pa.MapArray, kind: SqlType, at: Indices, paths: Paths) -> pa.Array:
        offsets, owners = _places(read)
        inner = slice(int(offsets[0]), int(offsets[-1]))
        keys, items = read.keys[inner], read.items[inner]
        offsets = offsets - offsets[0]

        def path(wanted: Indices) -> pa.Array:
            steps = pa.array([pointer(key) for key in keys.take(pa.array(wanted)).to_pylist()], pa.string())
            return pc.binary_join_element_wise(paths(owners[wanted]), steps, "")

        values = self.values(items, kind.children[1], at[owners], path)
        order = pa.array(_java_order(keys, offsets, owners))
        pair = to_arrow(kind).value_type
        entries = pa.StructArray.from_arrays([keys.take(order), values.take(order)], fields=list(pair))
        return _lists(offsets, entries, kind, read)

    def _maps_of_keys(self, read: pa.StructArray, kind: SqlType, at: Indices, paths: Paths) -> pa.Array:
        """Maps that have of their entries those of some keys."""
        keys = [each.name for each in read.type]
        values = [
            self.values(texts, kind.children[1], at, _below(paths, key))
            for key, texts in zip(keys, read.flatten(), strict=True)
        ]
        owners, which = np.nonzero(np.column_stack([flags(value.is_valid()) for value in values]))
        offsets = np.searchsorted(owners, np.arange(len(read) + 1))
        entries = pa.StructArray.from_arrays(
            [
                pa.array(keys, pa.string()).take(pa.array(which)),
                pa.concat_arrays(values).take(pa.array(which * len(read) + owners)),
            ],
            fields=list(to_arrow(kind).value_type),
        )
        return _lists(offsets, entries, kind, read)


def _below(paths: Paths, name: str) -> Paths:
    step = pointer(name)
    return lambda wanted: pc.binary_join_element_wise(paths(wanted), step, "")


def _places(read: pa.ListArray | pa.MapArray) -> tuple[Indices, Indices]:
    """The offsets of lists, and the list of each element."""
    offsets = read.offsets.to_numpy().astype(np.int64)
    return offsets, np.repeat(np.arange(len(read)), np.diff(offsets))


def _lists(offsets: Indices, values: pa.Array, kind: SqlType, read: pa.Array) -> pa.Array:
    places = pa.array(offsets.astype(np.int32))
    return pa.ListArray.from_arrays(places, values, type=to_arrow(kind), mask=read.is_null())


def _java_order(keys: pa.StringArray, offsets: Indices, owners: Indices) -> Indices:
    """The entries map by map, each in the order of a HashMap into which they were put one by one."""
    distinct = keys.dictionary_encode()  # members of objects have few names
    hashes = np.array([*map(hasher(STRING), distinct.dictionary.to_pylist())], np.int64) & 0xFFFFFFFF
    spread = (hashes ^ hashes >> 16)[distinct.indices.to_numpy()]
    sizes, which = np.unique(np.diff(offsets), return_inverse=True)
    rooms = np.array([buckets(size) for size in sizes.tolist()], np.int64)[which]
    return np.lexsort((np.arange(len(owners)), spread & (rooms[owners] - 1), owners))
