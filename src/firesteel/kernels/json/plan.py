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
"""Fields of a node in a plan. Nodes and members are identified by their positions.

TABLE: position in `tables`. FIRST_MEMBER: the first wanted member of an object. A node without wanted members
has a dummy member here, which no key in a message matches. MEMBERS: number of wanted members, without the
dummy. INNER: node of a list's elements, or of a map's values. IS_FLAT: 1 for an object whose members must not
be objects or lists, else the message is odd. DIGITS: 0 for a value that the query reads. Otherwise, the query
does not read the value, and the scan writes NULL if the value is a short number:

    DIGITS = 5     an integer of up to 5 digits: 123
    DIGITS = -5    up to 5 characters, digits and at most one point between them: 1.23

A minus may precede the number, and does not count. The cells of all other values are written.
"""
NODE, NEXT, NAME, LENGTH, HEAD, WRITTEN_LENGTH, WRITTEN, WRITTEN_BITS, MEMBER_SIZE = range(9)
"""Fields of a member in a plan.

NODE: its node. NEXT: the next wanted member of the same object, after the last one the first.
NAME, LENGTH, HEAD: position of its name in `names`, the name's length,
and the name's first eight bytes as a word. WRITTEN_LENGTH, WRITTEN: length and word of the name with quotes
and colon, the usual form in a message. WRITTEN_BITS: the bits of that word that belong to the name.
"""


@inlined
def is_next(data: Bytes, at: int, end: int, plan: Integers, names: Bytes, step: int) -> bool:
    """Return whether data[at:end] begins with the key of member `step`, in quotes, directly before a colon.

    This is faster than to find the end of the key first, since the length of the wanted key is known.
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
    """Return whether two keys of `length` bytes agree from byte 8 on: at `at` in `text`, `name` in `names`.

    The caller has compared the first eight bytes.
    """
    place = 8
    while place < length and byte_at(names, name + place) == byte_at(text, at + place):
        place += 1
    return place >= length


@inlined
def member_of(
    text: Bytes, key: int, length: int, plan: Integers, names: Bytes, node: int, step: int
) -> tuple[int, int]:  # fmt: skip
    """Return the node of the member of object `node` whose key is text[key:key + length], -1 if not wanted.

    The search begins with the member `step`. The second result is the member after the one found: the next
    search begins with it, since members usually have the same order in all messages.
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
