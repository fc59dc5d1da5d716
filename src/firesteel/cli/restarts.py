"""The line about a restart of a job, on stderr."""

from __future__ import annotations

import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from firesteel.session.restart.supervisor import Restart


def tell_restart(restart: Restart, *, as_json: bool) -> None:
    """Write a line about a coming restart to stderr. If the terminal is gone, write nothing.

    Args:
        restart: The restart. After this call, the supervisor waits for `restart.wait` milliseconds, and then
            starts the job again.
        as_json: Whether the line is a JSON object.
    """
    from firesteel.cli.json_logs import tell
    from firesteel.cli.progress import now

    with suppress(OSError):
        if as_json:
            said: dict[str, Any] = {
                "attempt": restart.attempt,
                "wait_seconds": restart.wait / 1000,
                "cause": restart.cause,
            }
            tell("restart", "WARN", message=str(restart), **said)
        else:
            line = str(restart) if sys.stderr.isatty() else f"{now()} {restart}"
            print(line, file=sys.stderr, flush=True)
