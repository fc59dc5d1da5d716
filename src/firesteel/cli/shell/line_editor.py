"""The line editor of a terminal: several lines, completion, highlighting, history (prompt_toolkit)."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable, Iterable
from pathlib import Path

from prompt_toolkit import PromptSession
from prompt_toolkit.application import run_in_terminal
from prompt_toolkit.auto_suggest import AutoSuggestFromHistory
from prompt_toolkit.buffer import Buffer
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document
from prompt_toolkit.enums import DEFAULT_BUFFER
from prompt_toolkit.filters import has_focus
from prompt_toolkit.formatted_text import StyleAndTextTuples
from prompt_toolkit.history import History
from prompt_toolkit.input import Input
from prompt_toolkit.input.typeahead import get_typeahead, store_typeahead
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.keys import Keys
from prompt_toolkit.lexers import Lexer
from prompt_toolkit.output import ColorDepth, Output
from prompt_toolkit.styles import Style

from firesteel.cli.history import LENGTH, append, home_file, read
from firesteel.cli.interrupts import remember
from firesteel.cli.shell import highlighting
from firesteel.cli.shell.commands import command_of
from firesteel.cli.shell.completion import complete
from firesteel.cli.shell.plain_reader import MORE, PROMPT
from firesteel.sensitive import redacted
from firesteel.session.context import Environment

STYLE = Style.from_dict(
    {
        "sql.keyword": "bold ansiblue",
        "sql.function": "ansicyan",
        "sql.string": "ansigreen",
        "sql.number": "ansimagenta",
        "sql.comment": "italic ansibrightblack",
        "sql.wrong": "ansired",
    }
)


class LineEditor:
    """Reader of statements from a terminal.

    Enter runs a complete text, and begins a new line in an incomplete one. Alt-Enter always begins a new
    line.

    Args:
        environment: The session, for completion.
        is_ready: Function that returns whether a text is complete, so that Enter runs it.
        history: File of the history, None to keep none.
        input: Where keys come from, the terminal if None.
        output: Where the line is drawn, the terminal if None.
    """

    takes_signals = True

    def __init__(
        self,
        environment: Environment,
        is_ready: Callable[[str], bool],
        history: Path | None = None,
        input: Input | None = None,
        output: Output | None = None,
    ) -> None:
        self._is_ready = is_ready
        has_colors = not os.environ.get("NO_COLOR")
        # All prompts run in one event loop, which stays open: a key may cancel a task of an earlier prompt.
        self._loop = asyncio.new_event_loop()
        self._interrupted = False
        self._session: PromptSession[str] = PromptSession(
            PROMPT,
            multiline=True,
            prompt_continuation=MORE,
            completer=_SqlCompleter(environment),
            complete_while_typing=True,
            lexer=_SqlLexer(),
            style=STYLE,
            history=_FileHistory(history),
            auto_suggest=AutoSuggestFromHistory() if has_colors else None,  # without colors, it looks typed
            key_bindings=self._keys(),
            color_depth=None if has_colors else ColorDepth.DEPTH_1_BIT,
            input=input,
            output=output,
        )

    @property
    def buffer(self) -> Buffer:
        """The text that is being typed."""
        return self._session.default_buffer

    @classmethod
    def of_terminal(cls, environment: Environment, is_ready: Callable[[str], bool]) -> LineEditor:
        """Return the editor of this process's terminal, with the history of its user."""
        return cls(environment, is_ready, home_file())

    def read(self) -> str:
        """Return one or more statements, or a command.

        Raises:
            EOFError: The user pressed Ctrl-D on an empty line.
            KeyboardInterrupt: The user pressed Ctrl-C.
        """
        typed = ""
        while not typed.strip():
            # With handle_sigint=True, the loop would replace Firesteel's SIGINT handler during each prompt,
            # and install Python's default handler at the end of the prompt.
            prompt = self._session.prompt_async(handle_sigint=False, pre_run=self._forget_interrupt)
            typed = self._loop.run_until_complete(prompt)
        self._pass_on_interrupt()
        return typed

    def interrupt(self) -> None:
        """Handle Ctrl-C that came as a signal: drop the text that is being typed, and end `read`.

        `read` then raises KeyboardInterrupt. If Enter has just ended the text, `read` returns the text
        instead, and its first statement stops before it runs. This method may be called from a signal
        handler, at any moment.
        """
        self._interrupted = True
        self._loop.call_soon_threadsafe(self._take_interrupt)

    def above(self, write: Callable[[], None]) -> None:
        """Call `write`, which prints lines above the text that is being typed. Any thread may call this."""
        self._loop.call_soon_threadsafe(run_in_terminal, write)

    def _forget_interrupt(self) -> None:
        """Ignore a Ctrl-C signal that came before this prompt. Called when the prompt begins."""
        self._interrupted = False

    def _take_interrupt(self) -> None:
        app = self._session.app
        if self._interrupted and app.is_running and not app.is_done:
            self._interrupted = False
            app.exit(exception=KeyboardInterrupt(), style="class:aborting")

    def _pass_on_interrupt(self) -> None:
        """If the user pressed Ctrl-C right after Enter, let the entered statement stop before it runs.

        Ctrl-C comes as a signal, or as a key that is not read yet. Keys typed before Ctrl-C are dropped.
        """
        if self._interrupted:
            self._interrupted = False
            remember(signal.SIGINT)
        source = self._session.app.input
        keys = get_typeahead(source)
        pressed = [number for number, key in enumerate(keys) if key.key is Keys.ControlC]
        if pressed:
            remember(signal.SIGINT)
        store_typeahead(source, keys[pressed[-1] + 1 :] if pressed else keys)

    def close(self) -> None:
        """Close the event loop that reads the keys.

        The history needs no closing, because each statement is written to the file when Enter ends it.
        """
        self._loop.close()

    def _keys(self) -> KeyBindings:
        keys = KeyBindings()

        @keys.add("enter", filter=has_focus(DEFAULT_BUFFER))
        def _(event: KeyPressEvent) -> None:
            buffer = event.current_buffer
            if not buffer.text.strip() or self._is_ready(buffer.text):
                buffer.validate_and_handle()
            else:
                buffer.insert_text("\n")

        @keys.add("escape", "enter", filter=has_focus(DEFAULT_BUFFER))
        def _(event: KeyPressEvent) -> None:
            event.current_buffer.insert_text("\n")

        return keys


class _SqlCompleter(Completer):
    def __init__(self, environment: Environment) -> None:
        self._environment = environment

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterable[Completion]:
        text, cursor = document.text, document.cursor_position
        found = complete(text, cursor, self._environment)
        if not complete_event.completion_requested and found and found[0].start == cursor:
            return  # nothing is typed yet: a menu of all words would hide the lines below
        for each in found:
            yield Completion(each.text, each.start - cursor, display_meta=each.meta)


class _SqlLexer(Lexer):
    def lex_document(self, document: Document) -> Callable[[int], StyleAndTextTuples]:
        lines: list[StyleAndTextTuples] = [
            [(f"class:sql.{kind}" if kind else "", piece) for kind, piece in line]
            for line in highlighting.lines(document.text)
        ]

        def line(number: int) -> StyleAndTextTuples:
            return lines[number] if number < len(lines) else []

        return line


class _FileHistory(History):
    """History of statements in the file of cli/history.py. Secrets are not written."""

    def __init__(self, file: Path | None) -> None:
        super().__init__()
        self._file = file

    def load_history_strings(self) -> Iterable[str]:
        """Return the statements, newest first."""
        return [] if self._file is None else reversed(read(self._file)[-LENGTH:])

    def store_string(self, string: str) -> None:
        if self._file is not None and command_of(string) is None:
            append(self._file, redacted(string.strip()))
