"""What librdkafka holds, in columns."""

from __future__ import annotations

import ctypes

import numpy as np

from firesteel.kernels import kafka_messages


class Message(ctypes.Structure):
    """rd_kafka_message_t, as rdkafka.h has it."""

    _fields_ = (
        ("err", ctypes.c_int),
        ("rkt", ctypes.c_void_p),
        ("partition", ctypes.c_int32),
        ("payload", ctypes.c_char_p),
        ("len", ctypes.c_size_t),
        ("key", ctypes.c_char_p),
        ("key_len", ctypes.c_size_t),
        ("offset", ctypes.c_int64),
        ("_private", ctypes.c_void_p),
    )


VALUES, KEYS = [b"a\0b", None, b"", b"xyz" * 1000], [None, b"k", b"key", b""]


def made() -> list[Message]:
    rows = zip(VALUES, KEYS, strict=True)
    return [
        Message(err=-7 * n, partition=9, payload=value, len=len(value or b""), key=key,
                key_len=len(key or b""), offset=(1 << 40) + n)
        for n, (value, key) in enumerate(rows)
    ]  # fmt: skip


def addresses(messages: list[Message]) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    return np.array([ctypes.addressof(each) for each in messages], np.int64)


def test_places_and_errors() -> None:
    messages = made()
    offsets, errors = np.empty(4, np.int64), np.empty(4, np.int32)
    kafka_messages.read_heads(addresses(messages), offsets, errors)
    assert offsets.tolist() == [(1 << 40) + n for n in range(4)]
    assert errors.tolist() == [0, -7, -14, -21]


def test_values_and_keys() -> None:
    messages = made()
    for field, wanted in (kafka_messages.VALUE, VALUES), (kafka_messages.KEY, KEYS):
        sizes = np.empty(4, np.int32)
        out = np.empty(kafka_messages.read_sizes(addresses(messages), field, sizes), np.uint8)
        kafka_messages.copy_values(addresses(messages), field, sizes, out)
        assert sizes.tolist() == [-1 if each is None else len(each) for each in wanted]
        assert out.tobytes() == b"".join(each or b"" for each in wanted)


def test_all_are_given_back() -> None:
    given: list[int | None] = []
    destroy = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(given.append)
    all_ = addresses(made())
    kafka_messages.give_back(all_, ctypes.cast(destroy, ctypes.c_void_p).value or 0)
    assert given == all_.tolist()
