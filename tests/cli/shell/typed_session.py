"""A shell that a test types into, in a terminal without colors, and a Spark whose start the test holds."""

from __future__ import annotations

import fcntl
import os
import re
import struct
import sys
import termios
from pathlib import Path
from types import TracebackType

from firesteel.cache_folder import cache_folder
from tests.cli.terminal import Terminal

PROGRAM = """
import os, sys
from firesteel.cli.main import main
from firesteel.session import planning

optimize = planning.optimize_all

def optimize_later(*given, **named):
    if os.path.exists("held"):
        print("The plan is held.", flush=True)
        open("held").read()
    return optimize(*given, **named)

planning.optimize_all = optimize_later
sys.exit(main())
"""
"""The command, but the planner waits while there is a pipe `held` in the current folder."""
PROMPT = "Firesteel SQL>"
_COLOR = re.compile("\x1b\\[[0-9;]*3[0-7]m")

Step = tuple[str, str]
"""Keys, and the text that is shown before the next keys are typed."""


class HeldSpark:
    """A Spark that does not start before it is released: `java` reads its arguments from a pipe, too.

    Args:
        folder: Folder for the pipe.
    """

    def __init__(self, folder: Path) -> None:
        self._file = folder / "java-arguments"
        os.mkfifo(self._file)
        self.environment = {"JDK_JAVA_OPTIONS": f"@{self._file}"}
        self._writer = os.open(self._file, os.O_RDWR)

    def release(self) -> None:
        """End the arguments, which are none. If the start is tried again, `java` reads an empty file."""
        self._file.unlink()
        self._file.touch()
        os.close(self._writer)


class TypedSession:
    """A shell, and the number of inputs that were typed into it.

    Args:
        home: Home folder of the user.
        columns: Width of the terminal.
        environment: More environment variables.
    """

    def __init__(self, home: Path, columns: int, environment: dict[str, str] | None = None) -> None:
        fixed = {"HOME": str(home), "TERM": "xterm", "PROMPT_TOOLKIT_NO_CPR": "1", "NO_COLOR": "1"}
        shared = {"FIRESTEEL_CACHE_DIR": str(cache_folder())}
        self._terminal = Terminal(
            [sys.executable, "-c", PROGRAM, "shell"], {**fixed, **shared, **(environment or {})}
        )
        self.inputs = 0
        self.resize(columns)

    def resize(self, columns: int) -> None:
        size = struct.pack("HHHH", 24, columns, 0, 0)
        fcntl.ioctl(self._terminal._fd, termios.TIOCSWINSZ, size)

    def press(self, key: str) -> None:
        """Press a key, and wait for nothing."""
        self._terminal.type(key)

    def type(self, *steps: Step) -> str:
        """Type an input in one or more steps, wait for the prompt behind it, and return what was seen."""
        self.inputs += 1
        seen = ""
        *first, (last_keys, last_shown) = steps
        for keys, shown in first:
            self._terminal.type(keys)
            seen += self._terminal.wait_for(shown)
        self._terminal.type(last_keys)
        return seen + self.until_prompt(last_shown)

    def until_prompt(self, shown: str = PROMPT) -> str:
        """Wait for a text and the prompt at it or behind it. Return what was seen since the last keys."""
        seen = self._terminal.wait_for(shown)
        if PROMPT not in seen[seen.rindex(shown) :]:
            self._terminal.seen = seen[seen.rindex(shown) :]
            seen += self._terminal.wait_for(PROMPT)
        assert "Traceback" not in seen
        assert not _COLOR.search(seen)
        return seen

    def leave(self, *steps: Step) -> int:
        """Type the last input, and return the exit status of the shell."""
        self.inputs += 1
        for keys, shown in steps:
            self._terminal.type(keys)
            if shown:
                self._terminal.wait_for(shown)
        return self._terminal.end()

    def __enter__(self) -> TypedSession:
        self._terminal.__enter__()
        self.until_prompt()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._terminal.__exit__(kind, error, trace)
