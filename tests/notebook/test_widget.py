"""The widget: it follows its view, and does what the page asks for."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator

import pyarrow as pa
import pytest

from firesteel.notebook.live_result import LiveResult
from tests.notebook.views import changes, result

pytest.importorskip("anywidget", reason="of the extra `notebook`")

SECONDS = 60.0


def until(is_so: Callable[[], bool]) -> None:
    end = time.monotonic() + SECONDS
    while not is_so():
        assert time.monotonic() < end
        time.sleep(0.01)


def test_it_follows_the_view_and_obeys_the_page() -> None:
    from firesteel.notebook.widget import ViewWidget

    stopped = threading.Event()

    def tables() -> Iterator[pa.Table]:
        yield changes(("+I", "Tom", 1), ("+I", "Ann", 2))
        assert stopped.wait(SECONDS)

    widget = ViewWidget(LiveResult(result(tables(), stopped.set), "UTC"))
    until(lambda: "<td>Tom</td>" in widget.html)
    assert widget.runs
    assert widget.has_rows
    widget._handle_custom_msg({"do": "show", "wanted": {"find": "ann", "page": 0}}, [])
    assert "<td>Tom</td>" not in widget.html
    assert "<td>Ann</td>" in widget.html
    widget._handle_custom_msg({"do": "stop"}, [])
    until(lambda: not widget.runs)
    assert "; stopped" in widget.html


def test_the_page_draws_what_the_kernel_sends() -> None:
    from firesteel.notebook.widget import ViewWidget

    code = str(ViewWidget._esm)
    for name in ("html", "runs", "has_rows"):
        assert f'model.get("{name}")' in code


def test_a_page_without_widgets_says_how_to_keep_the_rows() -> None:
    from firesteel.notebook.widget import ViewWidget

    widget = ViewWidget(LiveResult(result(iter([changes(("+I", "Tom", 1))]), lambda: None), "UTC"))
    shown = widget._repr_mimebundle_()
    text = (shown[0] if isinstance(shown, tuple) else shown)["text/plain"]
    assert (
        text == "A live result, which needs a running kernel. With --no-widget the notebook keeps the rows."
    )
