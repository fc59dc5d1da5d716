"""The graph of a job: operators with their lines in the plan, exchanges with their keys."""

from __future__ import annotations

from tests.ui.jobs_shown import registry_of_jobs


def test_the_graph_of_a_join_and_an_aggregate() -> None:
    registry, progress = registry_of_jobs()
    job = registry.jobs()[0]
    graph = job.graph
    by_name = {step["operator"]: step for chain in graph["chains"] for step in chain["steps"]}
    assert by_name["GroupAggregate"]["plan"] in job.plan
    assert by_name["GroupAggregate"]["changelog_mode"] == "I,UA"
    assert by_name["Join"]["state"] == "join-1"
    assert by_name["read default_catalog.default_database.orders"]["plan"].startswith("TableSourceScan(")
    lines = {line.lstrip(" :+|-") for line in job.plan.splitlines()}
    assert {step["plan"] for step in by_name.values() if step["plan"]} <= lines
    keys = sorted(edge["keys"] for edge in graph["edges"] if edge["partitioning"] == "HASH")
    assert keys == [["country"], ["customer"], ["name"]]
    assert graph["sinks"] == [
        {"sink": 0, "table": "default_catalog.default_database.totals", "connector": "blackhole"}
    ]
    assert [chain["chain"] for chain in graph["chains"]] == sorted(progress.steps)
    for chain in graph["chains"]:
        assert tuple(step["operator"] for step in chain["steps"]) == progress.steps[chain["chain"]]
    assert job.graph is graph


def test_options_have_no_secrets() -> None:
    registry, _ = registry_of_jobs()
    about = registry.jobs()[0].about
    assert dict(about.options) == {"my.password": "******", "parallelism.default": "2"}
    assert (about.statements, about.checkpoint) == (1, None)
