"""Rows of the eight tables, drawn as TPC-H has them, with fewer different words.

The lists of words hold those that the queries ask for. So each query has an answer at a small scale, too.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from decimal import Decimal
from typing import TypeVar

from tests.tpch.schema import Values

T = TypeVar("T")

_NATIONS = (
    ("ALGERIA", 0), ("ARGENTINA", 1), ("BRAZIL", 1), ("CANADA", 1), ("EGYPT", 4), ("ETHIOPIA", 0),
    ("FRANCE", 3), ("GERMANY", 3), ("INDIA", 2), ("INDONESIA", 2), ("IRAN", 4), ("IRAQ", 4), ("JAPAN", 2),
    ("JORDAN", 4), ("KENYA", 0), ("MOROCCO", 0), ("MOZAMBIQUE", 0), ("PERU", 1), ("CHINA", 2),
    ("ROMANIA", 3), ("SAUDI ARABIA", 4), ("VIETNAM", 2), ("RUSSIA", 3), ("UNITED KINGDOM", 3),
    ("UNITED STATES", 1),
)  # fmt: skip
_REGIONS = ("AFRICA", "AMERICA", "ASIA", "EUROPE", "MIDDLE EAST")
_POPULAR = (2, 3, 6, 7, 8, 18, 20)
"""Nations of suppliers and customers. The others have none."""
_SEGMENTS = ("AUTOMOBILE", "BUILDING", "FURNITURE", "HOUSEHOLD", "MACHINERY")
_PRIORITIES = ("1-URGENT", "2-HIGH", "3-MEDIUM", "4-NOT SPECIFIED", "5-LOW")
_INSTRUCTIONS = ("DELIVER IN PERSON", "COLLECT COD", "NONE", "TAKE BACK RETURN")
_MODES = ("REG AIR", "AIR", "RAIL", "SHIP", "TRUCK", "MAIL", "FOB", "AIR REG")
_COLOURS = ("forest", "green", "blush", "ivory", "navy", "plum", "snow", "thistle", "wheat")
_TYPES = (
    ("ECONOMY", "PROMO", "MEDIUM", "LARGE"), ("ANODIZED", "POLISHED"), ("STEEL", "BRASS", "TIN")
)  # fmt: skip
_BRANDS = ("Brand#12", "Brand#23", "Brand#34", "Brand#45")
_CONTAINERS = ("SM BOX", "SM PKG", "MED BOX", "MED BAG", "LG CASE", "LG PACK")
_SIZES = (3, 5, 9, 14, 15, 19, 23, 36, 45, 49)
_WORDS = (
    "special", "requests", "pending", "deposits", "furiously", "Customer", "Complaints", "ironic",
    "accounts", "carefully",
)  # fmt: skip
_FIRST, _DAYS = date(1992, 1, 1), 2406 - 151
_NOW = date(1995, 6, 17)


@dataclass
class Generator:
    """Draws rows.

    Attributes:
        scale: Of TPC-H: 1 is six million lines.
        rng: Where the values come from.
        next_order: Key of the next order.
    """

    scale: float
    rng: random.Random
    next_order: int = 1
    _suppliers_of: dict[int, tuple[int, ...]] = field(default_factory=dict)

    def count(self, full: int) -> int:
        """Return how many rows a table has that has `full` rows at scale 1."""
        return max(round(full * self.scale), 10)

    def tables(self) -> dict[str, list[Values]]:
        """Return the rows with which the tables begin."""
        made: dict[str, list[Values]] = {
            "region": [(key, name, self._words()) for key, name in enumerate(_REGIONS)],
            "nation": [(key, *nation, self._words()) for key, nation in enumerate(_NATIONS)],
            "supplier": [self.supplier(key) for key in range(1, self.count(10_000) + 1)],
            "customer": [self.customer(key) for key in range(1, self.count(150_000) + 1)],
            "part": [self.part(key) for key in range(1, self.count(200_000) + 1)],
            "partsupp": [],
            "orders": [],
            "lineitem": [],
        }
        for key in range(1, self.count(200_000) + 1):
            made["partsupp"] += [self.stock(key, supplier) for supplier in self._suppliers(key)]
        for _ in range(self.count(1_500_000)):
            order, lines = self.order()
            made["orders"].append(order)
            made["lineitem"] += lines
        return made

    def supplier(self, key: int) -> Values:
        nation = _POPULAR[key % len(_POPULAR)]
        return (
            key, f"Supplier#{key:09}", self._words(), nation, self._phone(nation), self._balance(),
            self._words(),
        )  # fmt: skip

    def customer(self, key: int) -> Values:
        nation = _POPULAR[key % len(_POPULAR)]
        return (
            key, f"Customer#{key:09}", self._words(), nation, self._phone(nation), self._balance(),
            self._one(_SEGMENTS), self._words(),
        )  # fmt: skip

    def part(self, key: int) -> Values:
        name = " ".join(self.rng.sample(_COLOURS, 3))
        kind = " ".join(map(self._one, _TYPES))
        return (
            key, name, f"Manufacturer#{self.rng.randint(1, 5)}", self._one(_BRANDS), kind, self._one(_SIZES),
            self._one(_CONTAINERS), _retail_price(key), self._words(2),
        )  # fmt: skip

    def stock(self, part: int, supplier: int) -> Values:
        """Draw a row of partsupp."""
        return part, supplier, self.rng.randint(1, 999), self._money(100, 100_000), self._words()

    def order(self) -> tuple[Values, list[Values]]:
        """Draw an order with its lines."""
        key = self.next_order
        self.next_order += 1
        ordered = _FIRST + timedelta(self.rng.randrange(_DAYS))
        lines = [self._line(key, number, ordered) for number in range(1, self.rng.randint(1, 7) + 1)]
        states = {line[9] for line in lines}
        total = sum(line[5] * (1 - line[6]) * (1 + line[7]) for line in lines)
        order = (
            key, self._buyer(), states.pop() if len(states) == 1 else "P", round(Decimal(total), 2), ordered,
            self._one(_PRIORITIES), f"Clerk#{self.rng.randint(1, 9):09}", 0, self._words(),
        )  # fmt: skip
        return order, lines

    def _line(self, order: int, number: int, ordered: date) -> Values:
        part = self.rng.randint(1, self.count(200_000))
        quantity = Decimal(self.rng.randint(1, 50))
        shipped = ordered + timedelta(self.rng.randint(1, 121))
        received = shipped + timedelta(self.rng.randint(1, 30))
        returned = self._one("RA") if received <= _NOW else "N"
        return (
            order, number, part, self._one(self._suppliers(part)), quantity,
            _retail_price(part) * quantity, self._money(0, 10), self._money(0, 8), returned,
            "O" if shipped > _NOW else "F", shipped, ordered + timedelta(self.rng.randint(30, 90)), received,
            self._one(_INSTRUCTIONS), self._one(_MODES), self._words(2),
        )  # fmt: skip

    def _buyer(self) -> int:
        """A customer with orders: every third has none."""
        key = self.rng.randint(1, self.count(150_000))
        return key if key % 3 else max(key - 1, 1)

    def _suppliers(self, part: int) -> tuple[int, ...]:
        if part not in self._suppliers_of:
            keys = range(1, self.count(10_000) + 1)
            self._suppliers_of[part] = tuple(self.rng.sample(keys, 4))
        return self._suppliers_of[part]

    def _one(self, choices: Sequence[T]) -> T:
        return self.rng.choice(choices)

    def _words(self, count: int = 4) -> str:
        return " ".join(self.rng.choices(_WORDS, k=count))

    def _money(self, low: int, high: int) -> Decimal:
        return Decimal(self.rng.randint(low, high)).scaleb(-2)

    def _balance(self) -> Decimal:
        return self._money(-99_999, 999_999)

    def _phone(self, nation: int) -> str:
        local, number = self.rng.randint(100, 999), self.rng.randint(1000, 9999)
        return f"{nation + 10}-{local}-{number}"


def _retail_price(part: int) -> Decimal:
    return Decimal(90_000 + part // 10 % 20_001 + 100 * (part % 1000)).scaleb(-2)
