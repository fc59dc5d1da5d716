"""Consumer that takes messages from librdkafka in batches, without a Python object for each.

For small messages, it takes a third of the processor time of a consumer that creates an object for each
message. The module calls public functions (rdkafka.h) of the librdkafka that confluent-kafka has loaded.
"""

from __future__ import annotations

import ctypes
import weakref
from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np
import pyarrow as pa

from firesteel.connectors.kafka.cluster import client
from firesteel.connectors.kafka.gathered_bytes import Joined
from firesteel.connectors.kafka.messages import MESSAGE, MESSAGE_KEY, OFFSET, Taken
from firesteel.connectors.kafka.offsets import Range
from firesteel.kernels.types import Integers

_CONSUMER, _WITHOUT_CLOSING, _OK = 1, 8, 0
"""Constants of rdkafka.h: RD_KAFKA_CONSUMER, RD_KAFKA_DESTROY_F_NO_CONSUMER_CLOSE, and success."""
_TEXT_SIZE = 512
AT_ONCE = 2000
"""Maximum number of messages in one batch."""

_POINTER, _TEXT, _INT, _SIZE = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int, ctypes.c_size_t
_FUNCTIONS: dict[str, tuple[Any, ...]] = {
    "conf_new": (_POINTER,),
    "conf_set": (_INT, _POINTER, _TEXT, _TEXT, _TEXT, _SIZE),
    "conf_destroy": (None, _POINTER),
    "new": (_POINTER, _INT, _POINTER, _TEXT, _SIZE),
    "destroy_flags": (None, _POINTER, _INT),
    "poll_set_consumer": (_INT, _POINTER),
    "queue_get_consumer": (_POINTER, _POINTER),
    "queue_destroy": (None, _POINTER),
    "topic_partition_list_new": (_POINTER, _INT),
    "topic_partition_list_add": (_POINTER, _POINTER, _TEXT, ctypes.c_int32),
    "topic_partition_list_set_offset": (_INT, _POINTER, _TEXT, ctypes.c_int32, ctypes.c_int64),
    "topic_partition_list_destroy": (None, _POINTER),
    "assign": (_INT, _POINTER, _POINTER),
    "consume_batch_queue": (ctypes.c_ssize_t, _POINTER, _INT, _POINTER, _SIZE),
    "message_destroy": (None, _POINTER),
    "err2str": (_TEXT, _INT),
}
"""Result type and argument types of librdkafka's functions, by name without `rd_kafka_`."""


@cache
def library() -> Any:
    """Return librdkafka, or None if its functions cannot be called.

    They cannot be called if librdkafka is linked statically into confluent-kafka's C extension. The result is
    also None if pointers do not have eight bytes, because the kernels expect addresses of 64 bits.
    """
    client()
    from confluent_kafka import cimpl

    try:
        # The C extension has loaded librdkafka as a library. A symbol that is looked up in the extension is
        # also looked up there.
        found = ctypes.CDLL(cimpl.__file__)
        for name, (gives, *takes) in _FUNCTIONS.items():
            function = getattr(found, f"rd_kafka_{name}")
            function.restype, function.argtypes = gives, takes
    except (AttributeError, OSError):
        return None
    return found if ctypes.sizeof(_POINTER) == 8 else None


class BatchConsumer:
    """Consumer without a consumer group, with the methods of ObjectConsumer.

    It always reads the value and the offset of a message.

    Args:
        configuration: librdkafka's properties.
        also: MESSAGE_KEY if the key is read, too. Other columns of Messages need an ObjectConsumer.
    """

    def __init__(self, configuration: Mapping[str, str], also: frozenset[str]) -> None:
        self._configuration = dict(configuration)
        self._library = library()
        self._names = (MESSAGE, MESSAGE_KEY) if MESSAGE_KEY in also else (MESSAGE,)
        self._handle = self._opened()
        self._queue = self._library.rd_kafka_queue_get_consumer(self._handle)
        self._asked: Any = None
        self._messages = np.empty(AT_ONCE, np.int64)
        closing = weakref.finalize(self, _close, self._library, self._handle, self._queue)
        closing.atexit = False  # The consumer's threads end with the process.

    @property
    def asked(self) -> Any:
        """A second consumer, of confluent-kafka, which requests metadata and offsets instead of messages."""
        if self._asked is None:
            self._asked = client().Consumer(self._configuration)
        return self._asked

    def assign(self, wanted: Range) -> None:
        """Start to read a range of a partition, at its first offset."""
        topic, partitions = wanted.topic.encode(), self._library.rd_kafka_topic_partition_list_new(1)
        self._library.rd_kafka_topic_partition_list_add(partitions, topic, wanted.partition)
        place = partitions, topic, wanted.partition, wanted.start
        self._library.rd_kafka_topic_partition_list_set_offset(*place)
        self._assign(partitions)
        self._library.rd_kafka_topic_partition_list_destroy(partitions)

    def unassign(self) -> None:
        self._assign(None)

    def take(self, most: int, end: int, wait: float) -> Taken:
        """Return the next messages, all of them before offset `end`.

        The method returns as soon as it has `most` messages (AT_ONCE, if that is less). It waits at most
        `wait` seconds.
        """
        from firesteel.kernels.kafka_messages import give_back, read_heads

        consume, place = self._library.rd_kafka_consume_batch_queue, self._messages.ctypes.data
        count = consume(self._queue, round(1000 * wait), place, min(most, AT_ONCE))
        if count <= 0:
            return Taken(0, {}, {})
        all_ = self._messages[:count]
        offsets, errors = np.empty(count, np.int64), np.empty(count, np.int32)
        read_heads(all_, offsets, errors)
        try:
            return self._taken(all_, offsets, errors, end)
        finally:
            give_back(all_, ctypes.cast(self._library.rd_kafka_message_destroy, _POINTER).value or 0)

    def _taken(self, messages: Integers, offsets: Integers, errors: Any, end: int) -> Taken:
        from firesteel.kernels.kafka_messages import KEY, VALUE

        told = []
        if errors.any():
            bad = np.flatnonzero(errors)
            told = [(self._error(messages[each], int(errors[each])), int(offsets[each])) for each in bad]
            messages, offsets = messages[errors == 0], offsets[errors == 0]
        if not len(messages):
            return Taken(0, {}, {}, errors=told)
        behind = int(offsets[-1]) + 1
        if behind > end:
            messages, offsets = messages[offsets < end], offsets[offsets < end]
        fields = zip(self._names, (VALUE, KEY), strict=False)
        columns = {name: _joined(messages, field) for name, field in fields}
        return Taken(len(messages), columns, {OFFSET: pa.array(offsets)}, behind, told)

    def _error(self, message: int, code: int) -> Any:
        """Return the error in the message at an address: its code, and the text in the message's value."""
        from firesteel.kernels.kafka_messages import VALUE

        text = _joined(np.array([message], np.int64), VALUE).data
        told = text.tobytes().decode(errors="replace") or self._library.rd_kafka_err2str(code).decode()
        return client().KafkaError(code, told)

    def _opened(self) -> int:
        """Return the handle of a new consumer.

        Raises:
            KafkaException: The configuration is invalid. confluent-kafka raises the same error.
        """
        told, made = ctypes.create_string_buffer(_TEXT_SIZE), self._library.rd_kafka_conf_new()
        for name, value in self._configuration.items():
            setting = name.encode(), value.encode()
            if self._library.rd_kafka_conf_set(made, *setting, told, _TEXT_SIZE) != _OK:
                self._library.rd_kafka_conf_destroy(made)
                raise _exception(client().KafkaError._INVALID_ARG, told.value.decode())
        handle = self._library.rd_kafka_new(_CONSUMER, made, told, _TEXT_SIZE)
        if not handle:
            self._library.rd_kafka_conf_destroy(made)
            raise _exception(client().KafkaError._INVALID_ARG, told.value.decode())
        self._library.rd_kafka_poll_set_consumer(handle)
        return int(handle)

    def _assign(self, partitions: int | None) -> None:
        code = self._library.rd_kafka_assign(self._handle, partitions)
        if code != _OK:
            raise _exception(code, self._library.rd_kafka_err2str(code).decode())


def _joined(messages: Integers, field: int) -> Joined:
    """Return one field, VALUE or KEY, of the messages at the given addresses."""
    from firesteel.kernels.kafka_messages import copy_values, read_sizes

    sizes = np.empty(len(messages), np.int32)
    data = np.empty(read_sizes(messages, field, sizes), np.uint8)
    copy_values(messages, field, sizes, data)
    return Joined(sizes, data)


def _exception(code: int, told: str) -> Exception:
    error: Exception = client().KafkaException(client().KafkaError(code, told))
    return error


def _close(found: Any, handle: int, queue: int) -> None:
    found.rd_kafka_queue_destroy(queue)
    found.rd_kafka_destroy_flags(handle, _WITHOUT_CLOSING)
