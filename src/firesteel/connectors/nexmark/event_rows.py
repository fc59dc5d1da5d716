"""Columns that persons, auctions and bids share: numbers, times, ids and random texts."""

from __future__ import annotations

from functools import cached_property

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from firesteel.connectors.nexmark.options import NexmarkOptions
from firesteel.connectors.nexmark.random_values import Integers, RandomValues
from firesteel.connectors.nexmark.texts import LEAST_LENGTH, pool, texts, trimmed

CHUNK = 1 << 13
"""Number of events whose texts are made together.

Chunks are counted from event 0, not from the start of a split. So an event has the same texts in any split.
"""
FIRST_ID = 1000
"""Id of the first person and of the first auction."""
HOT_GROUP = 100
"""Distance between the IDs of two hot persons, and of two hot auctions.

Many events refer to the newest hot person or auction. For example, hot auctions have the IDs 1000, 1100, 1200
and so on. Many bids are for auction 1200, until auction 1300 exists.
"""
_FIRST_NUMBER, _FIRST_EVENT_ID = 1, 2
"""Number and ID of the first event. They differ by 1, as in the public generator.

The next events have the numbers 2, 3, ... and the IDs 3, 4, ... The number of an event determines its time.
The ID determines whether the event is a person, an auction or a bid.
"""
_ACTIVE_PERSONS, _OPEN_AUCTIONS = 1000, 100
_LEAD = 10
"""Number of future IDs that events may refer to, though they do not exist yet."""


class Block:
    """Whole chunks of events.

    Args:
        options: Options of the table.
        base_time: Event time before the first event, in milliseconds since 1970.
        first: Number of the block's first event from 0, a multiple of CHUNK.
        count: Number of events, a multiple of CHUNK.
    """

    def __init__(self, options: NexmarkOptions, base_time: int, first: int, count: int) -> None:
        self.options, self.base_time, self.first, self.count = options, base_time, first, count
        ids = np.arange(first + _FIRST_EVENT_ID, first + _FIRST_EVENT_ID + count)
        self.group, self.place = np.divmod(ids, options.group)

    def kinds(self) -> np.ndarray[tuple[int], np.dtype[np.int32]]:
        """Return 0 for a person, 1 for an auction, 2 for a bid, int32[count]."""
        first_bid = self.options.person_proportion + self.options.auction_proportion
        return (self.place >= self.options.person_proportion).astype(np.int32) + (self.place >= first_bid)


class EventRows:
    """Columns of the events of one kind in a block. Each column is made when it is read.

    Args:
        block: The block.
        rows: Positions of these events in the block, int64[n].
    """

    def __init__(self, block: Block, rows: Integers) -> None:
        self.options, self.rows = block.options, rows
        self._block = block
        self._numbers = rows + block.first
        self.random = RandomValues(block.options.seed, self._numbers)
        self._group, self._place = block.group[rows], block.place[rows]

    # --- times ---------------------------------------------------------------------------------------
    def _millis_at(self, numbers: Integers) -> Integers:
        """Return the time of each event in milliseconds since 1970, int64[n].

        Args:
            numbers: Number of each event, int64[n], counted from 1 for the first event of the table. The time
                is base_time + 1000 * number / rate.
        """
        micros = (numbers * (1_000_000.0 / self.options.rate)).astype(np.int64)
        return self._block.base_time + micros // 1000

    @cached_property
    def millis(self) -> Integers:
        """Event time of each event in milliseconds since 1970, int64[n]."""
        return self._millis_at(self._numbers + _FIRST_NUMBER)

    @cached_property
    def date_time(self) -> pa.Array:
        """Event time of each event, as TIMESTAMP(3)."""
        return timestamps(self.millis)

    @cached_property
    def millis_to_close(self) -> Integers:
        """Milliseconds from each event until 100 more auctions have begun, int64[n].

        100 auctions are open at a time, so this is how long an auction is open.
        """
        events = _OPEN_AUCTIONS * self.options.group // max(1, self.options.auction_proportion)
        return self._millis_at(self._numbers + _FIRST_NUMBER + events) - self.millis

    # --- ids, counted from 0 -------------------------------------------------------------------------
    @cached_property
    def last_person(self) -> Integers:
        """Number of the newest person at the time of each event, int64[n]."""
        persons = self.options.person_proportion
        return self._group * persons + np.minimum(self._place, persons - 1)

    @cached_property
    def last_auction(self) -> Integers:
        """Number of the newest auction at the time of each event, int64[n]; -1 if there is none."""
        persons, auctions = self.options.person_proportion, self.options.auction_proportion
        place = np.minimum(self._place - persons, auctions - 1)
        return self._group * auctions + np.where(place < 0, -1, place)

    def some_person(self, stream: str) -> Integers:
        """Return the number of a random person for each event: a recent one, or one of the next ten.

        `stream` names the property that gets the number (random_values.py).
        """
        count = self.last_person + 1
        active = np.minimum(count, _ACTIVE_PERSONS)
        return count - active + self.random.below(stream, active + _LEAD)

    def some_auction(self, stream: str) -> Integers:
        """Return the number of a random auction for each event: a recent one, or one of the next ten.

        `stream` names the property that gets the number (random_values.py).
        """
        least = np.maximum(self.last_auction - _OPEN_AUCTIONS, 0)
        count = self.last_auction - least + 1 + _LEAD
        return self.random.below(stream, count) + least

    # --- values --------------------------------------------------------------------------------------
    def prices(self, stream: str) -> Integers:
        """Return random prices in cents, from 10^2 to 10^8. Their logarithms are equally distributed."""
        exponents: NDArray[np.float64] = self.random.uniform(stream) * (6 * np.log(10.0))
        return np.rint(np.exp(exponents) * 100.0).astype(np.int64)

    def text(self, stream: str, most: int) -> pa.StringArray:
        """Return a random text for each event.

        A text has 3 to `most` - 1 characters, and then loses the blanks at both ends. `stream` names the
        property that gets the text (random_values.py).
        """
        lengths = LEAST_LENGTH + self.random.below(f"{stream} length", most - LEAST_LENGTH)
        return trimmed(self._texts(stream, lengths, " "))

    def padding(self, size: int | Integers, mean_size: int) -> pa.StringArray:
        """Return texts that fill up events to a mean size. A large event gets an empty text.

        Args:
            size: Bytes of the other fields, one number or int64[n].
            mean_size: Mean bytes of an event with its text. The text's length varies by a fifth.
        """
        missing = np.broadcast_to(np.maximum(mean_size - np.asarray(size), 0), len(self.rows))
        vary = np.floor(missing * 0.2 + 0.5).astype(np.int64)
        return self._texts("extra", missing - vary + self.random.below("extra length", 2 * vary))

    def _texts(self, stream: str, lengths: Integers, special: str = "") -> pa.StringArray:
        block = self._block
        bounds = np.searchsorted(self.rows, np.arange(0, block.count + 1, CHUNK))
        chunks = np.arange(block.first // CHUNK, (block.first + block.count) // CHUNK)
        starts = RandomValues(self.options.seed, chunks).words(f"{type(self).__name__} {stream}")
        return texts(lengths, bounds, starts, pool(special))


def timestamps(millis: Integers) -> pa.Array:
    """Return TIMESTAMP(3) values of milliseconds since 1970."""
    return pa.array(millis * 1000).view(pa.timestamp("us"))
