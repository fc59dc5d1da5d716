"""Lines on stderr for whoever runs a job. A closed stderr, or one that nobody reads, does not end the job.

The command also has its stderr drop what it cannot take (cli/standard_streams.py). A user's own program may
run without a stderr, for example as a service.
"""

from __future__ import annotations

import sys
from contextlib import suppress


def say(text: str) -> None:
    """Write a line to stderr. It is lost if it cannot be written.

    Args:
        text: The line, without its end.
    """
    if sys.stderr is None:  # print() would take None for stdout
        return
    with suppress(OSError, ValueError):  # a full disk, no reader, a closed file
        print(text, file=sys.stderr, flush=True)
