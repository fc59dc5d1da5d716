"""A JVM's output reaches stderr without stack traces, and is kept for the case that it does not start."""

from __future__ import annotations

import io
import os

import pytest

from firesteel.spark.launch.jvm_output import JvmOutput, without_traces

JAVA = """ERROR Executor: Exception in task 0.0
java.lang.IllegalStateException: no block
\tat org.apache.spark.storage.BlockManager.get(BlockManager.scala:12)
\tat java.base/java.lang.Thread.run(Thread.java:840)
Caused by: java.io.IOException: no disk
\t... 12 more
a line at the end (of a job)"""
PYTHON = """before
Traceback (most recent call last):
  File "daemon.py", line 3, in <module>
    raise ValueError("no")
ValueError: no
  an indented line after it"""
ENDED = """before
Traceback (most recent call last):
  File "daemon.py", line 218, in manager
    outfile.flush()
BrokenPipeError: [Errno 32] Broken pipe
BrokenPipeError: on its own"""


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        (
            JAVA,
            [
                "ERROR Executor: Exception in task 0.0",
                "java.lang.IllegalStateException: no block",
                "a line at the end (of a job)",
            ],
        ),
        (ENDED, ["before", "BrokenPipeError: on its own"]),
        (PYTHON, ["before", "ValueError: no", "  an indented line after it"]),
    ],
)
def test_frames_are_left_out(text: str, kept: list[str]) -> None:
    assert list(without_traces(iter(text.splitlines()))) == kept


@pytest.mark.parametrize("shows", [False, True])
def test_lines_are_forwarded(shows: bool, capsys: pytest.CaptureFixture[str]) -> None:
    text = f"WARNING: Using incubator modules: x\n\n{JAVA}\n"
    output = JvmOutput(io.BytesIO(text.encode()), shows_traces=shows)
    words = output.last_words()
    said = capsys.readouterr().err.splitlines()
    assert said == (JAVA.splitlines() if shows else list(without_traces(iter(JAVA.splitlines()))))
    assert words == " / ".join(line.strip() for line in said)


def test_what_is_held_is_not_forwarded_later(capsys: pytest.CaptureFixture[str]) -> None:
    reader, writer = os.pipe()
    output = JvmOutput(os.fdopen(reader, "rb"), holds=True)
    os.write(writer, b"Setting default log level\n")
    while not output._last:
        pass
    output.forward()
    os.write(writer, b"ERROR: a task failed\n")
    os.close(writer)
    assert output.last_words() == "Setting default log level / ERROR: a task failed"
    assert capsys.readouterr().err == "ERROR: a task failed\n"
