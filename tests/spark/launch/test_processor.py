"""NumPy's sorts on processors whose AVX-512 slows them down."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ZEN4 = "processor\t: 0\nvendor_id\t: AuthenticAMD\ncpu family\t: 25\nflags\t\t: fpu avx2 avx512f\n"
ZEN3 = ZEN4.replace(" avx512f", "")
ZEN5 = ZEN4.replace(": 25", ": 26")
INTEL = ZEN4.replace("AuthenticAMD", "GenuineIntel").replace(": 25", ": 6")
SCRIPT = """
import os, sys
from pathlib import Path
from firesteel.spark.launch.processor import spare_slow_sorts
spare_slow_sorts(Path(sys.argv[1]))
print(os.environ.get("NPY_DISABLE_CPU_FEATURES", ""))
import numpy as np
assert (np.sort(np.arange(100_000)[::-1]) == np.arange(100_000)).all()
"""


def left_out(processors: Path, **environment: str) -> str:
    """What a process leaves out that is told of these processors."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("NPY_")}
    command = [sys.executable, "-W", "error::RuntimeWarning", "-c", SCRIPT, str(processors)]
    done = subprocess.run(command, capture_output=True, text=True, env={**inherited, **environment})
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.mark.parametrize(
    ("described", "slow"),
    [(ZEN4, True), (ZEN4 + INTEL, True), (ZEN3, False), (ZEN5, False), (INTEL, False), ("", False)],
)
def test_it_is_left_out_where_it_is_slow(described: str, slow: bool, tmp_path: Path) -> None:
    processors = tmp_path / "cpuinfo"
    processors.write_text(described)
    assert ("X86_V4" in left_out(processors)) == slow


def test_the_daemon_asks_before_anything_loads_numpy() -> None:
    script = """
import sys
from firesteel.spark.launch import daemon, processor
def asked():
    print("numpy" in sys.modules)
processor.spare_slow_sorts = asked
daemon.prepare()
print("numpy" in sys.modules)
"""
    said = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert said.stdout.split() == ["False", "True"]


def test_nothing_is_known_of_other_systems(tmp_path: Path) -> None:
    assert left_out(tmp_path / "none") == ""


def test_what_the_user_chose_stays(tmp_path: Path) -> None:
    processors = tmp_path / "cpuinfo"
    processors.write_text(ZEN4)
    assert left_out(processors, NPY_DISABLE_CPU_FEATURES="AVX512_ICL") == "AVX512_ICL"
