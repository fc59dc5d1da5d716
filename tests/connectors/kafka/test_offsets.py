"""Positions, how far a micro-batch goes, and how it is cut."""

from __future__ import annotations

import json

from firesteel.connectors.kafka.offsets import (
    MIN_RANGE,
    Position,
    Range,
    ahead,
    by_partition,
    channel,
    cut,
    ranges,
)

A, B = ("a", 0), ("a", 10)


def test_a_position_is_json() -> None:
    position = Position({B: 7, A: 3}, {A: 9, B: 7}, {B: 5})
    assert Position.of(json.loads(json.dumps(position.to_json()))) == position
    assert json.dumps(Position({A: 3, B: 7}).to_json()) == json.dumps(Position({B: 7, A: 3}).to_json())


def test_an_end_is_reached_when_all_partitions_are() -> None:
    assert not Position({A: 3, B: 7}, {A: 4, B: 7}).finished
    assert Position({A: 4, B: 8}, {A: 4, B: 7}).finished
    assert not Position({A: 4}).finished


def test_a_limit_is_shared_by_what_waits() -> None:
    assert ahead({A: 0, B: 0}, {A: 300, B: 100}, 40) == {A: 30, B: 10}
    assert ahead({A: 0, B: 0}, {A: 300, B: 100}, None) == {A: 300, B: 100}
    assert ahead({A: 5, B: 9}, {A: 5, B: 10}, 1) == {A: 5, B: 10}
    assert ahead({A: 5}, {A: 3}, 1) == {A: 5}


def test_a_limit_is_used_up_to_the_last_row() -> None:
    latest = {("t", n): 100 + n for n in range(7)}
    for rows in (1, 3, 50, 717):
        assert sum(ahead(dict.fromkeys(latest, 0), latest, rows).values()) == rows


def test_ranges_of_old_and_of_new_partitions() -> None:
    found = ranges(Position({A: 3}), Position({A: 3, B: 9}, None, {B: 4}))
    assert found == [Range("a", 10, 4, 9)]


def test_few_messages_are_one_split_and_many_are_cut_evenly() -> None:
    few = [Range("a", n, 0, 10) for n in range(4)]
    assert [each.data["ranges"] for each in cut(few, 4)] == [[["a", n, 0, 10] for n in range(4)]]
    many = [Range("a", 0, 5, 5 + 3 * MIN_RANGE), Range("a", 1, 0, MIN_RANGE)]
    splits = cut(many, 2)
    assert [each.data["ranges"] for each in splits] == [
        [["a", 0, 5, 5 + 2 * MIN_RANGE]],
        [["a", 0, 5 + 2 * MIN_RANGE, 5 + 3 * MIN_RANGE], ["a", 1, 0, MIN_RANGE]],
    ]
    assert [each.ordinal for each in splits] == [0, 1]
    assert cut([], 2) == []


def test_each_split_reads_one_partition_where_partitions_have_watermarks() -> None:
    splits = cut([Range("t", 0, 5, 250_000), Range("t", 1, 0, 9), Range("u", 0, 3, 4)], 2)
    cut_more = by_partition(splits)
    assert [data for split in cut_more for data in split.data["ranges"]] == [
        data for split in splits for data in split.data["ranges"]
    ]
    assert {len(split.data["ranges"]) for split in cut_more} == {1}
    of = {split.channel: split.data["ranges"][0][:2] for split in cut_more}
    assert sorted(of.values()) == [["t", 0], ["t", 1], ["u", 0]]
    assert of[channel("t", 1)] == ["t", 1]
    assert max(of) < 1 << 32
