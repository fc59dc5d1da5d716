"""Columns of persons, the first of Nexmark's three kinds of events."""

from __future__ import annotations

from functools import cached_property

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from firesteel.connectors.nexmark.event_rows import FIRST_ID, EventRows
from firesteel.connectors.nexmark.texts import chosen, lengths_of

_STATES = ("AZ", "CA", "ID", "OR", "WA", "WY")
_CITIES = (
    *("Phoenix", "Los Angeles", "San Francisco", "Boise", "Portland"),
    *("Bend", "Redmond", "Seattle", "Kent", "Cheyenne"),
)
_FIRST_NAMES = (
    *("Peter", "Paul", "Luke", "John", "Saul", "Vicky"),
    *("Kate", "Julie", "Sarah", "Deiter", "Walter"),
)
_LAST_NAMES = ("Shultz", "Abrams", "Spencer", "White", "Bartels", "Walton", "Smith", "Jones", "Noris")
_NAMES = tuple(f"{first} {last}" for first in _FIRST_NAMES for last in _LAST_NAMES)
_DIGITS = tuple(f"{number:04}" for number in range(10_000))


class Persons(EventRows):
    """Columns of the persons among some events."""

    FIELDS = ("id", "name", "email_address", "credit_card", "city", "state", "date_time", "extra")

    @cached_property
    def id(self) -> pa.Array:
        return pa.array(self.last_person + FIRST_ID)

    @cached_property
    def name(self) -> pa.StringArray:
        return chosen(_NAMES, self.random.below("person name", len(_NAMES)))

    @cached_property
    def email_address(self) -> pa.StringArray:
        at = pc.binary_join_element_wise(self.text("user", 7), self.text("host", 5), "@")
        return pc.binary_join_element_wise(at, "com", ".")

    @cached_property
    def credit_card(self) -> pa.StringArray:
        digits = pa.array(_DIGITS)
        parts = (self.random.below(f"credit card {part}", len(_DIGITS)) for part in range(4))
        return pc.binary_join_element_wise(*(chosen(digits, part) for part in parts), " ")

    @cached_property
    def city(self) -> pa.StringArray:
        return chosen(_CITIES, self.random.below("city", len(_CITIES)))

    @cached_property
    def state(self) -> pa.StringArray:
        return chosen(_STATES, self.random.below("state", len(_STATES)))

    @cached_property
    def extra(self) -> pa.StringArray:
        others = (self.name, self.email_address, self.credit_card, self.city, self.state)
        size = np.full(len(self.rows), 8)
        for each in others:
            size += lengths_of(each)
        return self.padding(size, self.options.person_size)
