"""The page's pure functions, run by node."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

MODULES = Path(__file__).parents[2] / "src" / "firesteel" / "ui" / "static" / "js"
NODE = shutil.which("node")
pytestmark = pytest.mark.skipif(NODE is None, reason="node is not installed")

GRAPH = {
    "chains": [
        {"chain": 0, "steps": [{"operator": "read t", "state": None}, {"operator": "send", "state": None}]},
        {
            "chain": 1,
            "steps": [
                {"operator": "exchange", "state": None, "changelog_mode": None},
                {"operator": "Join", "state": "join-1", "changelog_mode": "I,UA,D"},
                {"operator": "send", "state": None, "changelog_mode": None},
            ],
        },
    ],
    "edges": [
        {"from": 0, "to": 1, "partitioning": "HASH", "keys": ["a", "b"], "changelog_mode": "I"},
        {"from": 1, "to": None, "sink": 0, "partitioning": "FORWARD", "keys": [], "changelog_mode": None},
    ],
    "sinks": [{"sink": 0, "table": "c.d.out"}],
}


def run(module: str, expression: str, **values: Any) -> Any:
    """Return what an expression over a module `m` and values gives."""
    code = (
        f"import * as m from {json.dumps((MODULES / module).as_uri())};\n"
        f"const {{{', '.join(values) or 'none'}}} = {json.dumps(values)};\n"
        f"console.log(JSON.stringify({expression}) ?? 'null');"
    )
    done = subprocess.run(
        [str(NODE), "--input-type=module", "-e", code], capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_numbers_and_times() -> None:
    found = run(
        "format.js",
        "[m.count(9999), m.count(1234567), m.count(null), m.bytes(100), m.bytes(2048), m.duration(0.25), "
        "m.duration(75), m.duration(3725), m.duration(200000), "
        "m.time(0), m.time(1767325845678), m.share(0.5)]",
    )
    assert found == [
        "9999", "1.23 M", "–", "100 B", "2.00 KiB", "250 ms", "1 min 15 s", "1 h 02 min", "2 d 7 h",
        "–", "2026-01-02 03:50:45.678", "50 %",
    ]  # fmt: skip


def test_events_change_the_state() -> None:
    found = run(
        "model.js",
        "(() => { let s = m.empty('1');"
        "for (const [name, data] of events) s = m.applied(s, name, data, 0);"
        "return [[...s.jobs.keys()], s.job.id, s.batches.map((b) => b.batch), s.missing]; })()",
        events=[
            ["jobs", {"jobs": [{"id": "1"}, {"id": "2"}]}],
            ["changes", {"jobs": [{"id": "3"}], "gone": ["2"]}],
            ["job", {"id": "1", "chains": []}],
            ["job", {"id": "7", "chains": []}],
            ["batches", {"id": "1", "batches": [{"batch": 1, "ended": "a"}, {"batch": 2, "ended": "b"}]}],
            ["batches", {"id": "1", "batches": [{"batch": 2, "ended": "b"}, {"batch": 3, "ended": "c"}]}],
        ],
    )
    assert found == [["1", "3"], "1", [1, 2, 3], False]


def test_a_job_of_the_next_command_begins_anew() -> None:
    batch = {"id": "1", "batches": [{"batch": 1, "ended": "a"}]}
    found = run(
        "model.js",
        "(() => { let s = m.empty('1');"
        "for (const [name, data] of events) s = m.applied(s, name, data, 0);"
        "return [s.jobs.size, s.job.created, s.batches.length, s.samples.length, s.watched]; })()",
        events=[
            ["jobs", {"jobs": [{"id": "1"}]}],
            ["job", {"id": "1", "chains": [], "created": "10:00"}],
            ["batches", batch],
            ["job", {"id": "1", "chains": [], "created": "10:00"}],
            ["jobs", {"jobs": [{"id": "1"}, {"id": "2"}]}],
            ["job", {"id": "1", "chains": [], "created": "11:00"}],
        ],
    )
    assert found == [2, "11:00", 0, 1, "1"]


def test_what_is_kept_is_bounded() -> None:
    found = run(
        "model.js",
        "(() => { let s = m.empty('1');"
        "for (let i = 0; i < 5000; i++) {"
        "  s = m.applied(s, 'batches', {id: '1', batches: [{batch: i, ended: String(i)}]}, i);"
        "  if (i < 100) s = m.applied(s, 'job', {id: '1', chains: []}, i); }"
        "return [s.batches.length, s.batches.at(-1).batch, s.samples.length]; })()",
    )
    assert found == [1000, 4999, 12]


def test_rates_and_states_of_operators() -> None:
    step = {"records_out": 0, "busy_seconds": 0}
    samples = [
        {"now": 1000, "chains": [{"chain": 1, "steps": [step]}]},
        {"now": 3000, "chains": [{"chain": 1, "steps": [{"records_out": 500, "busy_seconds": 1}]}]},
    ]
    states = [
        {"state": "join-1/left", "entries": 2, "bytes": 20},
        {"state": "join-1/right", "entries": 3, "bytes": 30},
        {"state": "join-10/left", "entries": 9, "bytes": 90},
    ]
    assert run("model.js", "m.rates(samples).get('1/0')", samples=samples) == {"rows": 250, "busy": 0.5}
    found = run("model.js", "[m.stateOf(s, 'join-1'), m.stateOf(s, null)]", s=states)
    assert found == [{"entries": 5, "bytes": 50}, None]


def test_jobs_are_filtered() -> None:
    jobs = [
        {"id": "1", "label": "a: t", "state": "RUNNING", "statement": "INSERT"},
        {"id": "2", "label": "b: t", "state": "FAILED", "statement": "SELECT"},
    ]
    for text, ids in {"": ["2", "1"], " failed": ["2"], "insert": ["1"], "x": []}.items():
        assert run("model.js", "m.filtered(jobs, text).map((j) => j.id)", jobs=jobs, text=text) == ids


def test_the_layout_gets_chains_sinks_and_labels() -> None:
    found = run("graph_model.js", "m.elkGraph(graph)", graph=GRAPH)
    assert [each["id"] for each in found["children"]] == ["c0", "c1", "s0"]
    assert [(each["sources"], each["targets"]) for each in found["edges"]] == [
        (["c0"], ["c1"]),
        (["c1"], ["s0"]),
    ]
    assert [each["labels"][0]["text"] for each in found["edges"]] == ["hash[a, b] [I]", ""]
    assert run("graph_model.js", "m.shownSteps(g.chains[1]).map((s) => s.place)", g=GRAPH) == [1]


def test_arrow_keys_lead_to_neighbours() -> None:
    boxes = [{"id": "a", "x": 0, "y": 0}, {"id": "b", "x": 0, "y": 90}, {"id": "c", "x": 400, "y": 0}]
    edges = [{"sources": ["b"], "targets": ["c"]}]
    pairs = [
        ["a", "ArrowDown"],
        ["b", "ArrowRight"],
        ["c", "ArrowLeft"],
        ["a", "ArrowUp"],
        ["a", "ArrowRight"],
    ]
    found = run(
        "graph_model.js", "p.map(([id, key]) => m.neighbour(b, e, id, key))", b=boxes, e=edges, p=pairs
    )
    assert found == ["b", "c", "b", "a", "a"]


def test_clicks_on_a_column_sort_up_and_down_and_then_not() -> None:
    found = run("result.js", "[1, 2, 3, 4].reduce((w) => [...w, m.sorted(w.at(-1), 1)], [m.FIRST])")
    assert [(each["sort"], each["order"]) for each in found] == [
        (-1, "asc"), (1, "asc"), (1, "desc"), (-1, "asc"), (1, "asc"),
    ]  # fmt: skip
    assert run("result.js", "m.asked({...m.FIRST, find: 'a&b'})").endswith("find=a%26b&page=0")


def test_what_is_left_out_of_a_result_is_said() -> None:
    rows = {"view": "table", "found": 12, "row_count": 2_000_000, "is_partial": True, "most": 100_000}
    assert run("result.js", "m.said(r)", r=rows).startswith("12 of 2.00 M rows. Only the first 100 k rows")
    assert run("result.js", "m.said(r)", r={**rows, "is_partial": False}) == "12 of 2.00 M rows"


def test_rows_replace_the_rows_before() -> None:
    found = run(
        "model.js",
        "rows.reduce((s, r) => m.applied(s, 'rows', r, 0), m.empty('1')).rows",
        rows=[{"id": "1", "page": 0}, {"id": "1", "page": 1}, {"id": "2", "page": 5}],
    )
    assert found == {"id": "1", "page": 1}


def test_hot_keys() -> None:
    job = {
        "hot_keys": [
            {
                "chain": 1,
                "port": 0,
                "operator": "Join",
                "rows": 200,
                "keys": [{"key": ["Tom", None], "rows": 100}],
            },
            {"chain": 1, "port": 1, "operator": "Join", "rows": 50, "keys": [{"key": ["a"], "rows": 1}]},
        ]
    }
    assert run("tables.js", "m.hotKeys(job)", job=job) == [
        ["Join", "Tom, NULL", "100", "50 %"],
        ["Join, input 2", "a", "1", "2.0 %"],
    ]
    assert run("tables.js", "m.hotKeys(job)", job={}) == []


def test_a_sample_is_called_one() -> None:
    sample = {"view": "changes", "is_sample": True, "changes": [["+I", "1"]], "change_count": 9}
    assert run("result.js", "m.said(rows)", rows=sample).startswith("A sample of the last changes")
    assert "&sink=0&" in run("result.js", "m.asked(m.FIRST)")
