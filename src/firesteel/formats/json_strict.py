"""What DuckDB's JSON parser takes and Flink's Jackson refuses, found in the bytes of a column of messages.

The parser takes NaN and Infinity in any case, a comma before a closing bracket, numbers of any length and
any depth. It is asked to read messages that are objects alone; all others go the exact way. A message may be
flagged for what stands in a text (`nan,`): flagged ones are only read more slowly.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from firesteel.formats.base import Flags, Indices
from firesteel.formats.json_parser import MAX_NUMBER_LENGTH
from firesteel.formats.message_bytes import Bytes, MessageBytes, marked, places

_LOWER = np.uint8(0x20)
"""Set in a byte, it makes letters lower case, and `[` to `{`, `]` to `}`."""
_MOST_BRACKETS = 400
"""A message with more of them may be too deep for Python's parser."""
_SAMPLES = 8


def _table(characters: bytes) -> npt.NDArray[np.bool_]:
    table = np.zeros(256, dtype=bool)
    table[list(characters)] = True
    return table


_SPACE = _table(b" \t\r\n")
_DIGITS = _table(b"0123456789+-.eE")
_AFTER_WORD = _table(b",]} \t\r\n")


def suspicious(messages: MessageBytes) -> Flags:
    """The messages that the parser must not judge. None of them may be empty."""
    data = messages.data
    found = _not_objects(messages)
    at = np.append(places(data, _candidates, behind=2), max(len(data) - 2, 0))  # no two are behind the last
    at = at[at + 1 < len(data)]
    words = data[at + 1] | _LOWER == ord("n")
    bad = [_trailing_commas(data, at[data[at + 1] | _LOWER == ord("}")]), _words(data, at[words] + 1)]
    longest = int(messages.lengths.max(initial=0))
    if longest > _MOST_BRACKETS:
        found |= _deep(messages, longest)
        bad.append(_long_numbers(data))
    for place in bad:
        if len(place):
            found |= marked(messages.at(place), len(found))
    return found


def _deep(messages: MessageBytes, longest: int) -> Flags:
    opened = places(messages.data, lambda piece: piece | _LOWER == ord("{"))
    count = len(messages.lengths)
    if len(opened) <= _MOST_BRACKETS or (opened[_MOST_BRACKETS:] - opened[:-_MOST_BRACKETS]).min() >= longest:
        return np.zeros(count, dtype=bool)  # so many are nowhere so close
    found: Flags = np.bincount(messages.at(opened), minlength=count) > _MOST_BRACKETS
    return found


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
    """Places before what may end an object or list behind a comma, or begin a word that is a number."""
    lower = piece | _LOWER
    first, second, third = piece[:-2], lower[1:-1], lower[2:]
    found = first <= ord(" ")
    found |= first == ord(",")
    found &= second == ord("}")
    words = third == ord("a")
    words &= first != ord('"')
    words |= third == ord("f")
    words &= second == ord("n")
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


def _words(data: Bytes, n: Indices) -> Indices:
    """`nan`, `inf` and `infinity` where a value may end, from the places of their first n."""
    n = n[(n > 0) & (n < len(data) - 2)]
    second, third = data[n + 1] | _LOWER, data[n + 2] | _LOWER
    nan = n[(second == ord("a")) & (third == ord("n"))] + 3
    inf = n[(second == ord("f")) & (data[n - 1] | _LOWER == ord("i"))] + 2
    ends = np.concatenate([nan[nan < len(data)], inf])
    found: Indices = ends[_AFTER_WORD[data[ends]] | (data[ends] | _LOWER == ord("i"))]
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
