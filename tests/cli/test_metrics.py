"""Metrics as Prometheus reads them, and what is told in JSON."""

from __future__ import annotations

import io
import json
import re
import sys
from collections import Counter
from urllib.request import urlopen

import pytest

from firesteel.cli import progress as module
from firesteel.cli.http_api import Api
from firesteel.cli.json_logs import is_wanted, tell_progress
from firesteel.cli.metrics import Metrics
from firesteel.cli.metrics_server import served
from firesteel.cli.progress import ProgressLine
from firesteel.cli.report import report
from firesteel.errors import ValidationError
from firesteel.jobs.job import Source
from firesteel.jobs.registry import Registry
from firesteel.runtime.dataflow.counters import Counters
from firesteel.runtime.state.size import StateSize
from firesteel.spark.progress import Progress


def progress() -> Progress:
    made = Progress(
        read=2_000,
        changes=10,
        skip_causes=Counter(invalid_value=4, damaged_message=3),
        late=3,
        states={
            (1, 0): {"sum": StateSize(4, 80), "rows": StateSize(0, 0, 60_000)},
            (1, 1): {"sum": StateSize(5, 90), "rows": StateSize(0, 0, -5)},
        },
        state_size=lambda: 900,
        steps={1: ("exchange", "GroupAggregate", "send")},
        chains={1: [Counters(0, 50, 10**9), Counters(50, 20, 3 * 10**9, 3), Counters(20, 20)]},
    )
    made.lag = lambda: {("a.b", 1): 30, ("a.b", 0): 4}
    made.end_batch()
    return made


def registry_of(*jobs: Progress) -> Registry:
    registry = Registry()
    for each in jobs:
        registry.planned(registry.add(Source("SELECT 1")), each)
    return registry


def test_metrics_are_there_as_text() -> None:
    with (
        served(Api(registry_of(progress(), Progress())).answer, 0) as port,
        urlopen(f"http://127.0.0.1:{port}/metrics") as answer,
    ):
        text = answer.read().decode()
        assert answer.headers["Content-Type"].startswith("text/plain; version=0.0.4")
    lines = text.splitlines()
    assert 'firesteel_records_in_total{job="1"} 2000' in lines
    assert 'firesteel_records_in_total{job="2"} 0' in lines
    assert 'firesteel_records_skipped_total{job="1"} 7' in lines
    by_cause = [line for line in lines if line.startswith("firesteel_records_skipped_by_cause_total{")]
    assert by_cause == [
        'firesteel_records_skipped_by_cause_total{job="1",cause="damaged_message"} 3',
        'firesteel_records_skipped_by_cause_total{job="1",cause="invalid_value"} 4',
    ]
    assert 'firesteel_state_entries{job="1"} 9' in lines
    assert 'firesteel_state_bytes{job="1"} 900' in lines
    operator = 'job="1",chain="1",step="1",operator="GroupAggregate"'
    assert f"firesteel_operator_records_in_total{{{operator}}} 50" in lines
    assert f"firesteel_operator_busy_seconds_total{{{operator}}} 3.0" in lines
    assert 'firesteel_operator_state_entries{job="1",state="sum"} 9' in lines
    assert 'firesteel_operator_state_bytes{job="1",state="sum"} 170' in lines
    oldest = [line for line in lines if line.startswith("firesteel_operator_state_oldest_milliseconds{")]
    assert oldest == ['firesteel_operator_state_oldest_milliseconds{job="1",state="rows"} -5']
    lags = [
        f'firesteel_lag_messages{{job="1",topic="a.b",partition="{number}"}} {lag}'
        for number, lag in ((0, 4), (1, 30))
    ]
    assert [line for line in lines if line.startswith("firesteel_lag_messages{")] == lags
    assert not [line for line in lines if line.startswith('firesteel_batch_seconds{job="2"}')]
    for line in lines:  # the format: a comment, or a name with labels and a number
        assert re.fullmatch(
            r"# (HELP|TYPE) \S+ .+|[a-z_]+\{job=\"\d+\"(,\w+=\"[^\"]+\")*\} -?[\d.]+(e[+-]?\d+)?", line
        )


def test_a_change_of_counts_is_seen_at_the_next_look() -> None:
    job = Progress()
    metrics = Metrics(registry_of(job))
    job.end_batch()
    assert 'firesteel_batches_total{job="1"} 1' in metrics.text()
    job.end_batch()
    assert 'firesteel_batches_total{job="1"} 2' in metrics.text()


def test_progress_in_json(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "QUIET_SECONDS", 0.01)
    monkeypatch.setattr(module, "FIRST_SECONDS", 0.02)
    monkeypatch.setattr(module, "PLAIN_SECONDS", 0.01)
    out = io.StringIO()
    with ProgressLine(out, as_json=True) as line:
        line.watch(progress())
        while out.getvalue().count("\n") < 2:
            pass
    said = [json.loads(each) for each in out.getvalue().splitlines()]
    assert {(each["level"], each["event"]) for each in said} == {("INFO", "progress")}
    assert (said[-1]["records_in_total"], said[-1]["state_entries"]) == (2000, 9)
    assert said[-1]["lag_messages"] == {"a.b-0": 4, "a.b-1": 30}
    assert said[-1]["records_skipped_by_cause"] == {"damaged_message": 3, "invalid_value": 4}
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", said[-1]["time"])


def test_what_is_waited_for() -> None:
    out = io.StringIO()
    tell_progress(2.04, Progress(phase="starting Spark"), out)
    said = json.loads(out.getvalue())
    assert (said["running_seconds"], said["phase"]) == (2.0, "starting Spark")
    assert "watermark_milliseconds" not in said


def test_an_error_in_json(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "argv", ["firesteel", "run", "a.sql", "--log-format", "json"])
    assert report(ValidationError("no such\ntable", hint="look"), verbose=False) == 2
    said = json.loads(capsys.readouterr().err)
    wanted = {"level": "ERROR", "event": "error", "type": "ValidationError", "message": "no such\ntable"}
    assert said | wanted == said
    assert (said["hint"], said["exit_status"]) == ("look", 2)


@pytest.mark.parametrize(
    ("arguments", "wanted"),
    [
        (["run", "a.sql"], False),
        (["run", "--log-format", "text", "json"], False),
        (["run", "--log-format=json"], True),
        (["run", "--log-format", "json"], True),
        (["run", "--log-format"], False),
    ],
)
def test_json_is_asked_for_on_the_command_line(arguments: list[str], wanted: bool) -> None:
    assert is_wanted(arguments) is wanted


def test_a_job_is_called_by_its_name_and_none_has_the_name_of_another() -> None:
    jobs = [Progress(name=name, batches=1) for name in ("a.sql: t", "a.sql: t", 'with "quotes"\\', "")]
    metrics = Metrics(registry_of(*jobs))
    lines = [line for line in metrics.text().splitlines() if line.startswith("firesteel_batches_total{")]
    assert lines == [
        'firesteel_batches_total{job="a.sql: t"} 1',
        'firesteel_batches_total{job="a.sql: t (2)"} 1',
        'firesteel_batches_total{job="with \\"quotes\\"\\\\"} 1',
        'firesteel_batches_total{job="4"} 1',
    ]
