"""Owner of a checkpoint: the process that has locked it.

The functions describe this process as an owner, read and show an owner, and check whether it has ended.
"""

from __future__ import annotations

import json
import os
import socket
import time
import uuid
from contextlib import suppress
from pathlib import Path
from typing import Any

from firesteel.errors import JobError, UsageError
from firesteel.notices import say

BEAT_SECONDS, LEASE_SECONDS = 5.0, 30.0
"""Seconds between two heartbeats of an owner, and seconds without one after which it counts as ended."""
HINT = "stop it (STOP JOB in a shell) or wait; another job needs a checkpoint folder of its own"
RELEASED = "released"

Owner = dict[str, Any]
"""Owner of a checkpoint, as the JSON of its lock file.

    pid, host     ID of the process, and name of its host
    since         time at which the process took the lock
    machine       identifier of the running kernel (`machine`)
    name          unique name of the run
    number        number of the owner: each later owner of the checkpoint has a higher one
    released      true after the run has released the checkpoint
"""


class ShutOutError(JobError):
    """Another run has taken over the checkpoint, because this run had no heartbeat for LEASE_SECONDS."""

    restarts = False


def this_run() -> Owner:
    """Return this process as the owner of a checkpoint, with a new unique name."""
    return {
        "pid": os.getpid(),
        "host": socket.gethostname(),
        "since": time.strftime("%Y-%m-%d %H:%M:%S %z"),
        "machine": machine(),
        "name": uuid.uuid4().hex,
    }


def read_owner(text: str | bytes | None) -> Owner:
    """Return the owner that a file names; empty if it names none, or cannot be read."""
    try:
        found = json.loads(text or "{}")
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def shown(owner: Owner) -> str:
    """Return a description of an owner for messages."""
    if "pid" not in owner:
        return "another run"
    return f"process {owner['pid']} on {owner.get('host')} since {owner.get('since')}"


def in_use(folder: object, owner: Owner, more: str = "") -> UsageError:
    """Return the error for a run whose checkpoint another run uses. Its text is the owner, then `more`."""
    return UsageError(f"the checkpoint {folder} is in use by {shown(owner)}{more}", hint=HINT)


def shut_out(folder: object, owner: Owner) -> ShutOutError:
    """Return the error for a run whose checkpoint `owner` has taken over."""
    return ShutOutError(
        f"the checkpoint {folder} was taken over by {shown(owner)}: this run had not been heard of for "
        f"{LEASE_SECONDS:.0f} s, so it stops",
        hint="the other run goes on with the work. Look why this one stood still: a suspended machine or "
        "container, or a file system that did not answer",
    )


def has_ended(owner: Owner) -> bool:
    """Return whether an owner's process is known to have ended: False for each process of another machine."""
    return owner.get("machine") == machine() and not _is_running(owner.get("pid"))


def machine() -> str:
    """Return an identifier of the running kernel. All containers of a machine have the same one."""
    with suppress(OSError):
        return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    return f"{uuid.getnode():x}"


def say_taken_over(folder: object, owner: Owner) -> None:
    """Print, once for each owner, that this run takes over the checkpoint of an owner that ended."""
    text = shown(owner)
    if text not in _reported:
        _reported.add(text)
        say(f"taking over the checkpoint {folder} from {text}, which ended without closing it")


_reported: set[str] = set()
"""Owners, as text, already reported. The locks of a command and of its statements name the same owner."""


def _is_running(pid: Any) -> bool:
    try:
        os.kill(int(pid), 0)
    except (ProcessLookupError, TypeError, ValueError):
        return False
    except OSError:
        return True
    return True
