"""Install packages into a virtual environment: with uv, in a quarter of pip's time, or else with pip.

usage: python tools/install.py PYTHON ARGUMENT...

PYTHON is that of the environment, the arguments are those of `pip install`. uv is installed for the Python
that runs this tool.

uv does not read pip's settings. If they name another index, a proxy, or versions to take, pip installs. It
also does if uv cannot be installed or fails. Python compiles the packages at the first import.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Sequence

_DECIDES = re.compile(
    r"\.(index-url|extra-index-url|no-index|constraint|proxy|client-cert|only-binary|no-binary|pre)="
)
_PIP = ("-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-compile")
# With a cache, uv would keep 3 GB for the next environment.
_UV = ("-m", "uv", "pip", "install", "--quiet", "--no-cache", "--python")


def has_settings(python: str) -> bool:
    """Return whether settings of pip, in a file or in the environment, decide what is installed."""
    shown = subprocess.run([python, "-m", "pip", "config", "list"], capture_output=True, text=True)
    return _DECIDES.search(shown.stdout) is not None


def install_with_uv(python: str, arguments: Sequence[str]) -> bool:
    """Install uv beside this Python, and the packages beside `python`. Return whether both worked."""
    commands = [[sys.executable, *_PIP, "uv>=0.5"], [sys.executable, *_UV, python, *arguments]]
    return all(subprocess.run(command, capture_output=True).returncode == 0 for command in commands)


def main() -> int:
    python, *arguments = sys.argv[1:]
    if not has_settings(python) and install_with_uv(python, arguments):
        return 0
    return subprocess.run([python, *_PIP, *arguments]).returncode


if __name__ == "__main__":
    sys.exit(main())
