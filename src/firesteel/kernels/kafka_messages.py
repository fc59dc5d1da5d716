"""Kafka's messages, where librdkafka has them, to columns. A message is an `rd_kafka_message_t` of its
rdkafka.h, given by its address."""

from __future__ import annotations

import numpy as np

from firesteel.kernels.addresses import call_with, copy_of, half_of, word_of
from firesteel.kernels.compiler import compiled
from firesteel.kernels.types import Bytes, Integers, Offsets

VALUE, KEY = 24, 40
"""Where in a message the address of its value or key stands, 0 if there is none, with the size behind it."""
_ERROR, _SIZE, _OFFSET = 0, 8, 56
NONE = -1


@compiled
def read_heads(messages: Integers, offsets: Integers, errors: Offsets) -> None:
    """offsets: int64[n], get where in their partition n messages stand. errors: int32[n], get the codes of
    those that are none but tell of an error, 0 for the others."""
    for index in range(len(messages)):
        errors[index] = half_of(messages[index] + _ERROR)
        offsets[index] = word_of(messages[index] + _OFFSET)


@compiled
def read_sizes(messages: Integers, field: int, sizes: Offsets) -> int:
    """The bytes of all values or keys. sizes: int32[n], get those of each; NONE where there is none."""
    total = 0
    for index in range(len(messages)):
        sizes[index] = NONE
        if word_of(messages[index] + field):
            size = word_of(messages[index] + field + _SIZE)
            sizes[index] = size
            total += size
    return total


@compiled
def copy_values(messages: Integers, field: int, sizes: Offsets, out: Bytes) -> None:
    """out: uint8[total], gets the values or keys, one behind the other. sizes: as read_sizes gives them."""
    at = 0
    for index in range(len(messages)):
        if sizes[index] > 0:
            copy_of(word_of(messages[index] + field), np.int64(sizes[index]), out, at)
            at += sizes[index]


@compiled
def give_back(messages: Integers, destroy: int) -> None:
    """Call rd_kafka_message_destroy, given by its address, with all of them."""
    for index in range(len(messages)):
        call_with(destroy, messages[index])


def warm() -> None:
    """Have the kernels loaded, or compiled."""
    none, sizes = np.empty(0, np.int64), np.empty(0, np.int32)
    read_heads(none, none, sizes)
    read_sizes(none, VALUE, sizes)
    copy_values(none, VALUE, sizes, np.empty(0, np.uint8))
    give_back(none, 0)
