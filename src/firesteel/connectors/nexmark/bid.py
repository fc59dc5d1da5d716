"""Columns of bids, the third of Nexmark's three kinds of events."""

from __future__ import annotations

from functools import cache, cached_property

import numpy as np
import pyarrow as pa

from firesteel.connectors.nexmark.event_rows import FIRST_ID, HOT_GROUP, EventRows
from firesteel.connectors.nexmark.random_values import Integers
from firesteel.connectors.nexmark.texts import LEAST_LENGTH, chosen, pool

_HOT_CHANNELS = ("Google", "Facebook", "Baidu", "Apple")
_HOT_CHANNEL_RATIO = 2
_CHANNELS = 10_000
_FOLDERS = 3
_LONGEST_FOLDER = 4
_OTHER_SIZE = 32
"""Bytes of a bid's fields other than `extra`, as the public generator counts them.

It counts 8 bytes each for auction, bidder, price and time. It does not count the texts `channel` and `url`.
"""


class Bids(EventRows):
    """Columns of the bids among some events."""

    FIELDS = ("auction", "bidder", "price", "channel", "url", "date_time", "extra")

    @cached_property
    def auction(self) -> pa.Array:
        hot = np.maximum(self.last_auction, 0) // HOT_GROUP * HOT_GROUP
        is_hot = self.random.is_hot("is hot auction", self.options.hot_auctions)
        return pa.array(np.where(is_hot, hot, self.some_auction("auction")) + FIRST_ID)

    @cached_property
    def bidder(self) -> pa.Array:
        """Return the IDs of bidders.

        As in the public generator, FIRST_ID is added twice. So each ID is that of a person plus 1000.
        """
        hot = np.maximum(self.last_person, 0) // HOT_GROUP * HOT_GROUP + 1
        is_hot = self.random.is_hot("is hot bidder", self.options.hot_bidders)
        return pa.array(np.where(is_hot, hot, self.some_person("bidder")) + 2 * FIRST_ID)

    @cached_property
    def price(self) -> pa.Array:
        return pa.array(self.prices("price"))

    @cached_property
    def _channel(self) -> Integers:
        """Return the number of each bid's channel, int64[n].

        0 to 9,999 are the ordinary channels, 10,000 to 10,003 the four hot ones: Google, Facebook, Baidu and
        Apple. Half of the bids have a hot channel.
        """
        hot = _CHANNELS + self.random.below("hot channel", len(_HOT_CHANNELS))
        other = self.random.below("channel", _CHANNELS)
        return np.where(self.random.is_hot("is hot channel", _HOT_CHANNEL_RATIO), hot, other)

    @cached_property
    def channel(self) -> pa.StringArray:
        return chosen(_channels()[0], self._channel)

    @cached_property
    def url(self) -> pa.StringArray:
        return chosen(_channels()[1], self._channel)

    @cached_property
    def extra(self) -> pa.StringArray:
        return self.padding(_OTHER_SIZE, self.options.bid_size)


@cache
def _channels() -> tuple[pa.StringArray, pa.StringArray]:
    """Return the names and the URLs of all channels."""
    random = np.random.Generator(np.random.Philox(1))
    letters = pool("_").tobytes().decode("ascii")
    shape = (_CHANNELS + len(_HOT_CHANNELS), _FOLDERS)
    starts = random.integers(0, len(letters) - _LONGEST_FOLDER, shape).tolist()
    lengths = random.integers(LEAST_LENGTH, _LONGEST_FOLDER + 1, shape).tolist()
    has_id = random.integers(0, 10, _CHANNELS) > 0
    urls = []
    for channel, (places, sizes) in enumerate(zip(starts, lengths, strict=True)):
        folders = "/".join(letters[at : at + size] for at, size in zip(places, sizes, strict=True))
        url = f"https://www.nexmark.com/{folders}/item.htm?query=1"
        known = channel < _CHANNELS and has_id[channel]
        urls.append(f"{url}&channel_id={_channel_id(channel)}" if known else url)
    names = [*(f"channel-{number}" for number in range(_CHANNELS)), *_HOT_CHANNELS]
    return pa.array(names), pa.array(urls)


def _channel_id(number: int) -> int:
    """Return a channel's ID: the absolute value of its 32 bits in reverse (Java: abs(Integer.reverse))."""
    reversed_bits = int(f"{number:032b}"[::-1], 2)
    return reversed_bits if reversed_bits < 1 << 31 else (1 << 32) - reversed_bits
