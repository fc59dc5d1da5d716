"""uv installs packages where it can be had, else pip; where settings of pip decide, pip alone."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest

from tools import install

Runs = Callable[[set[str]], list[list[str]]]


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch) -> Runs:
    """Have commands with these words fail, and return the commands that are run."""

    def made(failing: set[str]) -> list[list[str]]:
        commands: list[list[str]] = []

        def run(command: list[str], **_: Any) -> subprocess.CompletedProcess[str]:
            commands.append(command)
            return subprocess.CompletedProcess(command, int(not failing.isdisjoint(command)), stdout="")

        monkeypatch.setattr(subprocess, "run", run)
        monkeypatch.setattr(sys, "argv", ["install.py", "there/bin/python", "-e", ".[dev]"])
        return commands

    return made


def installers(commands: list[list[str]]) -> list[tuple[str, str]]:
    """The module that installs and the Python beside which, of each command that installs `.[dev]`."""
    return [
        (command[2], command[command.index("--python") + 1] if "--python" in command else command[0])
        for command in commands
        if command[-2:] == ["-e", ".[dev]"]
    ]


@pytest.mark.parametrize(
    ("failing", "expected"),
    [
        (set(), ["uv"]),
        ({"uv>=0.5"}, ["pip"]),
        ({"--no-cache"}, ["uv", "pip"]),
    ],
    ids=["uv", "no uv", "uv fails"],
)
def test_uv_or_else_pip(runs: Runs, failing: set[str], expected: list[str]) -> None:
    commands = runs(failing)
    assert install.main() == 0
    assert installers(commands) == [(module, "there/bin/python") for module in expected]


def test_what_neither_can_install_is_an_error(runs: Runs) -> None:
    runs({".[dev]"})
    assert install.main() == 1


@pytest.mark.parametrize(
    ("setting", "decides"), [("PIP_INDEX_URL", True), ("PIP_CONSTRAINT", True), ("PIP_TIMEOUT", False)]
)
def test_settings_of_pip_are_seen(monkeypatch: pytest.MonkeyPatch, setting: str, decides: bool) -> None:
    for name in ("PIP_INDEX_URL", "PIP_CONSTRAINT"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    monkeypatch.setenv(setting, "7")
    assert install.has_settings(sys.executable) == decides
