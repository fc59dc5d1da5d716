"""A checkpoint knows what it was made for."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from firesteel.runtime.spec import GroupAggregateSpec
from firesteel.spark.fingerprint import differences, plain
from tests.spark.jobs import grouped, nested


def test_a_job_is_json_and_equal_to_itself() -> None:
    value = plain(nested(Path("/d/t.json")))
    assert json.loads(json.dumps(value)) == value
    assert list(differences(value, value, "")) == []


def test_differences_name_the_place() -> None:
    before = grouped(Path("/d/t.json"))
    operator = before.chains[1].operators[0]
    assert isinstance(operator, GroupAggregateSpec)
    after = replace(
        before, chains=(before.chains[0], replace(before.chains[1], operators=(replace(operator, ttl=5),)))
    )
    assert list(differences(plain(before), plain(after), "")) == [("chains[1].operators[0].ttl", 0, 5)]


@pytest.mark.parametrize(
    ("before", "after", "path"),
    [
        ([1], [1, 2], "x"),
        ({"a": 1}, {"a": 1, "b": 2}, "x.b"),
        ({"a": [{"b": 1}]}, {"a": [{"b": 2}]}, "x.a[0].b"),
    ],
)
def test_shapes(before: object, after: object, path: str) -> None:
    assert [p for p, _, _ in differences(before, after, "x")] == [path]
