"""Setting that keeps NumPy from AVX-512 on processors where it is slow.

It must be set before NumPy is loaded.

NumPy sorts numbers with AVX-512 if the processor has it. On AMD's Zen 4, the compressed store in its
partition step takes over a hundred cycles, and the sort takes four times as long as with AVX2
(https://github.com/numpy/x86-simd-sort/issues/6). Little else in NumPy gains from AVX-512 there. Finding keys
relies on sorting and takes half as long without AVX-512 (benchmarks/kernels.py).
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

_LEFT_OUT = "NPY_DISABLE_CPU_FEATURES"
_CHOSEN = (_LEFT_OUT, "NPY_ENABLE_CPU_FEATURES")
_AVX512 = "X86_V4 AVX512_SKX"
"""NumPy's names for AVX-512, from 2.4 on and before. NumPy ignores names that it does not know."""
_PROCESSORS = Path("/proc/cpuinfo")
_ONE = 4096
"""Bytes to read of /proc/cpuinfo: enough for its first processor. It may describe hundreds of them."""


def spare_slow_sorts(processors: Path = _PROCESSORS) -> None:
    """Disable AVX-512 in NumPy if it is slow on this processor.

    Nothing is changed if the user has set one of NumPy's variables for processor features (_CHOSEN), if NumPy
    is loaded already, or if there is no file `processors`, in which Linux describes the processors.
    """
    if "numpy" in sys.modules or any(name in os.environ for name in _CHOSEN):
        return
    try:
        with processors.open("rb") as stream:
            first = stream.read(_ONE).decode("ascii", "replace")
    except OSError:
        return
    if is_zen4(first):
        os.environ[_LEFT_OUT] = _AVX512


def is_zen4(processor: str) -> bool:
    """Return whether a processor is AMD's family 25 (Zen 3 and 4) with AVX-512, which Zen 3 lacks."""
    pairs = (line.partition(":") for line in processor.splitlines())
    said = {name.strip(): value.strip() for name, _, value in reversed(list(pairs))}
    maker = said.get("vendor_id"), said.get("cpu family")
    return maker == ("AuthenticAMD", "25") and "avx512f" in said.get("flags", "").split()
