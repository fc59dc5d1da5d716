"""Install packages into a virtual environment: with uv, in a quarter of pip's time, or else with pip.

usage: python tools/install.py PYTHON ARGUMENT...

PYTHON is that of the environment, the arguments are those of `pip install`. The Python that runs this gets
uv.

uv does not read pip's settings. Where they say which packages are to be taken or where they come from, pip
installs, and where uv cannot be had or fails, too. Nothing is compiled: Python does it at the first import.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Sequence

_DECIDES = re.compile(
    r"\.(index-url|extra-index-url|no-index|constraint|proxy|client-cert|only-binary|no-binary|pre)=", re.M
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
