"""Kernels are compiled once, and what nobody uses any more goes."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from numpy.typing import NDArray

from firesteel.cache_folder import forget_unused
from firesteel.errors import InternalError
from firesteel.formats.base import Fields
from firesteel.formats.registry import find_format
from firesteel.kernels import compiler, objects
from firesteel.kernels.json import scan as json_scan
from firesteel.kernels.json import values as json_values
from firesteel.kernels.text import lines
from firesteel.types.sql import INT, STRING

pytestmark = pytest.mark.skipif(compiler.CHECKED, reason="checked kernels are not stored")

KEPT = """
import sys
from firesteel.kernels import warm
warm.MODULES = ("json.values",)
print(*sorted(set(warm.load_kept())))
warm.compile_all()
print("numba" in sys.modules)
"""


@pytest.mark.slow
def test_what_was_compiled_is_loaded_by_the_next_process_without_numba(tmp_path: Path) -> None:
    environment = {**os.environ, "FIRESTEEL_CACHE_DIR": str(tmp_path)}

    def answer() -> list[str]:
        command = [sys.executable, "-c", KEPT]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        return done.stdout.split()

    assert answer() == ["True"]
    every = [f"json.values.{name}" for name in ("copy_texts", "find_words", "read_integers", "texts_size")]
    assert answer() == [*every, "False"]
    damaged = next((tmp_path / "kernels").glob("*/*texts_size*"))
    damaged.write_bytes(damaged.read_bytes()[:-1])
    assert answer() == [*every, "True"]
    assert answer() == [*every, "False"]


def test_messages_need_no_kernel_that_is_not_warm() -> None:
    json_scan.warm()
    json_values.warm()
    kernels = (json_scan.scan, json_values.copy_texts, json_values.read_integers, json_values.find_words)
    before = [set(kernel.calls) for kernel in kernels]  # type: ignore[attr-defined]
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
    assert [set(kernel.calls) for kernel in kernels] == before  # type: ignore[attr-defined]


def test_without_a_folder_kernels_are_compiled_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    def none() -> Path:
        raise RuntimeError("no home")

    monkeypatch.setattr(objects, "_folder", none)
    assert compiler.compiled(lines.line_ends.function)(np.zeros(0, np.uint8), np.empty(0, np.int32)) == 0
    assert not list(objects.kept())


def test_kernels_do_without_undocumented_options(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiler, "_UNDOCUMENTED", {"nobody_has_it": True})
    assert compiler.compiled(_twice)(4) == 8


def test_what_a_kernel_takes_and_gives() -> None:
    kernel = compiler.compiled(_sums)
    grid = np.arange(6, dtype=np.int32).reshape(2, 3)
    halves = np.array([0.5, 0.25])
    assert kernel(grid, halves, True, -7) == (8, True)
    assert kernel(grid, halves, np.False_, np.int32(7)) == (22, False)
    assert halves.tolist() == [15.5, 15.25]
    assert kernel(grid[:0], halves[:0], True, 1) == (1, True)
    assert kernel(grid.astype(np.int64), halves, True, 1 << 62) == ((1 << 62) + 15, True)
    with pytest.raises(InternalError, match="gaps"):
        kernel(grid[:, ::2], halves, True, 1)


def test_kernels_are_named_by_their_whole_module() -> None:
    def copy_texts(number: int) -> None: ...

    copy_texts.__module__ = "firesteel.kernels.csv.values"
    other = compiler.Kernel(copy_texts)
    try:
        assert compiler.KERNELS["csv.values.copy_texts"] is other
        assert compiler.KERNELS["json.values.copy_texts"] is json_values.copy_texts
    finally:
        del compiler.KERNELS["csv.values.copy_texts"]


def test_every_source_of_a_kernel_is_in_the_name_of_the_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    below = tmp_path / "json" / "scan.py"
    below.parent.mkdir()
    below.write_text("1")
    monkeypatch.setattr(objects, "__file__", str(tmp_path / "objects.py"))
    first = objects._fingerprint()
    below.write_text("2")
    assert objects._fingerprint() != first


CHECKED = """
import numpy as np
from firesteel.kernels.compiler import compiled
from firesteel.kernels.words import byte_at, load_word, put
from firesteel.kernels.types import Integers

@compiled
def indexed(array: Integers, at: int) -> int:
    return array[at]

@compiled
def word(array: Integers, at: int) -> int:
    return np.int64(load_word(array, at))

@compiled
def byte(array: Integers, at: int) -> int:
    return byte_at(array, at)

@compiled
def stored(array: Integers, at: int) -> None:
    put(array, at, 7)

longs, octets = np.arange(10), np.arange(80, dtype=np.uint8)
for kernel, array, good, bad in (
    (indexed, longs, 9, 10), (word, octets, 72, 73), (word, octets, 0, -1), (byte, octets, 79, 80),
    (stored, longs, 9, 10),
):
    kernel(array, good)
    try:
        kernel(array, bad)
    except Exception as error:
        print(type(error).__name__)
"""


@pytest.mark.slow
def test_checked_kernels_raise_an_error_for_an_index_out_of_range() -> None:
    environment = {**os.environ, "FIRESTEEL_KERNELS": "checked"}
    command = [sys.executable, "-c", CHECKED]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["InternalError"] * 5


def test_threads_that_call_a_kernel_at_once_load_it_once(monkeypatch: pytest.MonkeyPatch) -> None:
    loaded: list[str] = []
    load = objects.loaded
    monkeypatch.setattr(objects, "loaded", lambda symbol, code: loaded.append(symbol) or load(symbol, code))
    kernel = compiler.compiled(_twice)
    with ThreadPoolExecutor(8) as threads:
        assert list(threads.map(kernel, range(64))) == [2 * number for number in range(64)]
    assert len(loaded) == 1


def test_a_kernel_that_needs_what_is_not_in_it_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiler, "_UNDOCUMENTED", {})
    with pytest.raises(InternalError, match=r"needs .*NRT_"):
        compiler.compiled(_makes_an_array)(4)
    with pytest.raises(InternalError, match=r"needs .*PyErr"):
        compiler.compiled(_raises)(4)


def _twice(number: int) -> int:
    return 2 * number


def _sums(grid: NDArray[np.int32], halves: NDArray[np.float64], flag: bool, number: int) -> tuple[int, bool]:
    total = number
    for row in range(grid.shape[0]):
        for column in range(grid.shape[1]):
            total += grid[row, column]
    if not flag:
        for row in range(len(halves)):
            halves[row] += 15
    return total, flag


def _makes_an_array(number: int) -> int:
    return len(np.zeros(number))


def _raises(number: int) -> None:
    if number > 7:
        raise ValueError


def test_what_nobody_used_for_long_is_forgotten(tmp_path: Path) -> None:
    for name, age in (("old", 100.0), ("new", 0.0)):
        (tmp_path / name / "below").mkdir(parents=True)
        os.utime(tmp_path / name, (time.time() - age,) * 2)
    forget_unused(tmp_path.iterdir(), 50.0)
    assert [each.name for each in tmp_path.iterdir()] == ["new"]
