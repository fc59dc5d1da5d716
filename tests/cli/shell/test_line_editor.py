"""The line editor: keys in, statements out."""

from __future__ import annotations

import os
import signal
import stat
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from prompt_toolkit.document import Document
from prompt_toolkit.input import PipeInput, create_pipe_input
from prompt_toolkit.output import DummyOutput

from firesteel import TableEnvironment
from firesteel.cli.history import read
from firesteel.cli.interrupts import raise_dropped
from firesteel.cli.shell.commands import asks_for_background, command_of
from firesteel.cli.shell.line_editor import LineEditor

ENTER, TAB, ALT_ENTER, CTRL_C, CTRL_D, CTRL_R, UP = "\r", "\t", "\x1b\r", "\x03", "\x04", "\x12", "\x1b[A"


@pytest.fixture
def keys() -> Iterator[PipeInput]:
    with create_pipe_input() as made:
        yield made


def editor(keys: PipeInput, history: Path | None = None) -> LineEditor:
    environment = TableEnvironment.create()

    def is_ready(text: str) -> bool:
        return command_of(text) is not None or asks_for_background(text) or environment.is_complete(text)

    return LineEditor(environment, is_ready, history, keys, DummyOutput())


def test_enter_runs_a_complete_statement_and_begins_a_line_before(keys: PipeInput) -> None:
    made = editor(keys)
    keys.send_text(f"SELECT 1{ENTER}+ 2;{ENTER}")
    assert made.read() == "SELECT 1\n+ 2;"
    keys.send_text(f"SELECT 1;{ALT_ENTER}SELECT 2;{ENTER}")
    assert made.read() == "SELECT 1;\nSELECT 2;"
    keys.send_text(f"{ENTER}help{ENTER}")
    assert made.read() == "help"
    keys.send_text(f"SELECT 1 &{ENTER}")
    assert made.read() == "SELECT 1 &"


def send_when(keys: PipeInput, ready: Callable[[], bool], text: str) -> None:
    """Send keys once a condition holds, from another thread: the editor works while it reads."""

    def send() -> None:
        end = time.monotonic() + 60
        while not ready() and time.monotonic() < end:
            time.sleep(0.01)
        keys.send_text(text)

    threading.Thread(target=send, daemon=True).start()


def test_tab_completes(keys: PipeInput) -> None:
    made = editor(keys)
    keys.send_text("SHOW TABL")
    send_when(keys, lambda: made.buffer.complete_state is not None, TAB)
    send_when(keys, lambda: made.buffer.text == "SHOW TABLES", f";{ENTER}")
    assert made.read() == "SHOW TABLES;"


def test_tab_behind_a_whole_function_shows_its_signature(keys: PipeInput) -> None:
    made = editor(keys)
    shown: list[str] = []

    def is_shown() -> bool:
        menu = made.buffer.complete_state
        shown[:] = [] if menu is None else [each.display_meta_text for each in menu.completions]
        return len(shown) == 2

    keys.send_text("SELECT replace" + TAB)
    send_when(keys, is_shown, f"('a', 'b', 'c');{ENTER}")
    assert made.read() == "SELECT replace('a', 'b', 'c');"
    assert shown == ["(CHARACTER, CHARACTER, CHARACTER)"] * 2


def test_lines_appear_above_the_typed_text(keys: PipeInput) -> None:
    made = editor(keys)
    above: list[str] = []
    keys.send_text("SELECT")

    def is_written() -> bool:
        if made.buffer.text == "SELECT" and not above:
            above.append("asked")
            made.above(lambda: above.append(made.buffer.text))
        return len(above) == 2

    send_when(keys, is_written, f" 1;{ENTER}")
    assert made.read() == "SELECT 1;"
    assert above == ["asked", "SELECT"]


def test_a_pasted_script_is_one_text(keys: PipeInput) -> None:
    made = editor(keys)
    script = "".join(f"SELECT {n},\n  'a;b';\n" for n in range(150))
    keys.send_text(f"\x1b[200~{script}\x1b[201~{ENTER}")
    assert made.read() == script


def test_ctrl_c_and_ctrl_d(keys: PipeInput) -> None:
    made = editor(keys)
    keys.send_text(f"SELECT{CTRL_C}")
    with pytest.raises(KeyboardInterrupt):
        made.read()
    keys.send_text(CTRL_D)
    with pytest.raises(EOFError):
        made.read()


def test_ctrl_c_right_behind_enter_stops_the_statement(keys: PipeInput) -> None:
    made = editor(keys)
    keys.send_text(f"SELECT 1;{ENTER}{CTRL_C}SELECT 2;{ENTER}")
    assert made.read() == "SELECT 1;"
    with pytest.raises(KeyboardInterrupt):
        raise_dropped()
    assert made.read() == "SELECT 2;"
    raise_dropped()


def test_the_history_is_there_in_the_next_session_and_can_be_searched(
    keys: PipeInput, tmp_path: Path
) -> None:
    file = tmp_path / "history"
    made = editor(keys, file)
    for statement in ("SELECT 'first';", "SELECT 2;", "help", "SET 'a.password' = 'very secret';"):
        keys.send_text(statement + ENTER)
        made.read()
    assert read(file) == ["SELECT 'first';", "SELECT 2;", "SET 'a.password' = '***********';"]
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    again = editor(keys, file)
    send_when(keys, lambda: len(again.buffer._working_lines) == 4, f"{UP}{UP}{ENTER}")
    assert again.read() == "SELECT 2;"
    keys.send_text(f"{CTRL_R}first{ENTER}{ENTER}")
    assert again.read() == "SELECT 'first';"


@contextmanager
def interrupted_by_signal(made: LineEditor) -> Iterator[None]:
    """SIGINT goes to the editor, as in the shell. Nothing may change its handler meanwhile."""
    set_handler = signal.signal
    before = set_handler(signal.SIGINT, lambda *_: made.interrupt())

    def set_another(number: int, handler: Any) -> Any:
        assert number != signal.SIGINT
        return set_handler(number, handler)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(signal, "signal", set_another)
        yield
    set_handler(signal.SIGINT, before)


def press() -> str:
    os.kill(os.getpid(), signal.SIGINT)
    return ""


def test_ctrl_c_as_a_signal_clears_the_typed_text(keys: PipeInput) -> None:
    made = editor(keys)
    with interrupted_by_signal(made):
        for text in ("SELECT 1", "SELECT 2", "SELECT 3"):
            keys.send_text(text)
            send_when(keys, lambda text=text: made.buffer.text == text and not press(), "")  # type: ignore[misc]
            with pytest.raises(KeyboardInterrupt):
                made.read()
        keys.send_text(f"help{ENTER}")
        assert made.read() == "help"
    raise_dropped()


def test_ctrl_c_as_a_signal_beside_enter_stops_the_statement(keys: PipeInput) -> None:
    made = editor(keys)
    ready = made._is_ready
    made._is_ready = lambda text: not press() and ready(text)
    with interrupted_by_signal(made):
        keys.send_text(f"SELECT 1;{ENTER}")
        assert made.read() == "SELECT 1;"
        with pytest.raises(KeyboardInterrupt):
            raise_dropped()
        made._is_ready = ready
        keys.send_text(f"help{ENTER}")
        assert made.read() == "help"
    raise_dropped()


def test_ctrl_c_between_two_lines_does_not_reach_the_next(keys: PipeInput) -> None:
    made = editor(keys)
    with interrupted_by_signal(made):
        for _ in range(2):
            press()
            keys.send_text(f"help{ENTER}")
            assert made.read() == "help"
            raise_dropped()


@pytest.mark.parametrize(("no_color", "suggested"), [("", " 'first';"), ("1", None)])
def test_suggestions_are_left_out_where_they_would_look_like_typed_text(
    keys: PipeInput, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, no_color: str, suggested: str | None
) -> None:
    monkeypatch.setenv("NO_COLOR", no_color)
    made = editor(keys, tmp_path / "history")
    keys.send_text(f"SELECT 'first';{ENTER}")
    made.read()
    given = made._session.auto_suggest
    suggestion = given and given.get_suggestion(made.buffer, Document("SELECT"))
    assert (suggestion and suggestion.text) == suggested
