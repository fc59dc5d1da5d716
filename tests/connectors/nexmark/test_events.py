"""Nexmark events: the same however they are cut and read, with the public distributions."""

from __future__ import annotations

import math
from collections import Counter
from datetime import datetime, timedelta, timezone
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest

from firesteel.connectors.nexmark.event_rows import CHUNK
from firesteel.types.value_parts import WHOLE
from tests.connectors.nexmark.events import BASE_TIME, rows, source, table

MANY = 50_000


def test_the_number_of_splits_changes_no_event() -> None:
    alone = table(source(events_num=300_000), 1)
    three = source(events_num=300_000).splits(3)
    assert [split.data["first"] for split in three] == [0, 100_000, 200_000]
    read = table(source(events_num=300_000), 3)
    assert read.drop(["$order"]).equals(alone.drop(["$order"]))
    assert np.all(np.diff(read["$order"].to_numpy()) > 0)


@pytest.mark.parametrize("cut", [1, CHUNK - 1, CHUNK, 3 * CHUNK + 5])
def test_where_a_micro_batch_begins_changes_no_event(cut: int) -> None:
    made, whole = source(events_num=4 * CHUNK), table(source(events_num=4 * CHUNK))
    start = made.initial_offset()
    for first, end in ((0, cut), (cut, 4 * CHUNK)):
        splits = made.splits_between({**start, "event": first}, {**start, "event": end}, 1)
        (part,) = (each for split in splits for each in made.read(split))
        assert part.drop(["$order"]).equals(whole.slice(first, end - first).drop(["$order"]))


def test_another_seed_makes_other_events() -> None:
    one, two = (table(source(events_num=1000, seed=seed))["f3"] for seed in (0, 1))
    same = pc.mean(pc.equal(pc.struct_field(one, "price"), pc.struct_field(two, "price")))
    assert same.as_py() < 0.01


def test_only_what_is_read_is_made() -> None:
    parts = (WHOLE, (), (("id",), ("expires",)), (("extra",),))
    read, whole = table(source(parts=parts, events_num=2000)), table(source(events_num=2000))
    assert read["f0"].equals(whole["f0"])
    assert read["f1"].null_count == 2000
    for column, field in (("f2", "id"), ("f2", "expires"), ("f3", "extra")):
        assert pc.struct_field(read[column], field).equals(pc.struct_field(whole[column], field))
    assert pc.struct_field(read["f3"], "price").null_count == 2000
    assert pc.struct_field(read["f2"], "itemName").null_count == 2000


def test_the_order_of_the_projection_is_kept() -> None:
    read = table(source((3, 0), events_num=100))
    assert read["f0"].equals(table(source(events_num=100))["f3"])
    assert read["f1"].to_pylist()[:3] == [1, 1, 2]


def test_a_group_has_a_person_three_auctions_and_46_bids() -> None:
    kinds = table(source(events_num=1050))["f0"].to_pylist()
    assert kinds[48:98] == [0, 1, 1, 1, *[2] * 46]
    assert Counter(kinds) == {0: 21, 1: 63, 2: 966}
    found = table(source(events_num=1000, person_proportion=2, auction_proportion=5, bid_proportion=0))
    assert Counter(found["f0"].to_pylist()) == {0: 285, 1: 715}


def _expected_ids(event: int, persons: int, auctions: int, total: int) -> tuple[int, int]:
    """The last person and auction at an event, one event at a time."""
    last = {"person": -1, "auction": -1}
    for number in range(event + 1):
        place = number % total
        if place < persons:
            last["person"] += 1
        elif place < persons + auctions:
            last["auction"] += 1
    return last["person"], last["auction"]


@pytest.mark.parametrize(("persons", "auctions", "bids"), [(1, 3, 46), (3, 1, 2), (2, 2, 1), (4, 7, 0)])
def test_ids_count_persons_and_auctions(persons: int, auctions: int, bids: int) -> None:
    made = source(events_num=300, person_proportion=persons, auction_proportion=auctions, bid_proportion=bids)
    for event, each in enumerate(table(made).to_pylist(), 2):  # the public generator begins with event id 2
        person, auction = _expected_ids(event, persons, auctions, persons + auctions + bids)
        if each["f0"] == 0:
            assert each["f1"]["id"] == 1000 + person
        elif each["f0"] == 1:
            assert each["f2"]["id"] == 1000 + auction
            assert 1000 <= each["f2"]["seller"] <= 1000 + person + 10
        else:
            assert 1000 <= each["f3"]["auction"] <= 1000 + auction + 10
            assert 2000 <= each["f3"]["bidder"] <= 2000 + person + 10


@pytest.mark.parametrize("lacks", ["person", "auction"])
def test_a_kind_may_be_left_out(lacks: str) -> None:
    none: dict[str, Any] = {f"{lacks}_proportion": 0}
    found = rows(source(events_num=500, **none))
    assert len(found) == 500


def test_times_follow_the_rate() -> None:
    begin = datetime.fromtimestamp(BASE_TIME / 1000, timezone.utc).replace(tzinfo=None)
    found = [each["dateTime"] - begin for each in rows(source(events_num=1000, first__event_rate=400))]
    assert found[:3] == [timedelta(milliseconds=millis) for millis in (2, 5, 7)]
    assert found[-1] == timedelta(seconds=2.5)


def test_shares_of_what_is_hot() -> None:
    whole = table(source(events_num=MANY))
    bids = whole["f3"].drop_null()
    auctions, bidders = (pc.struct_field(bids, name).to_numpy() for name in ("auction", "bidder"))
    assert 0.45 < np.mean(auctions % 100 == 0) < 0.56
    assert 0.73 < np.mean(bidders % 100 == 1) < 0.78
    sellers = pc.struct_field(whole["f2"].drop_null(), "seller").to_numpy()
    assert 0.72 < np.mean(sellers % 100 == 0) < 0.79
    channels = Counter(pc.struct_field(bids, "channel").to_pylist())
    hot = sum(channels[name] for name in ("Google", "Facebook", "Baidu", "Apple"))
    assert 0.48 < hot / len(bids) < 0.52
    assert len(channels) > 8000
    named = pc.match_substring(pc.struct_field(bids, "url"), "&channel_id=")
    assert 0.43 < pc.mean(named).as_py() < 0.47


def test_prices_are_even_on_a_logarithmic_scale() -> None:
    prices = pc.struct_field(table(source(events_num=MANY))["f3"].drop_null(), "price").to_numpy()
    assert (prices.min() >= 100, prices.max() <= 100_000_000) == (True, True)
    shares, _ = np.histogram(np.log10(prices), bins=6, range=(2, 8))
    assert np.all(np.abs(shares / len(prices) - 1 / 6) < 0.01)


def test_auctions_close_when_a_hundred_more_have_begun_on_average() -> None:
    auctions = table(source(events_num=MANY))["f2"].drop_null()
    lasts = pc.subtract(pc.struct_field(auctions, "expires"), pc.struct_field(auctions, "dateTime"))
    millis = lasts.cast("int64").to_numpy() / 1000
    horizon = math.floor(100 * 50 / 3) / 10  # 10 events a millisecond
    assert millis.min() >= 1
    assert millis.max() <= 2 * horizon + 2
    assert abs(millis.mean() / horizon - 1) < 0.05


def test_events_have_their_mean_sizes() -> None:
    people, auctions, bids = (
        table(source(events_num=MANY))[column].drop_null() for column in ("f1", "f2", "f3")
    )

    def size(column: pa.Array, *names: str) -> float:
        lengths = (pc.mean(pc.binary_length(pc.struct_field(column, name))) for name in names)
        return sum(float(length.as_py()) for length in lengths)

    texts = ("name", "emailAddress", "creditCard", "city", "state", "extra")
    assert abs(8 + size(people, *texts) - 200) < 2
    assert abs(48 + size(auctions, "itemName", "description", "extra") - 500) < 2
    assert abs(32 + size(bids, "extra") - 100) < 1
    lengths = pc.binary_length(pc.struct_field(bids, "extra")).to_numpy()
    assert (lengths.min(), lengths.max()) == (54, 81)


def test_texts() -> None:
    found = table(source(events_num=MANY))
    for column, name, form in (
        ("f1", "name", r"^[A-Z][a-z]+ [A-Z][a-z]+$"),
        ("f1", "emailAddress", r"^[a-z ]{0,6}@[a-z ]{0,4}\.com$"),
        ("f1", "creditCard", r"^\d{4} \d{4} \d{4} \d{4}$"),
        ("f1", "extra", r"^[a-z]+$"),
        ("f2", "itemName", r"^([a-z]([a-z ]{0,17}[a-z])?)?$"),
        ("f3", "channel", r"^(channel-\d+|Google|Apple|Baidu|Facebook)$"),
        ("f3", "url", r"^https://www\.nexmark\.com(/[a-z_]{3,4}){3}/item\.htm\?query=1(&channel_id=\d+)?$"),
    ):
        values = pc.struct_field(found[column].drop_null(), name)
        assert pc.all(pc.match_substring_regex(values, form)).as_py(), name
    extras = pc.struct_field(found["f3"].drop_null(), "extra")
    assert pc.count_distinct(extras).as_py() > 0.99 * len(extras)
