"""The charts of a job: rates between samples, entries of the largest states, and their SVG."""

from __future__ import annotations

import re
from xml.etree import ElementTree as ET

from firesteel.notebook.job_plot import JobPlot
from firesteel.notebook.line_chart import line_chart
from firesteel.runtime.state.size import StateSize
from firesteel.spark.progress import Progress
from tests.notebook.views import job


def test_changes_per_second_are_those_between_two_drawings() -> None:
    progress, seconds = Progress(), iter([0.0, 2.0, 3.0, 3.0])
    plot = JobPlot(job(progress), lambda _: next(seconds))
    for changes in (0, 100, 400, 400):
        progress.changes = changes
        plot.sample()
    assert plot.changes_per_second() == [(2.0, 50.0), (3.0, 300.0)]


def test_the_largest_states_have_a_line() -> None:
    progress, seconds = Progress(), iter(range(10))
    plot = JobPlot(job(progress), lambda _: float(next(seconds)))
    plot.sample()
    progress.states = {(0, 0): {f"state {n}": StateSize(n, 0) for n in range(9)}}
    shown = plot.html()
    assert list(plot.entries()) == [f"state {n}" for n in (8, 7, 6, 5, 4, 3)]
    assert plot.entries()["state 8"] == [(0.0, 0.0), (1.0, 8.0)]
    assert "state 8: 8" in shown
    assert shown.startswith("<div>job 7, 7: RUNNING</div><svg")


def test_a_job_that_has_ended_ends_the_plot_with_one_more_sample() -> None:
    progress, seconds = Progress(), iter(range(10))
    record = job(progress)
    plot = JobPlot(record, lambda _: float(next(seconds)))
    plot.html()
    assert not plot.wait(0)
    record.end(ValueError("the <disk> is full"))
    assert plot.wait(60)
    assert "FAILED, the &lt;disk&gt; is full" in plot.html()
    plot.html()
    assert len(plot.changes_per_second()) == 1


def test_the_user_stops_the_drawing_not_the_job() -> None:
    record = job(Progress())
    plot = JobPlot(record)
    plot.stop()
    assert plot.wait(60)
    assert not record.state.has_ended


def test_a_chart_is_svg_whose_lines_lie_within() -> None:
    text = line_chart("a < b", {"one": [(0.0, 0.0), (5.0, 1500.0), (10.0, 750.0)], "none": []})
    root = ET.fromstring(text)
    width, height = float(root.attrib["width"]), float(root.attrib["height"])
    points = re.findall(r"([\d.]+),([\d.]+)", text)
    assert len(points) == 3
    assert all(0 <= float(x) <= width and 0 <= float(y) <= height for x, y in points)
    assert float(points[1][1]) < float(points[2][1]) < float(points[0][1])
    texts = [element.text for element in root.iter() if element.text]
    assert texts[:5] == ["a < b", "1.5 k", "0", "0 s", "10 s"]
    assert texts[5:] == ["one: 750", "none: 0"]
