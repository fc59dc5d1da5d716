"""What another user of the machine tries, who knows everything but the secrets.

usage: python -m tests.security.attacker < TARGETS

TARGETS is JSON: `tcp` (ports), `unix` (paths), `private` (files and folders), `code` (files that are run).
Prints as JSON, for each list, what was reached: (target, how).
"""

from __future__ import annotations

import encodings.idna  # noqa: F401 - `nobody` cannot load it later
import json
import os
import socket
import struct
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

NOBODY = 65534
_SECONDS = 2.0
_AT_ONCE = 16
_REFUSALS = (
    *(b"Expected SaslMessage", b"Authentication error", b"Unknown command received"),
    *(b"Stream '/files/x' was not found", b"OneForOneStreamManager.parseStreamChunkId"),
)
"""What Spark and py4j say that they give nothing. There is no file of the name."""
_RPC_REQUEST, _RPC_RESPONSE, _STREAM_REQUEST, _STREAM_RESPONSE = 3, 4, 6, 7


def _text(value: str) -> bytes:
    return struct.pack(">i", len(value)) + value.encode()


def _frame(kind: int, head: bytes, body: bytes = b"") -> bytes:
    return struct.pack(">qb", 9 + len(head) + len(body), kind) + head + body


def _request(body: bytes) -> bytes:
    return _frame(_RPC_REQUEST, struct.pack(">qi", 7, len(body)), body)


_OPEN_BLOCKS = b"\0" + _text("app") + _text("driver") + struct.pack(">i", 1) + _text("broadcast_0_piece0")
_PROBES = {
    "py4j reads a name": b"r\nu\njava.lang.System\nrj\ne\n",
    "py4j calls back": b"c\np0\ncall\ne\n",
    "Spark gives a block": _request(_OPEN_BLOCKS),
    "Spark takes a message": _request(
        b"\0" + b"\0" + struct.pack(">h", 1) + b"x" + b"\xac\xed\x00\x05t\x00\x01x"
    ),
    "Spark gives a file": _frame(_STREAM_REQUEST, _text("/files/x")),
    "it says something by itself": b"",
    "HTTP": b"GET / HTTP/1.0\r\n\r\n",
}


def _answer(port: int, probe: bytes) -> bytes:
    said = b""
    with suppress(OSError), socket.create_connection(("127.0.0.1", port), 30) as connection:
        connection.settimeout(_SECONDS / 4 if not probe else _SECONDS)
        with suppress(OSError):
            connection.sendall(probe)
            while len(said) < 1 << 16 and (more := connection.recv(1 << 16)):
                said += more
    return said


def tcp(port: int) -> Iterator[str]:
    """Yield what a port answers, except that it refuses. Some answer one connection after another."""
    for what, probe in _PROBES.items():
        said = _answer(port, probe)
        if said and not any(word in said for word in _REFUSALS):
            yield f"{what}: {said[:500]!r}"


def unix(path: str) -> Iterator[str]:
    """Yield that a socket can be connected to."""
    if path.startswith("@"):
        yield "it has a name that everybody can reach"
    with socket.socket(socket.AF_UNIX) as connection, suppress(OSError):
        connection.connect(path)
        yield "connected"


def private(name: str) -> Iterator[str]:
    """Yield how a file or a folder can be read or written."""
    path = Path(name)
    with suppress(OSError):
        yield f"read: {list(path.iterdir()) if path.is_dir() else path.read_bytes()[:20]!r}"
    yield from code(name)


def code(name: str) -> Iterator[str]:
    """Yield how a file can be written or replaced."""
    path = Path(name)
    with suppress(OSError):
        if os.access(path, os.W_OK):
            yield "it can be written"
        if os.access(path.parent, os.W_OK) and not path.parent.stat().st_mode & 0o1000:
            yield "its folder can be written"


def _reached(attempt: Callable[[Any], Iterator[str]], targets: list[Any]) -> list[tuple[object, str]]:
    """Try all targets at once: most ports say nothing for seconds."""
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        ways = pool.map(lambda target: [*attempt(target)], targets)
        return [(target, how) for target, hows in zip(targets, ways, strict=True) for how in hows]


def main() -> None:
    targets = json.load(sys.stdin)
    os.setgroups([])
    os.setgid(NOBODY)
    os.setuid(NOBODY)
    attempts = {"tcp": tcp, "unix": unix, "private": private, "code": code}
    reached = {kind: _reached(attempt, targets[kind]) for kind, attempt in attempts.items()}
    json.dump(reached, sys.stdout)


if __name__ == "__main__":
    main()
