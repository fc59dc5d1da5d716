"""What DuckDB's JSON parser takes and Flink's Jackson refuses, found in the bytes of a column of messages.

The parser takes NaN and Infinity in any case, a comma before a closing bracket, numbers of any length and
any depth. It is asked to read messages that are objects alone; all others go the exact way. A message may be
flagged for what stands in a text (`nan,`): flagged ones are only read more slowly.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from firesteel.formats.base import Flags, Indices
from firesteel.formats.json_parser import MAX_NUMBER_LENGTH
from firesteel.formats.message_bytes import Bytes, MessageBytes, marked, places

_LOWER = np.uint8(0x20)
"""Set in a byte, it makes letters lower case, and `[` to `{`, `]` to `}`."""
_MOST_BRACKETS = 1000
"""A message with more of them may be deeper than Jackson's StreamReadConstraints take."""
_SAMPLES = 8


def _table(characters: bytes) -> npt.NDArray[np.bool_]:
    table = np.zeros(256, dtype=bool)
    table[list(characters)] = True
    return table


_SPACE = _table(b" \t\r\n")
_DIGITS = _table(b"0123456789+-.eE")
_AFTER_WORD = _table(b",]} \t\r\n")


def suspicious(column: pa.BinaryArray) -> Flags:
    """The messages that the parser must not judge. There is at least one, and none is empty."""
    messages = MessageBytes.of(column)
    data = messages.data
    found = _not_objects(messages)
    at = np.append(places(data, _candidates, behind=2), max(len(data) - 2, 0))  # no two are behind the last
    at = at[at + 1 < len(data)]
    closing = data[at + 1] | _LOWER == ord("}")
    for place in (_trailing_commas(data, at[closing]), _after_words(data, at[~closing])):
        if len(place):
            found |= marked(messages.at(place), len(found))
    long = np.flatnonzero(messages.lengths > MAX_NUMBER_LENGTH)
    if len(long):
        found[long] |= _too_much(MessageBytes.of(column.take(pa.array(long))))
    return found


def _too_much(messages: MessageBytes) -> Flags:
    """Those that may be too deep, or have too long a number: no short message has."""
    opened = places(messages.data, lambda piece: piece | _LOWER == ord("{"))
    count = len(messages.lengths)
    found: Flags = np.bincount(messages.at(opened), minlength=count) > _MOST_BRACKETS
    return found | marked(messages.at(_long_numbers(messages.data)), count)


def _not_objects(messages: MessageBytes) -> Flags:
    starts = messages.offsets[:-1].copy()
    ends = messages.offsets[1:]
    first = messages.data[starts]
    while (blank := _SPACE[first] & (starts + 1 < ends)).any():
        starts[blank] += 1
        first = messages.data[starts]
    found: Flags = first != ord("{")
    return found


def _candidates(piece: Bytes) -> Flags:
    """Places before what may end an object or list behind a comma, and where `nan` or `inf` stands."""
    lower = piece | _LOWER
    n = lower == ord("n")
    found = piece[:-2] <= ord(" ")
    found |= piece[:-2] == ord(",")
    found &= lower[1:-1] == ord("}")
    words = lower[1:-1] == ord("a")
    words &= n[:-2]
    words &= n[2:]
    found |= words
    words = lower[2:] == ord("f")
    words &= n[1:-1]  # of any letter and `nf`; few words have those
    found |= words
    return found


def _trailing_commas(data: Bytes, before: Indices) -> Indices:
    """Those of the places, or of the ones before the blanks there, that are commas."""
    found = [before[data[before] == ord(",")]]
    before = before[_SPACE[data[before]]]
    while len(before):
        before = before[before > 0] - 1
        found.append(before[data[before] == ord(",")])
        before = before[_SPACE[data[before]]]
    return np.concatenate(found)


def _after_words(data: Bytes, starts: Indices) -> Indices:
    """Behind `nan`, `inf` and `infinity` where a value may end, from where words begin."""
    starts = starts[starts + 3 < len(data)]
    first, behind = data[starts] | _LOWER, data[starts + 3]
    words = (first == ord("n")) | (first == ord("i"))
    found: Indices = starts[words & (_AFTER_WORD[behind] | (behind | _LOWER == ord("i")))] + 3
    return found


def _long_numbers(data: Bytes) -> Indices:
    """Places in runs of digits that may be too long: a long one covers that many neighbours of a sample, and
    all that is between them."""
    stride = MAX_NUMBER_LENGTH // _SAMPLES
    sample = _DIGITS[data[::stride]]
    runs = sample[: len(sample) - _SAMPLES + 1].copy()
    for shift in range(1, _SAMPLES):
        runs &= sample[shift : len(sample) - _SAMPLES + 1 + shift]
    found: Indices = np.flatnonzero(runs) * stride
    for shift in range(1, (_SAMPLES - 1) * stride):
        if not len(found):
            break
        found = found[_DIGITS[data[found + shift]]]
    return found
