"""The live table: a result that fills the screen and is redrawn as changes come (prompt_toolkit)."""

from __future__ import annotations

import os
from collections.abc import Callable
from enum import Enum

from prompt_toolkit.application import Application, get_app
from prompt_toolkit.filters import Condition
from prompt_toolkit.formatted_text import StyleAndTextTuples
from prompt_toolkit.input import Input
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.keys import Keys
from prompt_toolkit.layout import HSplit, Layout, Window
from prompt_toolkit.layout.controls import FormattedTextControl
from prompt_toolkit.output import ColorDepth, Output

from firesteel.cli.shell.kept_result import KeptResult
from firesteel.cli.shell.table_model import TableModel

REFRESH_SECONDS = 0.25
_KEYS = ("q end", "b background", "s sort", "r reverse", "/ find", "n next", "arrows and pages move")
"""Keys and what they do, the most important ones first."""


def shown_keys(room: int) -> str:
    """Return the first keys with their meanings, as many as fit into `room` columns as a whole."""
    shown = ""
    for key in _KEYS:
        longer = f"{shown}, {key}" if shown else f" {key}"
        if len(longer) > room:
            break
        shown = longer
    return shown


class Left(Enum):
    """Way in which the user has left the table."""

    STOP = "stop"
    BACKGROUND = "background"


class LiveTable:
    """Screen with the rows of one query.

    Args:
        kept: Results of the query. Another thread adds to them.
        model: Sort order and visible part of the rows.
        state: Function that returns the phase or state of the query's job, such as `RUNNING`.
        input: Where keys come from, the terminal if None.
        output: Where the table is drawn, the terminal if None.
    """

    def __init__(
        self,
        kept: KeptResult,
        model: TableModel,
        state: Callable[[], str],
        input: Input | None = None,
        output: Output | None = None,
    ) -> None:
        self._kept = kept
        self._model = model
        self._state = state
        self._update()
        self._search: str | None = None
        self._said = ""
        body = Window(FormattedTextControl(self._page, show_cursor=False), wrap_lines=False)
        foot = Window(FormattedTextControl(self._foot, show_cursor=False), height=1, wrap_lines=False)
        self._app: Application[Left] = Application(
            Layout(HSplit([body, foot])),
            key_bindings=self._keys(),
            full_screen=True,
            refresh_interval=REFRESH_SECONDS,
            color_depth=ColorDepth.DEPTH_1_BIT if os.environ.get("NO_COLOR") else None,
            input=input,
            output=output,
        )

    def run(self) -> Left:
        """Show the table until the user leaves it. Return how."""
        return self._app.run()

    @property
    def _height(self) -> int:
        return get_app().output.get_size().rows - 1

    def _page(self) -> StyleAndTextTuples:
        if self._kept.version != self._version:
            self._update()
            self._model.move(0, self._height)
        size = get_app().output.get_size()
        return [("", "\n".join(self._model.page(size.columns, self._height)))]

    def _update(self) -> None:
        self._version = self._kept.version
        self._model.show(self._kept.rows())

    def _foot(self) -> StyleAndTextTuples:
        if self._search is not None:
            return [("", f"/{self._search}")]
        first = min(self._model.top + 1, self._model.count)
        state = f" {self._state()}, row {first:,} of {self._model.count:,}{self._said} "
        room = get_app().output.get_size().columns - len(state)
        return [("reverse", state), ("", shown_keys(room))]

    # --- keys ------------------------------------------------------------------------------------
    def _keys(self) -> KeyBindings:
        keys = KeyBindings()
        model = self._model
        searches = Condition(lambda: self._search is not None)

        def on(name: str, act: Callable[[], object]) -> None:
            def handle(event: KeyPressEvent) -> None:
                self._said = ""
                act()

            keys.add(name, filter=~searches)(handle)

        for name in ("q", "escape"):
            on(name, lambda: self._app.exit(result=Left.STOP))
        for name in ("c-c", "<sigint>"):
            keys.add(name)(lambda event: self._app.is_running and self._app.exit(result=Left.STOP))
        on("b", lambda: self._app.exit(result=Left.BACKGROUND))
        for name, rows in (("down", 1), ("j", 1), ("up", -1), ("k", -1)):
            on(name, lambda rows=rows: model.move(rows, self._height))  # type: ignore[misc]
        for name, pages in (("pagedown", 1), ("space", 1), ("pageup", -1)):
            on(name, lambda pages=pages: model.move(pages * model.room(self._height), self._height))  # type: ignore[misc]
        on("home", lambda: model.move(-model.count, self._height))
        on("end", lambda: model.move(model.count, self._height))
        on("left", lambda: model.move_columns(-1))
        on("right", lambda: model.move_columns(1))
        on("s", self._sort_by_next)
        on("r", self._reverse)
        on("n", lambda: self._find(self._last, again=True))
        on("/", self._begin_search)
        self._add_search_keys(keys, searches)
        return keys

    _last = ""
    """Text of the last search."""

    def _add_search_keys(self, keys: KeyBindings, searches: Condition) -> None:
        @keys.add(Keys.Any, filter=searches)
        def _(event: KeyPressEvent) -> None:
            if event.data.isprintable():
                self._search = (self._search or "") + event.data

        @keys.add("backspace", filter=searches)
        def _(event: KeyPressEvent) -> None:
            self._search = (self._search or "")[:-1]

        @keys.add("escape", filter=searches)
        def _(event: KeyPressEvent) -> None:
            self._search = None

        @keys.add("enter", filter=searches)
        def _(event: KeyPressEvent) -> None:
            self._last, self._search = self._search or "", None
            self._find(self._last)

    def _begin_search(self) -> None:
        self._search = ""

    def _find(self, text: str, *, again: bool = False) -> None:
        if not self._model.find(text, self._height, again=again):
            self._said = f", {text!r} is not there"

    def _resort(self, column: int | None, *, descending: bool = False) -> None:
        self._model.sort_by(column, descending=descending)
        self._update()  # the model has only sorted rows: give it the rows in order of arrival again

    def _sort_by_next(self) -> None:
        self._model.sort_by_next()
        self._update()

    def _reverse(self) -> None:
        self._resort(self._model.column, descending=not self._model.descending)
