"""Copy Kafka messages from librdkafka's memory into columns.

A message is the address of an `rd_kafka_message_t` (rdkafka.h).
"""

from __future__ import annotations

import numpy as np

from firesteel.kernels.addresses import call_with, copy_of, half_of, word_of
from firesteel.kernels.compiler import compiled
from firesteel.kernels.types import Bytes, Integers, Offsets

VALUE, KEY = 24, 40
"""Byte offsets in an `rd_kafka_message_t`: of the address of its value, and of the address of its key.

The address is 0 if the message has no value or no key. The size follows the address.
"""
_ERROR, _SIZE, _OFFSET = 0, 8, 56
NONE = -1


@compiled
def read_heads(messages: Integers, offsets: Integers, errors: Offsets) -> None:
    """Write the offset and the error code of n messages.

    Args:
        messages: int64[n], addresses.
        offsets: int64[n], receives the offsets in their partition.
        errors: int32[n], receives the field `err` of each `rd_kafka_message_t`: 0 for a message of the topic,
            otherwise the code of an error that librdkafka reports in place of a message.
    """
    for index in range(len(messages)):
        errors[index] = half_of(messages[index] + _ERROR)
        offsets[index] = word_of(messages[index] + _OFFSET)


@compiled
def read_sizes(messages: Integers, field: int, sizes: Offsets) -> int:
    """Write the sizes of all values or keys, and return their sum.

    Args:
        messages: int64[n], addresses.
        field: VALUE or KEY.
        sizes: int32[n], receives the size of each message's value or key, NONE if the message has none.
    """
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
    """Copy the values or keys of n messages to `out`, one after the other.

    `sizes` is the array that `read_sizes` has filled.
    """
    at = 0
    for index in range(len(messages)):
        if sizes[index] > 0:
            copy_of(word_of(messages[index] + field), out, at, np.int64(sizes[index]))
            at += sizes[index]


@compiled
def give_back(messages: Integers, destroy: int) -> None:
    """Call rd_kafka_message_destroy, given by its address, with each message."""
    for index in range(len(messages)):
        call_with(destroy, messages[index])


def warm() -> None:
    """Load the kernels, or compile them."""
    none, sizes = np.empty(0, np.int64), np.empty(0, np.int32)
    read_heads(none, none, sizes)
    read_sizes(none, VALUE, sizes)
    copy_values(none, VALUE, sizes, np.empty(0, np.uint8))
    give_back(none, 0)
