"""A terminal that a test types into."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import signal
import struct
import termios
import time
from collections.abc import Mapping, Sequence
from types import TracebackType

SECONDS = 240.0


class Terminal:
    """Runs a command under a pseudo-terminal of its own; `seen`: what it showed since the last `type`."""

    def __init__(self, command: Sequence[str], environment: Mapping[str, str]) -> None:
        self._pid, self._fd = pty.fork()
        if self._pid == 0:
            for number in (signal.SIGINT, signal.SIGHUP):  # a shell in the background, or nohup, ignores them
                signal.signal(number, signal.SIG_DFL)
            os.execvpe(command[0], list(command), {**os.environ, **environment})
        self.seen = ""

    def type(self, text: str) -> None:
        self.seen = ""
        os.write(self._fd, text.encode())

    def wait_for(self, text: str) -> str:
        """Until the text is shown; what was seen by then. Raises AssertionError after a while."""
        end = time.monotonic() + SECONDS
        while text not in self.seen:
            left = end - time.monotonic()
            assert left > 0, f"no {text!r} in {self.seen[-3000:]!r}"
            if select.select([self._fd], [], [], left)[0]:
                self.seen += self._read()
        return self.seen

    def press_until(self, key: str, text: str) -> None:
        """Press the key, again each second, until the text is shown. Raises AssertionError after a while.

        For Ctrl-C while Python's readline waits: one that comes between its look at the signals and its
        wait for a key is kept until the next key.
        """
        self.type(key)
        end = time.monotonic() + SECONDS
        while text not in self.seen:
            assert time.monotonic() < end, f"no {text!r} in {self.seen[-3000:]!r}"
            if select.select([self._fd], [], [], 1.0)[0]:
                self.seen += self._read()
            else:
                os.write(self._fd, key.encode())

    def resize(self, columns: int, rows: int) -> None:
        """Set the size of the terminal."""
        fcntl.ioctl(self._fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def rest(self, seconds: float) -> str:
        """Return what is shown until nothing comes for some seconds."""
        found = ""
        while select.select([self._fd], [], [], seconds)[0] and (data := self._read()):
            found += data
        return found

    def end(self) -> int:
        """Wait for the command's end; its exit status."""
        while data := self._read():
            self.seen += data
        status, self._pid = os.waitpid(self._pid, 0)[1], 0
        return os.waitstatus_to_exitcode(status)

    def _read(self) -> str:
        try:
            return os.read(self._fd, 1 << 16).decode(errors="replace")
        except OSError:  # Linux says EIO when the last writer has gone
            return ""

    def __enter__(self) -> Terminal:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._pid:
            os.kill(self._pid, 9)
            os.waitpid(self._pid, 0)
        os.close(self._fd)
