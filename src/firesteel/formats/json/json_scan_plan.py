"""A shape as the kernel of a scan reads it (kernels/json/plan.py): its nodes, then their members."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from firesteel.formats.base import Indices
from firesteel.formats.json.decode_schema import MAP, Shape
from firesteel.kernels.json import plan as json_plan
from firesteel.kernels.json.scan import BASE, CAPACITY, TABLE_SIZE, WIDTH
from firesteel.kernels.types import Bytes

_WORD = 8
"""Bytes that a kernel reads at once."""
_NEVER = 1 << 40
"""A length that no key has."""


@dataclass
class Node:
    """One value of a shape. place: where it stands in the plan. table: the number of the table that has its
    cell, in this column. members, inner: as a shape's."""

    shape: Shape
    place: int
    table: int
    column: int
    members: Mapping[str, Node]
    inner: Node | None = None

    def all(self) -> Iterator[Node]:
        """This one and those in it, by their places."""
        yield self
        for node in (*self.members.values(), *([self.inner] if self.inner else ())):
            yield from node.all()


@dataclass(frozen=True)
class ScanPlan:
    """root: the messages'. widths: the columns of each table. entries: int64 of all nodes, then of all
    members. names: the members' keys as they mostly are written, one behind the other."""

    root: Node
    widths: list[int]
    entries: Indices
    names: Bytes

    @classmethod
    def of(cls, shape: Shape) -> ScanPlan:
        widths = [0]
        root = _node(shape, 0, widths, iter(range(0, 1 << 40, json_plan.NODE_SIZE)))
        entries, names = _entries(list(root.all()))
        return cls(root, widths, entries, names)

    def tables(self, messages: int, rows: int) -> Indices:
        """The kernel's tables, a row each, with room for so many messages and so many rows in every other."""
        tables = np.zeros((len(self.widths), TABLE_SIZE), np.int64)
        tables[:, WIDTH] = self.widths
        tables[:, CAPACITY] = rows
        tables[0, CAPACITY] = messages
        sizes = tables[:, WIDTH] * tables[:, CAPACITY]
        tables[:, BASE] = np.cumsum(sizes) - sizes
        return tables


def _node(shape: Shape, table: int, widths: list[int], places: Iterator[int]) -> Node:
    """The nodes of a shape, which get columns of a table and, for what lists and maps hold, tables."""
    node = Node(shape, next(places), table, widths[table], {})
    widths[table] += 1
    node.members = {name: _node(one, table, widths, places) for name, one in shape.members.items()}
    if shape.inner is not None:
        widths.append(1 if shape.kind == MAP else 0)  # a map's keys come first
        node.inner = _node(shape.inner, len(widths) - 1, widths, places)
    return node


def _entries(nodes: list[Node]) -> tuple[Indices, Bytes]:
    """The plan of these nodes, and the names in it."""
    nobody = len(nodes) * json_plan.NODE_SIZE  # the member that is looked for where none is wanted
    members = nobody + json_plan.MEMBER_SIZE
    entries = np.zeros(members + json_plan.MEMBER_SIZE * sum(len(node.members) for node in nodes), np.int64)
    entries[nobody + json_plan.WRITTEN_LENGTH] = _NEVER
    names = bytearray()
    for node in nodes:
        behind = members + json_plan.MEMBER_SIZE * len(node.members)
        _set_node(entries[node.place :], node, members if node.members else nobody)
        places = range(members, behind, json_plan.MEMBER_SIZE)
        for place, (name, child) in zip(places, node.members.items(), strict=True):
            following = place + json_plan.MEMBER_SIZE
            entries[place + json_plan.NODE] = child.place
            entries[place + json_plan.NEXT] = following if following < behind else members
            _add_name(name.encode(), entries[place:], names)
        members = behind
    return entries, np.frombuffer(bytes(names) or b" ", np.uint8)


def _set_node(entries: Indices, node: Node, first_member: int) -> None:
    """The entries of a node, which come first of these."""
    entries[json_plan.KIND] = node.shape.kind
    entries[json_plan.TABLE] = node.table * TABLE_SIZE
    entries[json_plan.COLUMN] = node.column
    entries[json_plan.FIRST_MEMBER] = first_member
    entries[json_plan.MEMBERS] = len(node.members)
    entries[json_plan.INNER] = node.inner.place if node.inner else 0
    entries[json_plan.IS_FLAT] = node.shape.is_flat
    entries[json_plan.DIGITS] = node.shape.digits


def _add_name(name: bytes, member: Indices, names: bytearray) -> None:
    """What a member's entries have about its key. One that would have escapes is never written as it is."""
    written = b'"%b":' % name
    is_plain = not any(mark in name for mark in b'"\\')
    member[json_plan.NAME] = len(names) + 1  # behind the quote
    member[json_plan.LENGTH], member[json_plan.HEAD] = len(name), _word(name)
    member[json_plan.WRITTEN_LENGTH] = len(written) if is_plain else _NEVER
    member[json_plan.WRITTEN] = _word(written)
    member[json_plan.WRITTEN_BITS] = _word(b"\xff" * len(written))
    names.extend(written)


def _word(text: bytes) -> int:
    """Its first bytes as the kernel reads them, at once, the first one lowest: the int64 with these bits."""
    word = int.from_bytes(text[:_WORD], "little")
    return word - (1 << 64) if word >> 63 else word
