"""Tables of Nexmark events, with the columns event_type, person, auction and bid."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np
import pyarrow as pa

from firesteel.connectors.nexmark.auction import Auctions
from firesteel.connectors.nexmark.bid import Bids
from firesteel.connectors.nexmark.event_rows import CHUNK, Block, EventRows
from firesteel.connectors.nexmark.person import Persons
from firesteel.connectors.nexmark.texts import spread
from firesteel.types import sql
from firesteel.types.arrow import to_arrow
from firesteel.types.sql import SqlType
from firesteel.types.value_parts import Parts, is_read

_TIME = sql.timestamp(3)
EVENT_TYPE = sql.INT
PERSON = sql.row(
    ("id", "name", "emailAddress", "creditCard", "city", "state", "dateTime", "extra"),
    (sql.BIGINT, *(sql.STRING,) * 5, _TIME, sql.STRING),
)
AUCTION = sql.row(
    (
        *("id", "itemName", "description", "initialBid", "reserve"),
        *("dateTime", "expires", "seller", "category", "extra"),
    ),
    (sql.BIGINT, *(sql.STRING,) * 2, *(sql.BIGINT,) * 2, _TIME, _TIME, *(sql.BIGINT,) * 2, sql.STRING),
)
BID = sql.row(
    ("auction", "bidder", "price", "channel", "url", "dateTime", "extra"),
    (*(sql.BIGINT,) * 3, *(sql.STRING,) * 2, _TIME, sql.STRING),
)
COLUMNS = {"event_type": EVENT_TYPE, "person": PERSON, "auction": AUCTION, "bid": BID}
"""Columns of an event table and their types, in this order."""
BLOCK = 16 * CHUNK
"""Maximum number of events in a Block, and so the maximum number of rows in a table of events."""
_KINDS: tuple[type[Persons | Auctions | Bids], ...] = (Persons, Auctions, Bids)


class EventTable:
    """Builder of the columns of a block of events.

    Args:
        types: Types of the table's four columns: event_type, person, auction and bid.
        parts: For each of these columns, the fields that are read, as paths (types/value_parts.py).
            (("name",),) is only the field `name` of a person, ((),) the whole column, () an unread column.
            Fields and columns that are not read become NULL.
    """

    def __init__(self, types: Sequence[SqlType], parts: Sequence[Parts]) -> None:
        self._types, self._parts = types, parts

    def column(self, block: Block, position: int) -> pa.Array:
        """Return a column of the events of a block.

        Args:
            block: The events.
            position: Position of the column in the table.
        """
        kind, parts = self._types[position], self._parts[position]
        if not parts:
            return _nulls(to_arrow(kind), block.count)
        if position == 0:
            return pa.array(block.kinds())
        is_there = block.kinds() == position - 1
        events = _KINDS[position - 1](block, np.flatnonzero(is_there))
        validity = pa.array(is_there).buffers()[1]
        fields = [
            _field(events, attribute, block.count, validity)
            if is_read(parts, name)
            else _nulls(to_arrow(child), block.count)
            for attribute, name, child in zip(events.FIELDS, kind.names, kind.children, strict=True)
        ]
        return pa.StructArray.from_buffers(to_arrow(kind), block.count, [validity], children=fields)


def _field(events: EventRows, attribute: str, count: int, validity: pa.Buffer) -> pa.Array:
    """Return one field of a kind of events as a column of the whole block.

    Args:
        events: The events of one kind.
        attribute: Name of the attribute of `events` that has the field's values.
        count: Number of rows of the block.
        validity: Arrow's bitmap of the rows that are events of this kind. In other rows, the field is NULL.
    """
    values = spread(getattr(events, attribute), events.rows, count)
    return pa.Array.from_buffers(values.type, count, [validity, *values.buffers()[1:]])


def _nulls(kind: pa.DataType, count: int) -> pa.Array:
    return _null_block(kind).slice(0, count)


@cache
def _null_block(kind: pa.DataType) -> pa.Array:
    return pa.nulls(BLOCK, kind)
