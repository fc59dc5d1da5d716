"""The result of a query in a cell: it folds, counts, stops and fails in the view of a reader."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pyarrow as pa

from firesteel.errors import DataError
from firesteel.notebook.live_result import LiveResult
from tests.notebook.views import changes, result

SECONDS = 60.0


def ended(view: LiveResult) -> LiveResult:
    assert view.wait(SECONDS)
    return view


def test_changes_are_folded_into_rows() -> None:
    first = changes(("+I", "Tom", 12), ("+I", "<Ann>", 9))
    shown = ended(LiveResult(result([first, changes(("-U", "Tom", 12), ("+U", "Tom", 21))]), "UTC")).html()
    assert "<th>name</th><th>total</th>" in shown
    assert "<td>&lt;Ann&gt;</td><td>9</td>" in shown
    assert "<td>Tom</td><td>21</td>" in shown
    assert "<td>12</td>" not in shown
    assert "2 rows, 4 changes; finished" in shown


def test_the_last_changes_are_shown_if_they_are_wanted() -> None:
    view = LiveResult(result([changes(("+I", "Tom", 12), ("-D", "Tom", 12))]), "UTC", of_changes=True)
    assert "<tr><td>-D</td><td>Tom</td><td>12</td></tr>" in ended(view).html()


def test_the_reader_searches_sorts_and_turns_pages() -> None:
    rows = changes(*(("+I", f"name {n}", 100 - n) for n in range(30)))
    view = ended(LiveResult(result([rows]), "UTC", size=10))
    assert "page 1 of 3" in view.html()
    view.ask({"sort": "1", "order": "asc", "page": "1"})
    assert "<tbody><tr><td>name 19</td><td>81</td></tr>" in view.html()
    view.ask({"find": "name 7", "page": "0"})
    assert view.html().count("<tr>") == 2


def test_a_failure_is_shown_and_kept() -> None:
    def tables() -> Iterator[pa.Table]:
        yield changes(("+I", "Tom", 1))
        raise DataError("a <bad> message")

    view = ended(LiveResult(result(tables()), "UTC"))
    assert isinstance(view.error, DataError)
    assert "1 row, 1 change; failed: a &lt;bad&gt; message" in view.html()


def test_a_stopped_query_has_no_error() -> None:
    stopped, came = threading.Event(), threading.Event()

    def tables() -> Iterator[pa.Table]:
        yield changes(("+I", "Tom", 1))
        came.set()
        assert stopped.wait(SECONDS)
        raise RuntimeError("the job was cancelled")

    view = LiveResult(result(tables(), stopped.set), "UTC")
    assert came.wait(SECONDS)
    assert not view.wait(0)
    assert view.html().endswith("1 row, 1 change; running</div>")
    view.stop()
    assert ended(view).error is None
    assert "; stopped" in view.html()
