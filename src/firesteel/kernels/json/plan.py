"""Plans: the wanted members of JSON messages, as the scan reads them, and the lookup of a key.

A **plan** is a tree of nodes in an array. A node is a value (only its cell is wanted), an object with some
wanted members, a list, or a map (an object with all members wanted). The root, an object, has a row in table
0 for each message. The members of an object share its row. Elements of a list and entries of a map have rows
of their own, in the table of their node. Within a table, rows are in the order of the messages.
"""

from __future__ import annotations

import numpy as np

from firesteel.kernels.compiler import inlined
from firesteel.kernels.types import Bytes, Integers
from firesteel.kernels.words import byte_at, entry, load_word

VALUE, OBJECT, LIST, MAP = range(4)
KIND, TABLE, COLUMN, FIRST_MEMBER, MEMBERS, INNER, IS_FLAT, DIGITS, NODE_SIZE = range(9)
"""Entries of a node. TABLE: a place in `tables`. FIRST_MEMBER, MEMBERS: one of its members, and how many
there are. INNER: the node of elements or of entries' values. IS_FLAT: an object is odd if it holds objects
or lists. DIGITS: where not 0, nobody wants a value that is a plain number of so many digits, below 0 with a
point among them if there is one: it is as good as null. Nodes and members are named by their places."""
NODE, NEXT, NAME, LENGTH, HEAD, WRITTEN_LENGTH, WRITTEN, WRITTEN_BITS, MEMBER_SIZE = range(9)
"""Entries of a member: its node, the member behind it, where in `names` its name begins, its length, its
first eight bytes as a word. WRITTEN_LENGTH, WRITTEN: the same of the name as it mostly stands in a message,
with its quotes and the colon; WRITTEN_BITS: which bits of that word are of it."""


@inlined
def is_next(data: Bytes, at: int, end: int, plan: Integers, names: Bytes, step: int) -> bool:
    """Return whether this member's key, in its usual form, is here.

    It does not look for the end of the key, so the code after it need not wait for that.
    """
    length = entry(plan, step + WRITTEN_LENGTH)
    if at + length > end or at + 8 > len(data):
        return False
    written, bits = np.uint64(entry(plan, step + WRITTEN)), np.uint64(entry(plan, step + WRITTEN_BITS))
    if load_word(data, at) & bits != written:
        return False
    return _is_rest(names, entry(plan, step + NAME) - 1, data, at, length)


@inlined
def _is_rest(names: Bytes, name: int, text: Bytes, at: int, length: int) -> bool:
    """Return whether a name is here, given that its first eight bytes are."""
    place = 8
    while place < length and byte_at(names, name + place) == byte_at(text, at + place):
        place += 1
    return place >= length


@inlined
def member_of(
    text: Bytes, key: int, length: int, plan: Integers, names: Bytes, node: int, step: int
) -> tuple[int, int]:  # fmt: skip
    """Return the node of the member with a key, or -1, and the member after it.

    The next lookup starts with that one, since members usually have one order.
    """
    start = min(key, len(text) - 8)
    word = load_word(text, start) >> np.uint64((key - start) << 3)
    if length < 8:
        word &= (np.uint64(1) << np.uint64(length << 3)) - np.uint64(1)
    head = np.int64(word)
    for _ in range(entry(plan, node + MEMBERS)):
        member = step
        step = entry(plan, member + NEXT)
        is_like = entry(plan, member + HEAD) == head and entry(plan, member + LENGTH) == length
        if is_like and _is_rest(names, entry(plan, member + NAME), text, key, length):
            return entry(plan, member + NODE), step
    return -1, step
