"""Payloads of packets in files of this machine, for tasks that send more data than fits in memory."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path

_PREFIX = b"stored payload 1\n"
"""Prefix of a reference as bytes. No other payload begins with it: Arrow's streams begin with 0xFF."""


@dataclass(frozen=True)
class StoredPayload:
    """Reference to a payload in a file.

    Attributes:
        path: The file.
        start: Number of bytes before the payload.
        length: Number of its bytes.
    """

    path: str
    start: int
    length: int

    def read(self) -> bytes:
        """Return the payload.

        Raises:
            OSError: The file is not there or cannot be read.
            EOFError: The file ends before the payload does.
        """
        with Path(self.path).open("rb", buffering=0) as file:
            payload = os.pread(file.fileno(), self.length, self.start)
        if len(payload) < self.length:
            raise EOFError(f"{self.path} ends at {self.start + len(payload)} bytes")
        return payload

    def to_bytes(self) -> bytes:
        """Return this reference as bytes, which are sent in place of the payload."""
        return _PREFIX + json.dumps(asdict(self)).encode()

    @classmethod
    def from_bytes(cls, data: bytes) -> StoredPayload | None:
        """Return the reference that `to_bytes` wrote, None if the bytes are a payload."""
        if not data.startswith(_PREFIX):
            return None
        return cls(**json.loads(data[len(_PREFIX) :]))
