"""Output of a JVM, forwarded to stderr line by line, by default without stack traces."""

from __future__ import annotations

import re
import threading
from collections import deque
from collections.abc import Iterator
from typing import IO

from firesteel.notices import say

_CHATTER = (
    "Starting Streaming TransformWithState",
    "Streaming TransformWithState",
    "WARNING: Using incubator modules",
)
"""Beginnings of lines that are dropped. pyspark's processes or spark-submit print them in every run."""
_FRAME = re.compile(r"\s+at \S.*\(.*\)|\s+\.\.\. \d+ (more|common frames omitted)|Caused by: .*")
_TRACEBACK = "Traceback (most recent call last):"
_ENDED = ("BrokenPipeError", "ConnectionResetError", "EOFError")
"""Errors that pyspark's daemon prints if the JVM ends before a Python worker. Their lines are dropped.

Firesteel's own daemon suppresses them (spark/start/ended_peers.py).
"""
_LAST_LINES = 20


class JvmOutput:
    """Thread that forwards a JVM's output to stderr, so that the JVM needs not have this process's stderr.

    Args:
        stream: The output.
        shows_traces: Whether to forward stack traces, too.
        holds: Whether to forward nothing before `forward` is called. Output before that call is not printed,
            but `last_words` returns its last lines.
    """

    def __init__(self, stream: IO[bytes], *, shows_traces: bool = False, holds: bool = False) -> None:
        self._stream = stream
        self._shows_traces = shows_traces
        self._holds = holds
        self._last: deque[str] = deque(maxlen=_LAST_LINES)
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def forward(self) -> None:
        """Forward all lines from now on."""
        self._holds = False

    def last_words(self) -> str:
        """Return the last lines of output of a JVM that has ended, "" if there is none."""
        self._thread.join(1)
        return " / ".join(self._last)

    def _run(self) -> None:
        for line in self._lines():
            self._last.append(line.strip())
            if not self._holds:
                say(line)

    def _lines(self) -> Iterator[str]:
        lines = (raw.decode(errors="replace").rstrip() for raw in self._stream)
        shown = lines if self._shows_traces else without_traces(lines)
        return (line for line in shown if line and not line.startswith(_CHATTER))


def without_traces(lines: Iterator[str]) -> Iterator[str]:
    """Yield the lines without the frames of Java's and Python's stack traces.

    The error's own line stays, unless it says that the process at the other end has ended.
    """
    is_inside = False  # True in a Python traceback: its frames are indented, its last line is not
    for line in lines:
        if line.startswith(_TRACEBACK):
            is_inside = True
        elif is_inside and line.startswith(" "):
            continue
        elif is_inside and line.startswith(_ENDED):
            is_inside = False
        else:
            is_inside = False
            if not _FRAME.fullmatch(line):
                yield line
