"""One pass over a column of JSON messages: the wanted values by where they stand, as cells
(kernels/json/cells.py).

A **shape** (decode_schema.py) says what is wanted of a value. Members are found by their keys, wherever they
stand, with or without escapes; everything else is looked at only as far as it must be JSON. What has another
structure than its shape, or a wanted member twice, is for the exact reader."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from firesteel.formats.base import Flags, Indices
from firesteel.formats.json.decode_schema import MAP, Shape, object_of
from firesteel.formats.messages.message_bytes import MessageBytes
from firesteel.formats.messages.message_decoder import WORTH_COLUMNS
from firesteel.kernels.types import Bytes, Cells

if TYPE_CHECKING:
    from firesteel.formats.json.json_scan_plan import Node, ScanPlan

_KERNEL = "firesteel.kernels.json.scan"
_WORTH_LOADING = 4096
"""Fewer messages are read one by one sooner than the kernel is loaded, or compiled, in a process that has not
done so at its start."""
_STACK, _KNOWN = 32 * 4, 16 * 2
_LONGEST_KEY = 1 << 16
_WORD = 8
"""Bytes that kernels read at once."""
_BYTES_A_ROW = 128
"""The first guess; a block with more rows is scanned again."""


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
        self._bytes_a_row = _BYTES_A_ROW
        self._stack, self._known = np.empty(_STACK, np.int64), np.empty(_KNOWN, np.int64)
        self._scratch = np.empty(_LONGEST_KEY, np.uint8)
        self._cells = np.empty(0, np.int64)  # kept: to get new memory takes as long as to fill it

    @cached_property
    def _plan(self) -> ScanPlan:
        from firesteel.formats.json.json_scan_plan import (
            ScanPlan,  # loads the kernel: not where jobs are planned
        )

        return ScanPlan.of(self._shape)

    def read(self, messages: pa.BinaryArray) -> Scan:
        """See above."""
        from firesteel.kernels.json.scan import FULL, scan

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
        return Scan(data, _found(plan.root, found), numbers[:rows], np.flatnonzero(odd))


def _found(node: Node, tables: list[Cells]) -> Found:
    """What a node found, in columns of their own."""
    members = {name: _found(child, tables) for name, child in node.members.items()}
    cells = tables[node.table][:, node.column].copy()
    if node.inner is None:
        return Found(cells, members)
    keys = tables[node.inner.table][:, 0].copy() if node.shape.kind == MAP else None
    return Found(cells, members, _found(node.inner, tables), keys)


def owners(lists: Cells) -> tuple[Indices, Indices]:
    """Of lists or maps, int64[n + 1]: where the elements of each begin among all, and of each element, whose
    it is."""
    from firesteel.kernels.json.cells import NESTED, kinds, lengths

    counts = np.where(kinds(lists) == NESTED, lengths(lists), 0)
    offsets = np.zeros(len(lists) + 1, np.int64)
    np.cumsum(counts, out=offsets[1:])
    return offsets, np.repeat(np.arange(len(lists)), counts)


def is_there(cells: Cells) -> Flags:
    """Whether each is a value, not null and not missing."""
    from firesteel.kernels.json.cells import WORD, is_from

    return is_from(cells, WORD)
