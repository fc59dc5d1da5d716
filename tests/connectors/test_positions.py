"""What sinks note beside a batch's number, as values and as text."""

from __future__ import annotations

import pytest

from firesteel.connectors.positions import Origin, Position, from_json, from_text, to_json, to_text
from firesteel.errors import JobError

ORIGIN = Origin("lineage", "begin", "end", 3, ('{"file": 1, "byte": 0}', '{"t": {"0": 7}}'))


def test_json_and_back() -> None:
    assert from_json(to_json(ORIGIN)) == ORIGIN
    assert to_json(Origin()) == {}
    assert from_json(None) == Origin()
    assert from_json(to_json(ORIGIN) | {"of a later version": 1}) == ORIGIN


@pytest.mark.parametrize("limit", [1000, 4000])
def test_text_and_back(limit: int) -> None:
    assert from_text(to_text(ORIGIN, limit)) == ORIGIN
    assert to_text(Origin(), limit) == ""
    assert [from_text(text) for text in (None, "", "no JSON", "z:!", "[1]")] == [Origin()] * 5


def test_text_of_many_offsets_is_compressed_then_left_out() -> None:
    many = Origin("lineage", "b", "e", 1, tuple(f'{{"topic": {{"{i}": {i * 7919}}}}}' for i in range(200)))
    text = to_text(many, 4000)
    assert len(text) <= 4000
    assert from_text(text) == many
    short = to_text(many, 200)
    assert len(short) <= 200
    assert from_text(short) == Origin("lineage", "b", "e", 1)


def test_a_batch_that_is_there() -> None:
    at = Position(4, ORIGIN)
    assert not at.has(5, Origin("lineage", "end", "further"), "the sink")
    assert at.has(4, ORIGIN, "the sink")
    assert at.has(4, Origin(), "the sink")
    assert Position(4).has(3, ORIGIN, "the sink")


@pytest.mark.parametrize(
    ("batch", "origin"),
    [
        (4, Origin("lineage", "begin", "another end")),
        (4, Origin("another lineage", "begin", "end")),
        (3, Origin("lineage", "earlier", "begin")),
    ],
)
def test_a_batch_of_other_rows_is_refused(batch: int, origin: Origin) -> None:
    with pytest.raises(JobError, match="the sink: has micro-batch 4 of the job, made from other rows"):
        Position(4, ORIGIN).has(batch, origin, "the sink")
