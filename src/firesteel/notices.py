"""Notices on stderr for the user of a job. A stderr that is closed or not read does not end the job.

The `firesteel` command replaces its stderr by a stream that drops what cannot be written
(cli/standard_streams.py). In a user's own program, stderr is Python's, or None if the program runs as a
service. So `say` itself ignores errors when it writes.
"""

from __future__ import annotations

import sys
from contextlib import suppress


def say(text: str) -> None:
    """Print a line to stderr. It is dropped if it cannot be written.

    Args:
        text: The line, without its end.
    """
    if sys.stderr is None:  # print() would use stdout instead of None
        return
    with suppress(OSError, ValueError):  # a full disk, no reader, a closed file
        print(text, file=sys.stderr, flush=True)
