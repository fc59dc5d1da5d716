"""A column as bytes: what its values begin with, in whole columns and in cut ones."""

from __future__ import annotations

import pyarrow as pa

from firesteel.formats.messages.message_bytes import begin_with


def test_what_texts_begin_with() -> None:
    texts = pa.array(["[a", "x", None, "", "{", "é[", "["])
    assert begin_with(texts, b"[{").tolist() == [True, False, False, False, True, False, True]
    assert begin_with(texts[3:6], b"[{").tolist() == [False, True, False]
    assert begin_with(pa.array([None, None], pa.string()), b"[{").tolist() == [False, False]
    assert begin_with(pa.array([], pa.string()), b"[{").tolist() == []


def test_what_lies_under_a_null_does_not_count() -> None:
    buffers = (b"\x02", b"\0\0\0\0\1\0\0\0\2\0\0\0", b"[[")
    hidden = pa.Array.from_buffers(pa.string(), 2, [pa.py_buffer(each) for each in buffers])
    assert hidden.to_pylist() == [None, "["]
    assert begin_with(hidden, b"[").tolist() == [False, True]
