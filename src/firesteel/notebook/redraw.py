"""Shows a LiveView without a widget: the cell runs until the view ends, and its output is drawn again."""

from __future__ import annotations

from typing import Any

from IPython.display import HTML, display

from firesteel.notebook.live_view import REDRAW_SECONDS, LiveView


def redraw(view: LiveView) -> None:
    """Show a view in the current cell and draw it again until it ends.

    Raises:
        BaseException: The error that ended the view.
        KeyboardInterrupt: The user has interrupted the cell. The view is stopped.
    """
    drawn = view.html()
    handle = display(HTML(drawn), display_id=True)
    try:
        while not view.wait(REDRAW_SECONDS):
            drawn = _drawn(handle, view, drawn)
    except KeyboardInterrupt:
        view.stop()
        raise
    finally:
        _drawn(handle, view, drawn)
    if view.error is not None:
        raise view.error


def _drawn(handle: Any, view: LiveView, before: str) -> str:
    """Update the output of the cell if the view has changed, and return the view's present HTML.

    Args:
        handle: IPython's handle of the output of the cell, None outside of IPython.
        view: The view.
        before: HTML that the cell shows now. If the present HTML is equal, the output is not updated.
    """
    now = view.html()
    if now != before and handle is not None:  # outside of IPython there is no handle
        handle.update(HTML(now))
    return now
