"""Log as JSON (`--log-format json`): one object a line on stderr, for programs that collect logs.

Each line has `time`, `level`, `event` and the fields of the event. Events are `progress`, `error`, `notice`,
`restart`, `stopped`, `ui` with the address of the web page, and `log` for lines that other software writes
(stderr_lines.py).
"""

from __future__ import annotations

import json
import sys
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any, TextIO

from firesteel.errors import FiresteelError
from firesteel.sensitive import without_secrets

if TYPE_CHECKING:
    from firesteel.spark.progress import Progress

OPTION = "--log-format"


def is_wanted(arguments: list[str]) -> bool:
    """Return whether a command line has `--log-format json` or `--log-format=json`.

    The function only compares words, because errors that come before the command line is parsed, or while it
    is parsed, have to be JSON, too.
    """
    if f"{OPTION}=json" in arguments:
        return True
    at = arguments.index(OPTION) if OPTION in arguments else len(arguments)
    return arguments[at + 1 : at + 2] == ["json"]


def tell(event: str, level: str = "INFO", out: TextIO | None = None, **said: Any) -> None:
    """Print the line of an event.

    Args:
        event: Name of the event.
        level: Log level.
        out: Stream to print to. None: stderr.
        **said: Fields of the event. Fields that are None are omitted.
    """
    print(f"{line_of(event, level, **said)}\n", end="", file=out or sys.stderr, flush=True)


def line_of(event: str, level: str = "INFO", **said: Any) -> str:
    """Return the line of an event as JSON."""
    now = datetime.now(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    line = {"time": now, "level": level, "event": event}
    line |= {key: value for key, value in said.items() if value is not None}
    return json.dumps(line, ensure_ascii=False, default=str)


def tell_progress(seconds: float, progress: Progress | None, out: TextIO | None = None) -> None:
    """Print the progress of a statement's job as one line."""
    from firesteel.jobs.json_form import values

    numbers: dict[str, Any] = {} if progress is None else values(progress)
    numbers.pop("running_seconds", None)
    phase = None if progress is None else progress.phase or None
    lags = {} if progress is None else progress.lags
    numbers["lag_messages"] = {
        f"{topic}-{number}": lag for (topic, number), lag in sorted(lags.items())
    } or None
    numbers["records_skipped_by_cause"] = (progress and dict(progress.skip_causes)) or None
    tell("progress", out=out, running_seconds=round(seconds, 1), phase=phase, **numbers)


def tell_error(error: FiresteelError, trace: str | None = None) -> None:
    """Print the error that ended the command as one line, with its position in the script."""
    line = column = None
    if error.range is not None and error.sql is not None:
        line, column = error.range.line_and_column(error.sql)
    message = error.message if error.sql is None else without_secrets(error.message, error.sql)
    said: dict[str, Any] = {
        "type": type(error).__name__,
        "message": message,
        "hint": error.hint,
        "trace": trace,
    }
    tell("error", "ERROR", exit_status=error.exit_status, line=line, column=column, **said)
