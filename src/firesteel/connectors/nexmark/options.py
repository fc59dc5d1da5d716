"""Options of the connector `nexmark`, named as in the public connector (nexmark-flink)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from firesteel.config.option import Kind, Option, TypedOptions, invalid
from firesteel.connectors.options import CONNECTOR, VERSION, WATERMARKS

MOST_SIZE = 8 << 10
"""Maximum mean size of an event in bytes, 8 KiB.

Events are made in blocks of up to 131,072, each an Arrow table. A string column of such a table holds at most
2 GiB. With this maximum, a block's texts have about 1 GiB.
"""
_NO_EFFECT = "Has no effect, as in the public connector."


def _deciding(key: str, kind: Kind, default: str, doc: str) -> Option:
    return Option(key, kind, default, doc, decides_offsets=True)


OPTIONS = (
    CONNECTOR,
    Option("events.num", Kind.LONG, "0", "Number of events. 0: the table has no end."),
    Option("stop-at", Kind.LONG, "-1", "Stop after so many events although there are more. -1: never."),
    Option("keep-alive", Kind.BOOLEAN, "false", "Keep the query running after the last event."),
    Option(
        "max-emit-speed",
        Kind.BOOLEAN,
        "true",
        "If false, events wait until their time has passed by the clock.",
    ),
    _deciding("first-event.rate", Kind.INTEGER, "10000", "Events in a second of event time."),
    _deciding("person.proportion", Kind.INTEGER, "1", "Persons in each group of events."),
    _deciding("auction.proportion", Kind.INTEGER, "3", "Auctions in each group of events."),
    _deciding("bid.proportion", Kind.INTEGER, "46", "Bids in each group of events."),
    _deciding("person.avg-size", Kind.MEMORY, "200b", "Mean size of a person."),
    _deciding("auction.avg-size", Kind.MEMORY, "500b", "Mean size of an auction."),
    _deciding("bid.avg-size", Kind.MEMORY, "100b", "Mean size of a bid, without channel and url."),
    _deciding(
        "bid.hot-ratio.auctions",
        Kind.INTEGER,
        "2",
        "One bid in so many is for another auction than the hot one.",
    ),
    _deciding(
        "bid.hot-ratio.bidders",
        Kind.INTEGER,
        "4",
        "One bid in so many is by others than the hot person.",
    ),
    _deciding(
        "auction.hot-ratio.sellers",
        Kind.INTEGER,
        "4",
        "One auction in so many is by others than the hot person.",
    ),
    Option(
        "base-time",
        Kind.LONG,
        None,
        "Event time before the first event, in milliseconds since 1970; the start of the query if not set. "
        "Not in the public connector.",
        decides_offsets=True,
    ),
    _deciding("seed", Kind.LONG, "0", "Seed of all random values. Not in the public connector."),
    Option("next-event.rate", Kind.INTEGER, "10000", _NO_EFFECT),
    Option("rate.shape", Kind.ENUM, "SQUARE", _NO_EFFECT, ("SQUARE", "SINE")),
    Option("rate.period", Kind.DURATION, "600 s", _NO_EFFECT),
    Option("rate.limited", Kind.BOOLEAN, "false", _NO_EFFECT),
    VERSION,
    *WATERMARKS,
)


@dataclass(frozen=True)
class NexmarkOptions:
    """Parsed options of one Nexmark table."""

    rate: int
    """Events for each second of event time."""
    person_proportion: int
    auction_proportion: int
    bid_proportion: int
    person_size: int
    auction_size: int
    bid_size: int
    hot_auctions: int
    hot_bidders: int
    hot_sellers: int
    seed: int
    base_time: int | None
    """Event time before the first event, in milliseconds since 1970. None means the start of the query."""
    total: int | None
    """Number of events, or None if the table has no end."""
    is_kept_alive: bool
    is_paced: bool
    """Whether an event is held back until the clock has reached its time."""

    @property
    def group(self) -> int:
        """Return the number of events in a group. A group has persons, then auctions, then bids."""
        return self.person_proportion + self.auction_proportion + self.bid_proportion


def parsed(given: Mapping[str, str]) -> NexmarkOptions:
    """Return the parsed options of a table.

    Raises:
        ValidationError: A value is not of the option's type or is out of range.
    """
    values = TypedOptions(OPTIONS, given)
    persons, auctions, bids = (
        _least(values, f"{kind}.proportion", 0) for kind in ("person", "auction", "bid")
    )
    if persons + auctions + bids == 0:
        raise invalid("bid.proportion", "one of the proportions must be above 0")
    number, stop = _least(values, "events.num", 0), values["stop-at"]
    ends = [*([number] if number else []), *([stop] if stop >= 0 else [])]
    for key in ("rate.shape", "rate.period", "rate.limited", "next-event.rate"):
        values[key]
    return NexmarkOptions(
        rate=_least(values, "first-event.rate", 1),
        person_proportion=persons,
        auction_proportion=auctions,
        bid_proportion=bids,
        person_size=_size(values, "person.avg-size"),
        auction_size=_size(values, "auction.avg-size"),
        bid_size=_size(values, "bid.avg-size"),
        hot_auctions=_least(values, "bid.hot-ratio.auctions", 1),
        hot_bidders=_least(values, "bid.hot-ratio.bidders", 1),
        hot_sellers=_least(values, "auction.hot-ratio.sellers", 1),
        seed=values["seed"],
        base_time=values["base-time"],
        total=min(ends, default=None),
        is_kept_alive=values["keep-alive"],
        is_paced=not values["max-emit-speed"],
    )


def _least(values: TypedOptions, key: str, least: int) -> int:
    value: int = values[key]
    if value < least:
        raise invalid(key, f"it must be at least {least}, not {value}")
    return value


def _size(values: TypedOptions, key: str) -> int:
    value: int = values[key]
    if value > MOST_SIZE:
        raise invalid(key, f"it must be at most {MOST_SIZE >> 10} kb")
    return value
