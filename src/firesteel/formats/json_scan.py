"""One pass over a column of JSON messages: the wanted values by where they stand, as cells
(kernels/json_cells.py).

A **shape** says what is wanted of a value. Members are found by their keys, wherever they stand, with or
without escapes; everything else is looked at only as far as it must be JSON. What has another structure
than its shape, or a wanted member twice, is for the exact reader."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa

from firesteel.formats.base import Flags, Indices
from firesteel.formats.message_bytes import MessageBytes
from firesteel.formats.message_decoder import WORTH_COLUMNS
from firesteel.kernels.types import Bytes, Cells, Plan

VALUE, OBJECT, LIST, MAP = range(4)
"""Kinds of nodes, as kernels/json_scan.py has them: it is loaded where messages are read, not where jobs are
planned."""
_KERNEL = "firesteel.kernels.json_scan"
_WORTH_LOADING = 4096
"""Fewer messages are read one by one sooner than the kernel is loaded, or compiled, in a process that has not
done so at its start."""
_TABLE_COLUMNS, _STACK, _KNOWN = 5, (32, 4), (16, 2)
_LONGEST_KEY = 1 << 16
_WORD = 8
"""Bytes that kernels read at once."""
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
                data, content.offsets, plan.nodes, plan.members, plan.names, tables, self._cells,
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

    nodes: Plan
    members: Indices
    names: Bytes
    widths: list[int]
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
            nodes.append([one.kind, table, widths[table], 0, 0, -1, one.is_flat, one.digits])
            widths[table] += 1
            if one.inner is not None:
                widths.append(int(one.kind == MAP))  # a map's keys come first
                nodes[number][5] = add(one.inner, len(widths) - 1)
                inner[number] = [nodes[number][5]]
            elif one.kind == OBJECT:
                inner[number] = [add(each, table) for each in one.members.values()]
            return number

        def name(one: Shape, number: int) -> None:
            if one.inner is not None:
                name(one.inner, inner[number][0])
            nodes[number][3:5] = len(members), len(one.members)
            for key, child in zip(one.members, inner.get(number, ()), strict=False):
                text = key.encode()
                head = int.from_bytes(text[:_WORD], "little", signed=len(text) >= _WORD)
                members.append([len(names), len(text), head, child])
                names.extend(text)
            for each, child in zip(one.members.values(), inner.get(number, ()), strict=False):
                name(each, child)

        name(shape, add(shape, 0))
        array = np.array(members, np.int64).reshape(-1, 4)
        return cls(
            np.array(nodes, np.int32), array, np.frombuffer(bytes(names) or b" ", np.uint8), widths, inner
        )

    def tables(self, messages: int, rows: int) -> Indices:
        """The kernel's tables, with room for so many messages and so many rows in every other one."""
        tables = np.zeros((len(self.widths), _TABLE_COLUMNS), np.int64)
        tables[:, 1] = self.widths
        tables[:, 2] = rows
        tables[0, 2] = messages
        sizes = tables[:, 1] * tables[:, 2]
        tables[:, 0] = np.cumsum(sizes) - sizes
        return tables


def _found(shape: Shape, tables: list[Cells], plan: _Plan, node: int) -> Found:
    """What a node found, in columns of their own."""
    _, table, column, *_ = plan.nodes[node].tolist()
    cells = tables[table][:, column].copy()
    below = plan.inner.get(node, [])
    if shape.inner is None:
        members = zip(shape.members.items(), below, strict=True)
        return Found(cells, {name: _found(each, tables, plan, child) for (name, each), child in members})
    inner = _found(shape.inner, tables, plan, below[0])
    keys = tables[int(plan.nodes[below[0], 1])][:, 0].copy() if shape.kind == MAP else None
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
    from firesteel.kernels.json_cells import NULL, kinds

    there: Flags = kinds(cells) > NULL
    return there
