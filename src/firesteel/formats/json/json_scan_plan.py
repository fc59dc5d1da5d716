"""Compile a decode schema to the plan that the kernel reads (kernels/json/plan.py)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from firesteel.formats.base import Indices
from firesteel.formats.json.decode_schema import MAP, DecodeSchema
from firesteel.kernels.json import plan as json_plan
from firesteel.kernels.json.scan import BASE, CAPACITY, TABLE_SIZE, WIDTH
from firesteel.kernels.types import Bytes

_WORD = 8
"""Number of bytes that a kernel reads at once."""
_NEVER = 1 << 40
"""Length that no key has, for entries of the plan that must never match."""


@dataclass
class Node:
    """Node of a decode schema with its position in the plan.

    Attributes:
        schema: Decode schema of the node.
        place: Position of the node in the plan.
        table: Number of the table to which the scan writes the node's cells (see ScanPlan).
        column: Column of the cells in that table.
        members: Nodes of an object's wanted members, by key.
        inner: Node of a list's elements, or of a map's values.
    """

    schema: DecodeSchema
    place: int
    table: int
    column: int
    members: Mapping[str, Node]
    inner: Node | None = None

    def all(self) -> Iterator[Node]:
        """Yield this node and all nodes below it, in the order of their positions."""
        yield self
        for node in (*self.members.values(), *([self.inner] if self.inner else ())):
            yield from node.all()


@dataclass(frozen=True)
class ScanPlan:
    """Plan of a scan of JSON messages, which writes the cells of wanted values to tables.

    Table 0 has a row for each message. Each list or map has a table of its own, with a row for each element
    or entry. Each node has a column for its cells:

        {"a": ..., "b": [{"c": ...}, ...]} -> table 0: message, a, b; table 1: element, c

    The table of a map begins with a column for the cells of the keys.

    Attributes:
        root: Node of the messages.
        widths: Number of columns of each table.
        entries: int64[m], the plan as numbers (kernels/json/plan.py): NODE_SIZE numbers for each node, then
            MEMBER_SIZE numbers for each member. The first member matches no key. Nodes without wanted
            members refer to it, so that the kernel need not treat them differently.
        names: Keys of the members as UTF-8, each in quotes and with a colon, one after the other.
    """

    root: Node
    widths: list[int]
    entries: Indices
    names: Bytes

    @classmethod
    def of(cls, schema: DecodeSchema) -> ScanPlan:
        widths = [0]
        root = _node(schema, 0, widths, iter(range(0, 1 << 40, json_plan.NODE_SIZE)))
        entries, names = _entries(list(root.all()))
        return cls(root, widths, entries, names)

    def tables(self, messages: int, rows: int) -> Indices:
        """Return descriptions of the tables to which the kernel writes cells: int64[tables, TABLE_SIZE].

        A row describes a table: its start in the array of all cells, its number of columns, its capacity in
        rows, and two counters of rows, which are 0 (kernels/json/scan.py).

        Args:
            messages: Capacity of table 0, in rows.
            rows: Capacity of each other table, in rows.
        """
        tables = np.zeros((len(self.widths), TABLE_SIZE), np.int64)
        tables[:, WIDTH] = self.widths
        tables[:, CAPACITY] = rows
        tables[0, CAPACITY] = messages
        sizes = tables[:, WIDTH] * tables[:, CAPACITY]
        tables[:, BASE] = np.cumsum(sizes) - sizes
        return tables


def _node(schema: DecodeSchema, table: int, widths: list[int], places: Iterator[int]) -> Node:
    """Return the node of a decode schema, with the nodes below it, and add their columns to `widths`.

    The members of an object are columns of the object's own table. The elements of a list get a new table,
    and so do the entries of a map.

    Args:
        schema: The decode schema.
        table: Number of the table with the node's cells.
        widths: Number of columns of each table so far.
        places: Positions in the plan for the next nodes.
    """
    node = Node(schema, next(places), table, widths[table], {})
    widths[table] += 1
    node.members = {name: _node(one, table, widths, places) for name, one in schema.members.items()}
    if schema.inner is not None:
        widths.append(1 if schema.kind == MAP else 0)  # A map's keys are the first column.
        node.inner = _node(schema.inner, len(widths) - 1, widths, places)
    return node


def _entries(nodes: list[Node]) -> tuple[Indices, Bytes]:
    """Return `entries` and `names` of a ScanPlan: its nodes and members as numbers, and the members' keys."""
    nobody = len(nodes) * json_plan.NODE_SIZE  # The member that matches no key.
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
    """Fill the entries of a node in the plan."""
    entries[json_plan.KIND] = node.schema.kind
    entries[json_plan.TABLE] = node.table * TABLE_SIZE
    entries[json_plan.COLUMN] = node.column
    entries[json_plan.FIRST_MEMBER] = first_member
    entries[json_plan.MEMBERS] = len(node.members)
    entries[json_plan.INNER] = node.inner.place if node.inner else 0
    entries[json_plan.IS_FLAT] = node.schema.is_flat
    entries[json_plan.DIGITS] = node.schema.digits


def _add_name(name: bytes, member: Indices, names: bytearray) -> None:
    """Fill the plan's entries for the key of a member, and append the key to `names`.

    The kernel first looks for the usual form of a key in a message: in quotes, with a colon directly after
    them. A key that contains a quote or a backslash has escapes in messages, and so never has this form. Its
    entry for the length of the form is a number that matches no text.

    Args:
        name: The key as UTF-8.
        member: Entries of the member.
        names: Keys of all members so far, each in its usual form.
    """
    written = b'"%b":' % name
    is_plain = not any(mark in name for mark in b'"\\')
    member[json_plan.NAME] = len(names) + 1  # The position behind the opening quote.
    member[json_plan.LENGTH], member[json_plan.HEAD] = len(name), _word(name)
    member[json_plan.WRITTEN_LENGTH] = len(written) if is_plain else _NEVER
    member[json_plan.WRITTEN] = _word(written)
    member[json_plan.WRITTEN_BITS] = _word(b"\xff" * len(written))
    names.extend(written)


def _word(text: bytes) -> int:
    """Return the first eight bytes of a text as the kernel reads them: an int64, lowest byte first."""
    word = int.from_bytes(text[:_WORD], "little")
    return word - (1 << 64) if word >> 63 else word
