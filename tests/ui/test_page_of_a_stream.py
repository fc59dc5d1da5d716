"""The page of a job that runs: Kafka to a window, a join and a sink, in a browser and with 50 clients."""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from datetime import datetime, timedelta
from typing import Any
from urllib.request import urlopen

import pytest
from tools.kafka_broker import Broker, NoJarsError

from tests.recovery.runs import Run
from tests.ui.browser import (
    asked_elsewhere,
    is_too_wide,
    needs_browser,
    opened_browser,
    opened_tab,
    serious_faults,
    take_picture,
)

pytestmark = [*needs_browser, pytest.mark.timeout(900)]
CLIENTS = 50
NARROW = 400
NAMES, TEAMS = 20, 4
BEGIN = datetime(2026, 1, 1)
SCRIPT = """\
SET 'firesteel.source.max-rows-per-batch' = '2000';
CREATE TABLE clicks (id BIGINT, name STRING, ts TIMESTAMP(3), WATERMARK FOR ts AS ts)
WITH ('connector' = 'kafka', 'topic' = '{clicks}', 'properties.bootstrap.servers' = '{servers}',
  'scan.startup.mode' = 'earliest-offset', 'format' = 'json');
CREATE TABLE teams (name STRING, team STRING, PRIMARY KEY (name) NOT ENFORCED)
WITH ('connector' = 'kafka', 'topic' = '{teams}', 'properties.bootstrap.servers' = '{servers}',
  'scan.startup.mode' = 'earliest-offset', 'format' = 'canal-json');
CREATE TABLE minutes (minute_end TIMESTAMP(3), team STRING, n BIGINT) WITH ('connector' = 'blackhole');
INSERT INTO minutes
SELECT w.window_end, t.team, SUM(w.n) FROM (
  SELECT name, window_end, COUNT(*) AS n
  FROM TABLE(TUMBLE(TABLE clicks, DESCRIPTOR(ts), INTERVAL '1' MINUTE))
  GROUP BY name, window_start, window_end) AS w
JOIN teams AS t ON w.name = t.name
GROUP BY w.window_end, t.team;
"""
VIEWS = {
    "": "tbody tr:has-text('RUNNING')",
    "#/jobs/1/graph": ".box:has-text('Join')",
    "#/jobs/1/batches": ".chart canvas",
    "#/jobs/1/result": "tbody tr:has-text('team')",
    "#/jobs/1/plan": ".line:has-text('WindowAggregate')",
    "#/jobs/1/sources": "table:has-text('clicks')",
    "#/jobs/1/options": "table",
    "#/jobs/1/history": "table",
}


@contextmanager
def repeated(act: Callable[[int], None], seconds: float) -> Iterator[None]:
    """Call a function with 0, 1, 2 and so on in the background, with a pause after each call."""
    over = threading.Event()

    def go() -> None:
        number = 0
        while not over.wait(seconds):
            act(number)
            number += 1

    thread = threading.Thread(target=go)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def fill(broker: Broker, clicks: str, teams: str) -> Callable[[int], None]:
    """Return a function that sends 40 seconds of clicks and moves a name to another team."""
    from confluent_kafka import Producer

    producer = Producer({"bootstrap.servers": broker.servers})

    def send(number: int) -> None:
        for click in range(200):
            ts = BEGIN + timedelta(seconds=number * 40 + click // 5)
            row = {"id": number * 200 + click, "name": f"name{click % NAMES}", "ts": str(ts)}
            producer.produce(clicks, json.dumps(row))
        name = f"name{number % NAMES}"
        kind, old = ("INSERT", None) if number < NAMES else ("UPDATE", [{"team": team(number - NAMES)}])
        change = {"data": [{"name": name, "team": team(number)}], "old": old, "type": kind, "isDdl": False}
        producer.produce(teams, json.dumps(change))
        producer.flush()

    return send


def team(number: int) -> str:
    """Return the team of a name after so many changes."""
    return f"team {number % (TEAMS + 1) % TEAMS}"


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The page of the running job, while its topics are filled."""
    pytest.importorskip("uvicorn")
    pytest.importorskip("confluent_kafka")
    folder = tmp_path_factory.mktemp("stream")
    try:
        broker = Broker(tmp_path_factory.mktemp("kafka"))
    except NoJarsError as error:
        pytest.skip(f"no Kafka broker: its jars cannot be fetched ({error})")
    clicks, teams = broker.create("clicks"), broker.create("teams")
    script = folder / "minutes.sql"
    script.write_text(SCRIPT.format(clicks=clicks, teams=teams, servers=broker.servers))
    with ExitStack() as cleanup:
        cleanup.callback(broker.stop)
        cleanup.enter_context(repeated(fill(broker, clicks, teams), 0.1))
        job = Run("firesteel.cli.main", "run", script, "--ui", 0, "--checkpoint", folder / "checkpoint")
        cleanup.callback(job.wait)
        cleanup.callback(job.terminate)
        page = address(job)
        while batches(page) < 3:
            assert job.poll() is None, job.said
            time.sleep(0.1)
        yield page
        assert job.poll() is None, job.said


def address(job: Run) -> str:
    """Wait until a job says where its page is."""
    while not (found := re.search(r"ui: (http://\S+)", job.said)):
        assert job.poll() is None, job.said
        time.sleep(0.05)
    return found[1].rstrip("/")


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with opened_browser() as opened:
        yield opened


@pytest.mark.parametrize("view", VIEWS)
def test_each_view_of_a_running_job(browser: Any, url: str, view: str) -> None:
    """It shows what it is for, has no error and no serious fault, and asks no other machine."""
    with opened_tab(browser) as tab:
        tab.goto(f"{url}/{view}")
        tab.wait_for_selector(VIEWS[view])
        take_picture(tab, "stream-" + (view.strip("#/").replace("/", "-") or "jobs"))
        assert serious_faults(tab) == []
        assert not is_too_wide(tab, NARROW)
        assert serious_faults(tab) == []
        assert tab.problems == []
        assert asked_elsewhere(tab, url) == set()


def test_many_clients_see_the_job_go_on(url: str) -> None:
    """Each of 50 gets the job and then its changes."""
    with ExitStack() as opened:
        clients = [
            opened.enter_context(urlopen(f"{url}/api/v1/events?job=1&rows=view%3Dchanges", timeout=120))
            for _ in range(CLIENTS)
        ]
        for client in clients:
            kinds = set()
            while not {"jobs", "job", "batches", "rows", "changes"} <= kinds:
                line = client.readline().decode()
                assert line, kinds
                if line.startswith("event: "):
                    kinds.add(line.removeprefix("event: ").strip())
        before = batches(url)
        while batches(url) < before + 2:
            time.sleep(0.1)


def batches(url: str) -> int:
    """Return the number of micro-batches of the job, 0 while it is planned."""
    with urlopen(f"{url}/api/v1/jobs", timeout=120) as answer:
        jobs = json.load(answer)["jobs"]
    return sum(job["metrics"]["batches_total"] for job in jobs if job["metrics"])
