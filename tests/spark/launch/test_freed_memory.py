"""Workers return freed memory to the system between two tasks."""

from __future__ import annotations

import subprocess
import sys

import pytest

_PROCESS = """
import gc
from firesteel.spark.launch.freed_memory import resident, return_after_tasks

assert return_after_tasks(64 << 20)
kept = []
for _ in range(200):
    large, small = bytes(range(256)) * 4096, bytes(range(64)) * 16
    kept.append((large, small))
kept = [small for _, small in kept]
del large
before = resident()
gc.collect(%s)
print(before - resident())
"""


@pytest.mark.skipif(sys.platform != "linux", reason="malloc_trim belongs to glibc")
@pytest.mark.parametrize(("generation", "returns"), [("", True), ("0", False)])
def test_free_memory_is_returned_after_a_full_collection(generation: str, returns: bool) -> None:
    """200 blocks of 1 MB between small ones that stay in use, with a worker's settings of malloc."""
    from firesteel.spark.launch.settings import _ALLOCATOR

    process = [sys.executable, "-c", _PROCESS % generation]
    done = subprocess.run(process, env=_ALLOCATOR, capture_output=True, text=True, check=True)
    assert (int(done.stdout) > 100 << 20) == returns
