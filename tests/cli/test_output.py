"""Where the output cannot be written: a full disk, a reader that has gone."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest

from firesteel.cli.report import as_firesteel_error
from firesteel.errors import InternalError

SCRIPT = """
CREATE TABLE t (a INT) WITH ('connector' = 'datagen', 'number-of-rows' = '1');
SELECT a FROM t;
"""


def explained(folder: Path, stdout: int) -> subprocess.CompletedProcess[str]:
    """`firesteel explain`, which needs no Spark, with that as its standard output."""
    script = folder / "job.sql"
    script.write_text(SCRIPT)
    command = [sys.executable, "-m", "firesteel.cli.main", "explain", str(script)]
    return subprocess.run(command, stdout=stdout, stderr=subprocess.PIPE, text=True, check=False)


def test_a_full_disk_is_one_line(tmp_path: Path) -> None:
    full = os.open("/dev/full", os.O_WRONLY)
    done = explained(tmp_path, full)
    os.close(full)
    assert (done.returncode, done.stderr) == (
        1,
        "error: the output cannot be written: No space left on device\n",
    )


def test_a_reader_that_has_gone_is_no_error(tmp_path: Path) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    done = explained(tmp_path, writer)
    os.close(writer)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_reader_of_a_help_text_that_has_gone_is_no_error() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    command = [sys.executable, "-m", "firesteel.cli.main", "run", "--help"]
    done = subprocess.run(command, stdout=writer, stderr=subprocess.PIPE, text=True, check=False)
    os.close(writer)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("name", [None, "/a/file"])
def test_only_a_stream_is_the_output(name: str | None) -> None:
    error = as_firesteel_error(OSError(errno.ENOSPC, "No space left on device", name))
    assert isinstance(error, InternalError) == (name is not None)
