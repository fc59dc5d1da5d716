"""What this machine's processor is slow at, told to NumPy before it is loaded.

NumPy sorts numbers with AVX-512 where there is such a thing. On AMD's Zen 4 the instruction that its
partition steps lean on (a compressed store) takes over a hundred cycles, and the sort four times as long as
with AVX2 (https://github.com/numpy/x86-simd-sort/issues/6); little else of NumPy gains by AVX-512 there.
Keys are found by sorting: that takes half as long without (benchmarks/kernels.py).
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

_LEFT_OUT = "NPY_DISABLE_CPU_FEATURES"
_CHOSEN = (_LEFT_OUT, "NPY_ENABLE_CPU_FEATURES")
_AVX512 = "X86_V4 AVX512_SKX"
"""NumPy's names for it, from 2.4 on and before; it passes over those that it does not know."""
_PROCESSORS = Path("/proc/cpuinfo")
_ONE = 4096
"""The first processor is described in so many bytes: there may be hundreds."""


def spare_slow_sorts(processors: Path = _PROCESSORS) -> None:
    """Have NumPy, not loaded yet, do without AVX-512 where that is slow, unless the environment says what it
    is to use. processors: as Linux describes them; elsewhere nothing is known."""
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
    """Whether a description is of AMD's family 25 (Zen 3 and 4) and names AVX-512, which Zen 3 has not."""
    pairs = (line.partition(":") for line in processor.splitlines())
    said = {name.strip(): value.strip() for name, _, value in reversed(list(pairs))}
    maker = said.get("vendor_id"), said.get("cpu family")
    return maker == ("AuthenticAMD", "25") and "avx512f" in said.get("flags", "").split()
