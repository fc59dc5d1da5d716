"""What the processes of a job have open, as Linux tells it in /proc."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

LISTENING = "0A"
_ACCEPTS = 0x10000
"""The flag of a Unix socket that listens (linux/net.h: SO_ACCEPTCON)."""


@dataclass(frozen=True)
class Listener:
    """A socket that listens.

    Attributes:
        process: `driver`, `JVM`, or `Python` for the processes that Spark and Firesteel start.
        kind: `tcp`, `udp` or `unix`.
        address: An address in hexadecimal as /proc has it, or a path.
        port: Of tcp and udp, else 0.
    """

    process: str
    kind: str
    address: str
    port: int = 0

    def as_dict(self) -> dict[str, object]:
        return asdict(self)


def tree(process: int) -> list[int]:
    """Return the process and all that it has started, and these, in turn."""
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with suppress(OSError):
                parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
                children.setdefault(parent, []).append(int(entry.name))
    found = [process]
    for one in found:
        found += children.get(one, [])
    return found


def command_line(process: int) -> str:
    with suppress(OSError):
        return Path(f"/proc/{process}/cmdline").read_text().replace("\0", " ")
    return ""


def listeners(job: int) -> set[Listener]:
    """Return all sockets on which processes of a job listen."""
    owners: dict[str, str] = {}
    for process in tree(job):
        kind = (
            "driver"
            if process == job
            else "JVM"
            if "java" in command_line(process).split(" ")[0]
            else "Python"
        )
        for target in _open(process):
            if inode := re.fullmatch(r"socket:\[(\d+)\]", target):
                owners[inode[1]] = min(kind, owners.get(inode[1], kind))
    return set(_internet(job, owners)) | set(_unix(job, owners))


def _internet(job: int, owners: dict[str, str]) -> Iterator[Listener]:
    for name in ("tcp", "tcp6", "udp", "udp6"):
        for line in _lines(f"/proc/{job}/net/{name}"):
            _, local, _, state, *rest = line.split()
            address, _, port = local.rpartition(":")
            if rest[5] in owners and (state == LISTENING or name.startswith("udp")):
                yield Listener(owners[rest[5]], name[:3], address, int(port, 16))


def _unix(job: int, owners: dict[str, str]) -> Iterator[Listener]:
    for line in _lines(f"/proc/{job}/net/unix"):
        _, _, _, flags, _, _, inode, *path = line.split(maxsplit=7)
        if inode in owners and int(flags, 16) & _ACCEPTS:
            yield Listener(owners[inode], "unix", path[0] if path else "")


def open_files(job: int) -> set[str]:
    """Return the paths of all files that processes of a job have open or mapped."""
    found: set[str] = set()
    for process in tree(job):
        found.update(_open(process))
        with suppress(OSError):
            for line in _lines(f"/proc/{process}/maps", heads=0):
                found.add(line.split(maxsplit=5)[-1])
    return {path for path in found if path.startswith("/") and Path(path).exists()}


def _open(process: int) -> Iterator[str]:
    with suppress(OSError):
        for entry in Path(f"/proc/{process}/fd").iterdir():
            with suppress(OSError):
                yield str(entry.readlink())


def _lines(path: str, heads: int = 1) -> list[str]:
    return Path(path).read_text().splitlines()[heads:]
