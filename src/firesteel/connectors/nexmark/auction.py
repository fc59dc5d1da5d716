"""Columns of auctions, the second of Nexmark's three kinds of events."""

from __future__ import annotations

from functools import cached_property

import numpy as np
import pyarrow as pa

from firesteel.connectors.nexmark.event_rows import FIRST_ID, HOT_GROUP, EventRows, timestamps
from firesteel.connectors.nexmark.random_values import Integers
from firesteel.connectors.nexmark.texts import lengths_of

_FIRST_CATEGORY, _CATEGORIES = 10, 5


class Auctions(EventRows):
    """Columns of the auctions among some events."""

    FIELDS = (
        *("id", "item_name", "description", "initial_bid", "reserve"),
        *("date_time", "expires", "seller", "category", "extra"),
    )

    @cached_property
    def id(self) -> pa.Array:
        return pa.array(self.last_auction + FIRST_ID)

    @cached_property
    def item_name(self) -> pa.StringArray:
        return self.text("item name", 20)

    @cached_property
    def description(self) -> pa.StringArray:
        return self.text("description", 100)

    @cached_property
    def _initial_bid(self) -> Integers:
        return self.prices("initial bid")

    @cached_property
    def initial_bid(self) -> pa.Array:
        return pa.array(self._initial_bid)

    @cached_property
    def reserve(self) -> pa.Array:
        return pa.array(self._initial_bid + self.prices("reserve"))

    @cached_property
    def expires(self) -> pa.Array:
        return timestamps(self.millis + 1 + self.random.below("length", self.millis_to_close * 2))

    @cached_property
    def seller(self) -> pa.Array:
        hot = self.last_person // HOT_GROUP * HOT_GROUP
        is_hot = self.random.is_hot("is hot seller", self.options.hot_sellers)
        return pa.array(np.where(is_hot, hot, self.some_person("seller")) + FIRST_ID)

    @cached_property
    def category(self) -> pa.Array:
        return pa.array(_FIRST_CATEGORY + self.random.below("category", _CATEGORIES))

    @cached_property
    def extra(self) -> pa.StringArray:
        size = 48 + lengths_of(self.item_name) + lengths_of(self.description)
        return self.padding(size, self.options.auction_size)
