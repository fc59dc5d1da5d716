"""One pass over a column of JSON messages: the wanted values by where they stand, as cells
(kernels/json_cells.py).

A **shape** says what is wanted of a value. Members are found by their keys, wherever they stand, with or
without escapes; everything else is looked at only as far as it must be JSON. What has another structure
than its shape, or a wanted member twice, is for the exact reader."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import chain

import numpy as np
import pyarrow as pa

from firesteel.formats.base import Flags, Indices
from firesteel.formats.message_bytes import MessageBytes
from firesteel.formats.message_decoder import WORTH_COLUMNS
from firesteel.kernels.types import Bytes, Cells

VALUE, OBJECT, LIST, MAP = range(4)
"""Kinds of nodes, as kernels/json_scan.py has them: it is loaded where messages are read, not where jobs are
planned."""
_KERNEL = "firesteel.kernels.json_scan"
_WORTH_LOADING = 4096
"""Fewer messages are read one by one sooner than the kernel is loaded, or compiled, in a process that has not
done so at its start."""
_NODE_SIZE, _MEMBER_SIZE, _TABLE_SIZE, _STACK, _KNOWN = 8, 8, 5, 32 * 4, 16 * 2
_LONGEST_KEY = 1 << 16
_WORD = 8
"""Bytes that kernels read at once."""
_NEVER = 1 << 40
"""A length that no key has."""
_BYTES_A_ROW = 128
"""The first guess; a block with more rows is scanned again."""


@dataclass(frozen=True)
class Shape:
    """members: of an object, those that are wanted. inner: of a list's elements, a map's values. is_flat: an
    object with objects or lists in it is for the exact reader. digits: of a value; where not 0, plain numbers
    of so many digits are left out (below 0: or of so many with a point among them): nobody looks at them."""

    kind: int = VALUE
    members: Mapping[str, Shape] = field(default_factory=dict)
    inner: Shape | None = None
    is_flat: bool = False
    digits: int = 0


TEXT = Shape()
"""A value as it stands there."""


def object_of(members: Mapping[str, Shape], *, is_flat: bool = False) -> Shape:
    return Shape(OBJECT, members, is_flat=is_flat)


def list_of(element: Shape) -> Shape:
    return Shape(LIST, inner=element)


def map_of(value: Shape) -> Shape:
    return Shape(MAP, inner=value)


@dataclass(frozen=True)
class Found:
    """cells: int64[n], what n values are. members: of objects, n values each; nothing is there where there
    is no object. inner: of lists all elements, of maps all entries' values, one list behind the other.
    keys: int64 of each entry."""

    cells: Cells
    members: Mapping[str, Found]
    inner: Found | None = None
    keys: Cells | None = None


@dataclass(frozen=True)
class Scan:
    """data: what cells speak of. root: what was found, a value a message. numbers: the messages' indices.
    odd: the indices of the messages for the exact reader. Messages without any bytes are in neither."""

    data: Bytes
    root: Found
    numbers: Indices
    odd: Indices


class JsonColumns:
    """What the columnar readers of JSON have in common."""

    def is_worth(self, messages: int) -> bool:
        """See message_decoder.Columns."""
        return messages >= (WORTH_COLUMNS if _KERNEL in sys.modules else _WORTH_LOADING)


class JsonScan:
    """Reads the wanted members of messages that are objects."""

    def __init__(self, members: Mapping[str, Shape]) -> None:
        self._shape = object_of(members)
        self._plan = _Plan.of(self._shape)
        self._bytes_a_row = _BYTES_A_ROW
        self._stack, self._known = np.empty(_STACK, np.int64), np.empty(_KNOWN, np.int64)
        self._scratch = np.empty(_LONGEST_KEY, np.uint8)
        self._cells = np.empty(0, np.int64)  # kept: to get new memory takes as long as to fill it

    def read(self, messages: pa.BinaryArray) -> Scan:
        """See above."""
        from firesteel.kernels.json_scan import FULL, scan

        content = MessageBytes.of(messages.fill_null(b"") if messages.null_count else messages)
        data = content.data[:]
        if len(data) < _WORD:
            data = np.append(data, np.zeros(_WORD, np.uint8))
        data.flags.writeable = False  # one type for the kernels, whoever has the bytes
        count, plan = len(messages), self._plan
        numbers, odd = np.empty(count, np.int64), np.empty(count, np.bool_)
        while True:
            tables = plan.tables(count, len(content.data) // self._bytes_a_row + 64)
            size = int(tables[-1, 0] + tables[-1, 1] * tables[-1, 2])
            if size > len(self._cells):
                self._cells = np.empty(size, np.int64)
            rows = scan(
                data, content.offsets, plan.entries, plan.names, tables.ravel(), self._cells,
                numbers, odd, self._stack, self._known, self._scratch,
            )  # fmt: skip
            if rows != FULL:
                break
            self._bytes_a_row = max(1, self._bytes_a_row // 4)
        found = [
            self._cells[base : base + width * there].reshape(there, width)
            for base, width, _, there, _ in tables.tolist()
        ]
        return Scan(data, _found(self._shape, found, plan, 0), numbers[:rows], np.flatnonzero(odd))


@dataclass
class _Plan:
    """A shape as the kernel reads it: see there."""

    entries: Indices
    names: Bytes
    widths: list[int]
    places: list[tuple[int, int]]
    """Of each node the number of its table, and its column there."""
    inner: dict[int, list[int]]
    """By node, those of its members, or of what is in it."""

    @classmethod
    def of(cls, shape: Shape) -> _Plan:
        nodes: list[list[int]] = []
        members: list[list[int]] = []
        names = bytearray()
        widths = [0]
        inner: dict[int, list[int]] = {}

        def add(one: Shape, table: int) -> int:
            number = len(nodes)
            nodes.append([one.kind, table, widths[table], 0, 0, 0, one.is_flat, one.digits])
            widths[table] += 1
            if one.inner is not None:
                widths.append(int(one.kind == MAP))  # a map's keys come first
                inner[number] = [add(one.inner, len(widths) - 1)]
                nodes[number][5] = inner[number][0] * _NODE_SIZE
            elif one.kind == OBJECT:
                inner[number] = [add(each, table) for each in one.members.values()]
            return number

        def name(one: Shape, number: int) -> None:
            if one.inner is not None:
                name(one.inner, inner[number][0])
            first = len(nodes) * _NODE_SIZE + len(members) * _MEMBER_SIZE
            if one.members:
                nodes[number][3:5] = first, len(one.members)
            for nth, (key, child) in enumerate(zip(one.members, inner.get(number, ()), strict=False), 1):
                behind = first + nth % len(one.members) * _MEMBER_SIZE
                members.append([child * _NODE_SIZE, behind, len(names) + 1, *_key(key)])
                names.extend(b'"%b":' % key.encode())
            for each, child in zip(one.members.values(), inner.get(number, ()), strict=False):
                name(each, child)

        add(shape, 0)
        members.append([0] * 5 + [_NEVER, 0, 0])  # looked for where nothing is wanted
        for node in nodes:
            node[3] = len(nodes) * _NODE_SIZE
        name(shape, 0)
        places = [(table, column) for _, table, column, *_ in nodes]
        for node in nodes:
            node[1] *= _TABLE_SIZE
        entries = np.array([*chain(*nodes, *members)], np.int64)
        return cls(entries, np.frombuffer(bytes(names) or b" ", np.uint8), widths, places, inner)

    def tables(self, messages: int, rows: int) -> Indices:
        """The kernel's tables, with room for so many messages and so many rows in every other one."""
        tables = np.zeros((len(self.widths), _TABLE_SIZE), np.int64)
        tables[:, 1] = self.widths
        tables[:, 2] = rows
        tables[0, 2] = messages
        sizes = tables[:, 1] * tables[:, 2]
        tables[:, 0] = np.cumsum(sizes) - sizes
        return tables


def _key(name: str) -> list[int]:
    """What the kernel has about a member's key. One that would have escapes is never written as it is."""
    text = name.encode()
    written = b'"%b":' % text
    is_plain = not any(mark in text for mark in b'"\\')
    bits = (1 << 8 * min(len(written), _WORD)) - 1
    return [len(text), _word(text), len(written) if is_plain else _NEVER, _word(written), _signed(bits)]


def _word(text: bytes) -> int:
    """Its first bytes as the kernel reads them: at once, the first one lowest."""
    return _signed(int.from_bytes(text[:_WORD], "little"))


def _signed(word: int) -> int:
    """The int64 with these bits."""
    return word - (1 << 64) if word >> 63 else word


def _found(shape: Shape, tables: list[Cells], plan: _Plan, node: int) -> Found:
    """What a node found, in columns of their own."""
    table, column = plan.places[node]
    cells = tables[table][:, column].copy()
    below = plan.inner.get(node, [])
    if shape.inner is None:
        members = zip(shape.members.items(), below, strict=True)
        return Found(cells, {name: _found(each, tables, plan, child) for (name, each), child in members})
    inner = _found(shape.inner, tables, plan, below[0])
    keys = tables[plan.places[below[0]][0]][:, 0].copy() if shape.kind == MAP else None
    return Found(cells, {}, inner, keys)


def owners(lists: Cells) -> tuple[Indices, Indices]:
    """Of lists or maps, int64[n + 1]: where the elements of each begin among all, and of each element, whose
    it is."""
    from firesteel.kernels.json_cells import NESTED, kinds, lengths

    counts = np.where(kinds(lists) == NESTED, lengths(lists), 0)
    offsets = np.zeros(len(lists) + 1, np.int64)
    np.cumsum(counts, out=offsets[1:])
    return offsets, np.repeat(np.arange(len(lists)), counts)


def is_there(cells: Cells) -> Flags:
    """Whether each is a value, not null and not missing."""
    from firesteel.kernels.json_cells import WORD, is_from

    return is_from(cells, WORD)
