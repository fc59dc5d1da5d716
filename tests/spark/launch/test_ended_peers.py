"""pyspark prints no traceback for a process at the other end that has ended, and all others."""

from __future__ import annotations

import socket
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from pyspark import SparkContext, accumulators

from firesteel.spark.start.ended_peers import quiet_counters


@pytest.mark.parametrize("error", ["BrokenPipeError()", "EOFError()", "ValueError('told')"])
@pytest.mark.parametrize("is_caught", [True, False], ids=["caught", "not caught"])
def test_a_worker_prints_what_is_no_ended_jvm(error: str, is_caught: bool, tmp_path: Path) -> None:
    file = tmp_path / "worker_of_a_test.py"
    caught = "import traceback\ntry:\n    {}\nexcept BaseException:\n    traceback.print_exc()"
    file.write_text((caught if is_caught else "{}").format(f"raise {error}"))
    script = f"import sys; sys.path.insert(0, {str(tmp_path)!r}); sys.argv = ['-m', {file.stem!r}]\n"
    script += "from firesteel.spark.launch.daemon import run_module; run_module()"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.stderr.splitlines()[-1:] == (["ValueError: told"] if "told" in error else [])


def said_of(sent: bytes, folder: Path, capfd: pytest.CaptureFixture[str]) -> str:
    """What the driver says of a JVM that sends something and ends."""
    make: Any = accumulators.AccumulatorUnixServer
    server = make(str(folder / "socket"), accumulators.UpdateRequestHandler)
    quiet_counters(cast("SparkContext", SimpleNamespace(_accumulatorServer=server)))
    with socket.socket(socket.AF_UNIX) as jvm:
        jvm.connect(server.server_address)
        jvm.sendall(sent)
    server.handle_request()
    server.server_close()
    (folder / "socket").unlink()
    return capfd.readouterr().err


def test_the_driver_is_quiet_when_the_jvm_ends(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert said_of(b"", tmp_path, capfd) == ""
    assert said_of(b"\0\0\0\0", tmp_path, capfd) == ""
    assert "UnpicklingError" in said_of(b"\0\0\0\1\0\0\0\3abc", tmp_path, capfd)
