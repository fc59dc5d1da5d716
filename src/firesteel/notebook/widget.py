"""ViewWidget, which shows a LiveView as a widget of anywidget.

The cell ends at once, so the Jupyter kernel can run other cells while the web page shows the view.
"""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import anywidget
import traitlets

from firesteel.notebook.live_view import REDRAW_SECONDS, LiveView


class ViewWidget(anywidget.AnyWidget):  # type: ignore[misc]
    """A widget that shows a view until it ends. The page can stop it, search, sort and turn pages.

    Args:
        view: The view.
    """

    _esm = Path(__file__).with_name("widget.js")
    html = traitlets.Unicode().tag(sync=True)
    has_rows = traitlets.Bool().tag(sync=True)
    runs = traitlets.Bool(default_value=True).tag(sync=True)

    def __init__(self, view: LiveView) -> None:
        super().__init__(html=view.html(), has_rows=view.has_rows)
        self._view = view
        self.on_msg(self._asked)
        threading.Thread(target=self._follow, daemon=True).start()

    def __repr__(self) -> str:
        """Return the text for pages that draw no widgets, such as a saved notebook on a web site."""
        return "A live result, which needs a running kernel. With --no-widget the notebook keeps the rows."

    def _follow(self) -> None:
        """Draw the view again until it ends."""
        while not self._view.wait(REDRAW_SECONDS):
            self.html = self._view.html()
        self.html = self._view.html()
        self.runs = False

    def _asked(self, _: object, content: dict[str, Any], buffers: object) -> None:
        """Stop the view or change what it shows, as a message from the page of the notebook asks.

        `content` is the message: {"do": "stop"}, or {"wanted": settings}, the argument of `LiveView.ask`.
        """
        if content.get("do") == "stop":
            threading.Thread(target=self._view.stop, daemon=True).start()
        else:
            self._view.ask({str(key): str(value) for key, value in content.get("wanted", {}).items()})
            self.html = self._view.html()
