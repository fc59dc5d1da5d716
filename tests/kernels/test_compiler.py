"""Kernels are compiled once, and what nobody uses any more goes."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from firesteel.cache_folder import forget_unused
from firesteel.formats.base import Fields
from firesteel.formats.registry import find_format
from firesteel.kernels import compiler, json_scan, json_values
from firesteel.types.sql import INT, STRING

KEPT = """
import sys
from firesteel.kernels import warm, json_values
warm.MODULES = ("json_values",)
print(warm.is_kept("json_values"))
list(warm.load_kept())
before = len(json_values.texts_size.signatures)
warm.compile_all()
stats = json_values.texts_size.stats
print(before, sum(stats.cache_hits.values()), sum(stats.cache_misses.values()))
"""


@pytest.mark.slow
def test_what_was_compiled_is_loaded_by_the_next_process(tmp_path: Path) -> None:
    environment = {**os.environ, "FIRESTEEL_CACHE_DIR": str(tmp_path)}
    answers = [
        subprocess.run(
            [sys.executable, "-c", KEPT], env=environment, capture_output=True, text=True, check=True
        )
        for _ in range(2)
    ]
    assert [answer.stdout.split() for answer in answers] == [
        ["False", "0", "0", "1"],
        ["True", "1", "1", "0"],
    ]


def test_messages_need_no_kernel_that_is_not_warm() -> None:
    json_scan.warm()
    json_values.warm()
    kernels = (json_scan.scan, json_values.copy_texts, json_values.read_integers, json_values.find_words)
    before = [len(kernel.signatures) for kernel in kernels]  # type: ignore[attr-defined]
    line = b'{"data":[{"a":"1","b":"x\\n"}],"old":null,"type":"INSERT"}\n'
    fields = Fields(("a", "b"), (INT, STRING), ("a", "b"), (INT, STRING))
    decoder = find_format("canal-json").decoder(fields, {})
    of_kinds = [pa.array([line] * 100, pa.binary()), pa.array([line, None] * 100, pa.binary())]
    offsets = pa.py_buffer(np.arange(101, dtype=np.int32) * len(line))
    of_kinds.append(
        pa.Array.from_buffers(pa.binary(), 100, [None, offsets, pa.py_buffer(bytearray(line * 100))])
    )
    for messages in of_kinds:
        assert decoder.decode(messages)[0].num_rows == 100
    assert [len(kernel.signatures) for kernel in kernels] == before  # type: ignore[attr-defined]


def test_without_a_folder_kernels_are_compiled_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    def none() -> Path:
        raise RuntimeError("no home")

    monkeypatch.setattr(compiler, "_folder", none)
    assert compiler.compiled(_twice)(4) == 8
    assert not compiler.is_kept("json_scan")


def test_kernels_do_without_the_private_option(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiler, "_LEAN", {})
    assert compiler.compiled(_twice)(4) == 8


def _twice(number: int) -> int:
    return 2 * number


def test_what_nobody_used_for_long_is_forgotten(tmp_path: Path) -> None:
    for name, age in (("old", 100.0), ("new", 0.0)):
        (tmp_path / name / "below").mkdir(parents=True)
        os.utime(tmp_path / name, (time.time() - age,) * 2)
    forget_unused(tmp_path.iterdir(), 50.0)
    assert [each.name for each in tmp_path.iterdir()] == ["new"]
