"""Scan a column of JSON messages in one pass, and return the wanted values as cells (kernels/json/cells.py).

A decode schema (decode_schema.py) describes the wanted parts of a value. Members are found by their keys in
any order, with or without escapes. Everything else is only checked to be JSON. The exact reader handles
messages that differ in structure from the schema, or have a wanted member twice.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from firesteel.formats.base import Flags, Indices
from firesteel.formats.json.decode_schema import MAP, DecodeSchema, object_of
from firesteel.formats.messages.message_bytes import MessageBytes
from firesteel.formats.messages.message_decoder import WORTH_COLUMNS
from firesteel.kernels.types import Bytes, Cells

if TYPE_CHECKING:
    from firesteel.formats.json.json_scan_plan import Node, ScanPlan

_KERNEL = "firesteel.kernels.json.scan"
_WORTH_LOADING = 4096
"""Number of messages below which reading them one by one is faster than loading the kernel."""
_STACK, _KNOWN = 32 * 4, 16 * 2
_LONGEST_KEY = 1 << 16
_WORD = 8
"""Number of bytes that kernels read at once."""
_BYTES_A_ROW = 128
"""First guess of the bytes of a row of a list or map.

It sets the room for cells. If a block has more rows than there is room, it is scanned again with more room.
"""


@dataclass(frozen=True)
class Found:
    """Result of a scan for one node of the decode schema.

    Attributes:
        cells: int64[n], one cell for each of the node's n values. A missing value has the cell 0.
        members: For objects, the result for each wanted member by its name. It has n values, one for each
            object. If an object is missing, its members are missing, too.
        inner: For lists, the elements of the first list, then those of the second, and so on. For maps, the
            values of the entries in the same way.
        keys: For maps, the cells of the keys, one for each value in `inner`.
    """

    cells: Cells
    members: Mapping[str, Found]
    inner: Found | None = None
    keys: Cells | None = None


@dataclass(frozen=True)
class Scan:
    """Result of a scan.

    Attributes:
        data: The bytes to which the cells refer.
        root: Values of the messages, one for each message that is not odd.
        numbers: int64[n], index of the message of each value.
        odd: Indices of the messages for the exact reader. Empty messages are neither here nor in `numbers`.
    """

    data: Bytes
    root: Found
    numbers: Indices
    odd: Indices


class JsonColumns:
    """Base of the columnar readers of JSON."""

    def is_worth(self, messages: int) -> bool:
        return messages >= (WORTH_COLUMNS if _KERNEL in sys.modules else _WORTH_LOADING)


class JsonScan:
    """Scanner of messages that are objects.

    Args:
        members: Decode schemas of the wanted members.
    """

    def __init__(self, members: Mapping[str, DecodeSchema]) -> None:
        self._schema = object_of(members)
        self._bytes_a_row = _BYTES_A_ROW
        self._stack, self._skipped = np.empty(_STACK, np.int64), np.empty(_KNOWN, np.int64)
        self._scratch = np.empty(_LONGEST_KEY, np.uint8)
        # Array for the cells of a scan. All calls of `read` use it, because allocating an array takes as long
        # as filling it.
        self._cells = np.empty(0, np.int64)

    @cached_property
    def _plan(self) -> ScanPlan:
        from firesteel.formats.json.json_scan_plan import (
            ScanPlan,  # This loads the kernel, which is not needed for planning.
        )

        return ScanPlan.of(self._schema)

    def read(self, messages: pa.BinaryArray) -> Scan:
        """Scan a column of messages."""
        from firesteel.kernels.json.scan import FULL, scan

        content = MessageBytes.of(messages.fill_null(b"") if messages.null_count else messages)
        data = content.data[:]
        if len(data) < _WORD:
            data = np.append(data, np.zeros(_WORD, np.uint8))
        # Numba compiles the kernel for each array type, and a writable array has another type than a
        # read-only array. So the array is always read-only.
        data.flags.writeable = False
        count, plan = len(messages), self._plan
        numbers, odd = np.empty(count, np.int64), np.empty(count, np.bool_)
        while True:
            tables = plan.tables(count, len(content.data) // self._bytes_a_row + 64)
            size = int(tables[-1, 0] + tables[-1, 1] * tables[-1, 2])
            if size > len(self._cells):
                self._cells = np.empty(size, np.int64)
            rows = scan(
                data, content.offsets, plan.entries, plan.names, tables.ravel(), self._cells,
                numbers, odd, self._stack, self._skipped, self._scratch,
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
    """Return the scan's result for a node, with a copy of each column of the scan's tables (see ScanPlan)."""
    members = {name: _found(child, tables) for name, child in node.members.items()}
    cells = tables[node.table][:, node.column].copy()
    if node.inner is None:
        return Found(cells, members)
    keys = tables[node.inner.table][:, 0].copy() if node.schema.kind == MAP else None
    return Found(cells, members, _found(node.inner, tables), keys)


def owners(lists: Cells) -> tuple[Indices, Indices]:
    """Return which elements belong to which of n lists, or which entries to which of n maps.

    Args:
        lists: int64[n], cells of the lists or maps.

    Returns:
        int64[n + 1]: the position of each list's first element among the m elements of all lists, and m.
        int64[m]: the position of each element's list.
    """
    from firesteel.kernels.json.cells import NESTED, kinds, lengths

    counts = np.where(kinds(lists) == NESTED, lengths(lists), 0)
    offsets = np.zeros(len(lists) + 1, np.int64)
    np.cumsum(counts, out=offsets[1:])
    return offsets, np.repeat(np.arange(len(lists)), counts)


def is_there(cells: Cells) -> Flags:
    """Return which cells are values, neither null nor missing, bool[n]."""
    from firesteel.kernels.json.cells import WORD, is_from

    return is_from(cells, WORD)
