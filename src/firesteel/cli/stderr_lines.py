"""JSON for every line on stderr (`--log-format json`), whichever software writes it.

Spark's JVM, its Python workers and C libraries write to the file descriptor. The descriptor becomes a pipe,
and a thread writes each line that it reads from the pipe as JSON.
"""

from __future__ import annotations

import json
import os
import re
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from firesteel.cli.json_logs import line_of

_STDERR = 2
_END = b"\x00end of firesteel's log\x00"
_SPARKS = re.compile(r"(?:\d\S* \d\S* )?(TRACE|DEBUG|INFO|WARN|ERROR|FATAL) +([\w.$]+): (.*)")
"""Line of Spark's log, with or without a time: `24/05/01 12:30:05 WARN TaskSetManager: Lost task`."""
_WARNING = "warning: "
_TIME = '{"time": '


@contextmanager
def json_stderr() -> Iterator[None]:
    """Context in which each line written to stderr is converted to JSON."""
    sys.stderr.flush()
    real = os.dup(_STDERR)
    reader, writer = os.pipe()
    os.dup2(writer, _STDERR)
    os.close(writer)
    thread = threading.Thread(target=_forward, args=(reader, real), daemon=True)
    thread.start()
    try:
        yield
    finally:
        with suppress(OSError):
            sys.stderr.flush()
        os.write(_STDERR, b"\n" + _END + b"\n")  # ends the thread even if other processes hold the pipe open
        thread.join()
        os.dup2(real, _STDERR)
        os.close(real)


def _forward(reader: int, out: int) -> None:
    with os.fdopen(reader, "rb") as lines:
        for line in lines:
            if line.strip() == _END:
                return
            if text := line.decode(errors="replace").rstrip():
                with suppress(OSError):  # the reader of the log may be gone
                    os.write(out, as_json(text).encode() + b"\n")


def as_json(text: str) -> str:
    """Return a line as a JSON object. Return a JSON object that begins with the member `time` unchanged."""
    if text.startswith(_TIME):
        with suppress(ValueError):
            json.loads(text)
            return text
    if (sparks := _SPARKS.fullmatch(text)) is not None:
        level, logger, message = sparks.groups()
        return line_of("log", level, logger=logger, message=message)
    if text.startswith(_WARNING):
        return line_of("log", "WARN", message=text.removeprefix(_WARNING))
    return line_of("log", message=text)
