"""Lines end where they end, whatever is around."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firesteel.formats.messages.lines import Lines
from firesteel.kernels.text.lines import line_ends


@settings(deadline=None)  # the first example waits for the kernel
@given(st.lists(st.sampled_from([b"\n", b"\r\n", b"\x0b", b"\x8a", b"a", b"12345678"]), max_size=60))
def test_all_are_found(parts: list[bytes]) -> None:
    text = b"".join(parts)
    ends = np.zeros(len(text) + 1, np.int32)
    count = line_ends(np.frombuffer(text, np.uint8), ends)
    assert ends[:count].tolist() == [place + 1 for place, byte in enumerate(text) if byte == ord("\n")]


@pytest.mark.parametrize("line", [b"", b"x", b"x" * 100])
def test_a_large_block_is_cut_as_a_small_one(line: bytes) -> None:
    block = (line + b"\n") * ((2 << 20) // (len(line) + 1)) + b"rest"
    lines, rest = Lines().split(block)
    assert rest == b""
    assert lines[-1].as_py() == b"rest"
    assert set(lines[:-1].to_pylist()) == {line + b"\n"}
    assert sum(map(len, lines.to_pylist())) == len(block)
