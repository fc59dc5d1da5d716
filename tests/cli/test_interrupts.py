"""No Ctrl-C is lost, wherever it comes."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, cast

import pytest

from firesteel.cli import interrupts, main
from firesteel.cli.interrupts import (
    Interrupts,
    Stopped,
    exit_status,
    second_interrupt_leaves,
    stop_on_signals,
)
from firesteel.cli.run import Runner
from firesteel.sql.parser import parse_script

if TYPE_CHECKING:
    from firesteel import TableEnvironment


class Cleared:
    """CPython drops what is raised while it clears up after this."""

    def __del__(self) -> None:
        signal.raise_signal(signal.SIGINT)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_one_that_python_drops_ends_what_runs() -> None:
    seen = []

    def see(number: int) -> None:
        seen.append(number)
        made = Cleared() if number == 2 else None
        del made

    with Interrupts() as interrupts, pytest.raises(KeyboardInterrupt):
        deque(map(see, interrupts.checked(iter(range(9)))))
    assert seen == [0, 1, 2]


IN_THE_IMPORT_SYSTEM = """
import os, signal, sys, threading, time
from firesteel.cli.interrupts import Interrupts, Stopped, stop_on_signals

class Finder:  # a line of it runs while the import system does, and has the import system's name
    find_spec = staticmethod(eval(compile({finder!r}, {file!r}, "eval")))

stop_on_signals()
sys.meta_path.insert(0, Finder)
try:
    {context}
        try:
            import colorsys
            print("went on")
            time.sleep(60)
        finally:
            print("colorsys" in sys.modules)
except Stopped as stop:
    sys.exit(128 + stop.number)
"""


@pytest.mark.parametrize("context", ["with Interrupts():", "if True:"], ids=["statement", "start"])
@pytest.mark.parametrize(
    ("file", "said"), [("<frozen importlib._bootstrap>", "went on\nTrue\n"), ("module.py", "False\n")]
)
def test_one_that_interrupts_the_import_system_waits_until_it_is_done(
    file: str, said: str, context: str
) -> None:
    finder = "lambda *_: os.kill(os.getpid(), signal.SIGTERM)"
    program = IN_THE_IMPORT_SYSTEM.format(finder=finder, file=file, context=context)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=50)
    assert (done.returncode, done.stdout, done.stderr) == (128 + signal.SIGTERM, said, "")


DROPPED = """
import signal, sys, time
from firesteel.cli.interrupts import Interrupts, Stopped, stop_on_signals

class Cleared:
    def __del__(self):
        signal.raise_signal(signal.SIGTERM)

stop_on_signals()
try:
    with Interrupts():
        made = Cleared()
        del made
        print("went on")
        time.sleep(60)
except Stopped as stop:
    sys.exit(128 + stop.number)
"""


def test_one_that_python_drops_is_sent_again() -> None:
    done = subprocess.run([sys.executable, "-c", DROPPED], capture_output=True, text=True, timeout=50)
    assert (done.returncode, done.stdout, done.stderr) == (128 + signal.SIGTERM, "went on\n", "")


def test_one_that_comes_is_raised_at_once_and_the_handler_is_put_back() -> None:
    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt), Interrupts():
        signal.raise_signal(signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is before


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_each_signal_stops_what_runs_and_has_its_status(number: int) -> None:
    before = signal.getsignal(number)
    signal.signal(number, signal.SIG_DFL)
    try:
        with pytest.raises(Stopped) as stopped, Interrupts() as interrupts:
            signal.raise_signal(number)
        assert interrupts.came == number
        assert signal.getsignal(number) is signal.SIG_DFL
    finally:
        signal.signal(number, before)
    assert exit_status(stopped.value) == 128 + number
    assert exit_status(KeyboardInterrupt()) == 130


def test_what_nohup_ignores_stays_ignored() -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        stop_on_signals()
        with Interrupts(), second_interrupt_leaves():
            signal.raise_signal(signal.SIGHUP)
    finally:
        signal.signal(signal.SIGHUP, before)


SECOND = """
import signal, sys, time
from firesteel.cli import interrupts
interrupts.PATIENCE_SECONDS = float(sys.argv[1])
with interrupts.second_interrupt_leaves():
    signal.raise_signal(signal.SIGTERM)
    signal.raise_signal(signal.SIGHUP)
print("still here")
"""


@pytest.mark.parametrize(("patience", "status", "said"), [("-1", 143, ""), ("60", 0, "still here\n")])
def test_a_second_signal_ends_the_process_unless_it_belongs_to_the_first(
    patience: str, status: int, said: str
) -> None:
    done = subprocess.run([sys.executable, "-c", SECOND, patience], capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (status, said, "")


EARLY = """
import signal, sys
SIGNAL = signal.Signals(int(sys.argv.pop(1)))
signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored below nohup
from firesteel.cli import app, main, stderr_lines
def come(*_, **__):
    signal.raise_signal(SIGNAL)
class Cleared:
    def __del__(self):
        come()
def drop(*_, **__):
    Cleared()
{breaking}
sys.argv = ["firesteel", "run", sys.argv[1], *sys.argv[2:]]
sys.exit(main.main())
"""


def test_one_that_was_dropped_while_the_statement_was_planned_is_raised_before_it_runs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    before = signal.getsignal(signal.SIGTERM)
    monkeypatch.setattr(interrupts, "_came", [signal.SIGTERM])
    with pytest.raises(Stopped) as stopped, Interrupts():
        pass
    assert exit_status(stopped.value) == 143
    assert signal.getsignal(signal.SIGTERM) is before


class Planning:
    """An environment in which Ctrl-C comes while a statement is planned."""

    def __init__(self, planned: Callable[[], None]) -> None:
        self._planned = planned

    def execute(self, *_: object, **__: object) -> object:
        self._planned()
        return self

    def wait(self) -> None:
        raise AssertionError("the job runs")

    def cancel(self) -> None:
        """End the job."""


def dropped() -> None:
    Cleared()


def converted() -> None:
    try:
        signal.raise_signal(signal.SIGINT)
    except KeyboardInterrupt:
        raise ImportError("initialization failed") from None


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("planned", [dropped, converted])
def test_one_that_comes_while_a_statement_is_planned(planned: Callable[[], None]) -> None:
    (statement,) = parse_script("SHOW TABLES")
    runner = Runner(cast("TableEnvironment", Planning(planned)))
    with pytest.raises(Stopped) as stopped:
        runner.execute(statement, "SHOW TABLES")
    assert exit_status(stopped.value) == 130


@pytest.mark.parametrize("came", [[], [signal.SIGTERM]])
def test_an_error_that_a_library_makes_of_a_signal_is_the_signal(
    came: list[int], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(_: list[str]) -> None:
        raise ImportError("initialization failed")

    monkeypatch.setattr(interrupts, "_came", came)
    monkeypatch.setattr("firesteel.cli.early.prepare_early", broken)
    monkeypatch.setattr("sys.argv", ["firesteel", "run", "job.sql"])
    status, said = (143, "Stopped.") if came else (1, "ImportError: initialization failed")
    assert main._main() == status
    assert said in capsys.readouterr().err


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
@pytest.mark.parametrize("more", [[], ["--log-format", "json"]], ids=["text", "json"])
@pytest.mark.parametrize(
    "breaking",
    [
        "app._Commands.make_context = come",  # typer makes a status of its own of it
        "from firesteel.cli import early; early.prepare_early = drop",
        "main._main = come",
    ],
    ids=["arguments", "dropped", "before"],
)
def test_one_that_comes_while_the_command_starts(
    breaking: str, more: list[str], number: int, tmp_path: Path
) -> None:
    script = tmp_path / "script.sql"
    script.write_text("SHOW TABLES;")
    command = [sys.executable, "-c", EARLY.format(breaking=breaking), str(int(number)), str(script), *more]
    done = subprocess.run(command, capture_output=True, text=True)
    lines = [line for line in done.stderr.splitlines() if line]
    assert (done.returncode, done.stdout, len(lines)) == (128 + number, "", 1), done.stderr
    assert "Stopped." in lines[0]
