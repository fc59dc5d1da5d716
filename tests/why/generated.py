"""Generated jobs for `firesteel why`: the generator knows which source rows each result row comes from."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.why.past_job import PastJob, write_lines

Row = dict[str, Any]
Place = tuple[str, str, int]
"""Table, name of the file, and line."""

SALES = """\
CREATE TABLE sales (id INT, name STRING, cnt INT, city STRING)
  WITH ('connector' = 'filesystem', 'path' = '{base}/sales', 'format' = '%s');
CREATE TABLE cities (city STRING, country STRING)
  WITH ('connector' = 'filesystem', 'path' = '{base}/cities', 'format' = 'json');
CREATE TABLE totals (name STRING, total INT, n BIGINT)
  WITH ('connector' = 'filesystem', 'path' = '{base}/totals', 'format' = 'debezium-json');
"""
_NAMES = [f"name {number}" for number in range(40)]
_CITIES = [f"city {number}" for number in range(12)]


@dataclass
class Generated:
    """A job with what is known about the rows of its result.

    Attributes:
        job: The checkpoint.
        places: Source rows of each key of the result.
        rows: The row of each key that has one.
    """

    job: PastJob
    places: Mapping[str, set[Place]]
    rows: Mapping[str, str]


@dataclass
class _Lines:
    """Lines of the files of a table, which begin a new file now and then."""

    table: str
    rng: random.Random
    files: list[list[Mapping[str, object]]] = field(default_factory=lambda: [[]])

    def add(self, line: Mapping[str, object]) -> Place:
        if self.rng.random() < 0.01:
            self.files.append([])
        self.files[-1].append(line)
        return self.table, f"{len(self.files):04}.json", len(self.files[-1])

    def write(self, base: Path) -> None:
        for number, lines in enumerate(self.files, start=1):
            write_lines(base / self.table / f"{number:04}.json", *lines)


def inserts(base: Path, rng: random.Random, count: int, options: Mapping[str, str]) -> Generated:
    """Return a job with WHERE, GROUP BY and HAVING over rows that are only added."""
    lines, places = _Lines("sales", rng), defaultdict[str, set[Place]](set)
    totals, counts = defaultdict[str, int](int), defaultdict[str, int](int)
    for number in range(count):
        row = _sale(number, rng)
        places[row["name"]].add(lines.add(row))
        if row["cnt"] > 0:
            totals[row["name"]] += row["cnt"]
            counts[row["name"]] += 1
    rows = {name: f"[{name}, {total}, {counts[name]}]" for name, total in totals.items() if total > 50}
    query = (
        "INSERT INTO totals SELECT name, SUM(cnt), COUNT(*) FROM sales WHERE cnt > 0 GROUP BY name "
        "HAVING SUM(cnt) > 50;"
    )
    return _made(base, rng, SALES % "json" + query, [lines, _cities(rng)[0]], places, rows, options)


def changes(base: Path, rng: random.Random, count: int, options: Mapping[str, str]) -> Generated:
    """Return a job with GROUP BY over rows that are added, updated and deleted."""
    lines, places = _Lines("sales", rng), defaultdict[str, set[Place]](set)
    live: dict[int, Row] = {}
    for number in range(count):
        old = live.pop(rng.choice(list(live))) if live and rng.random() < 0.6 else None
        new = None if old is not None and rng.random() < 0.3 else _sale(number, rng)
        if old is not None and new is not None:
            new["id"] = old["id"]
        op = "c" if old is None else "d" if new is None else "u"
        place = lines.add({"before": old, "after": new, "op": op})
        for each in filter(None, (old, new)):
            places[each["name"]].add(place)
        if new is not None:
            live[new["id"]] = new
    rows = _sums(live.values())
    query = "INSERT INTO totals SELECT name, SUM(cnt), COUNT(*) FROM sales GROUP BY name;"
    return _made(base, rng, SALES % "debezium-json" + query, [lines, _cities(rng)[0]], places, rows, options)


def joins(base: Path, rng: random.Random, count: int, options: Mapping[str, str]) -> Generated:
    """Return a job with a join and GROUP BY a column of the other table."""
    lines, places = _Lines("sales", rng), defaultdict[str, set[Place]](set)
    cities, countries, city_places = _cities(rng)
    for city, country in countries.items():
        places[country].add(city_places[city])
    sold = []
    for number in range(count):
        row = _sale(number, rng)
        place = lines.add(row)
        if row["city"] in countries:
            places[countries[row["city"]]].add(place)
            sold.append({**row, "name": countries[row["city"]]})
    query = (
        "INSERT INTO totals SELECT country, SUM(cnt), COUNT(*) FROM sales JOIN cities "
        "ON sales.city = cities.city GROUP BY country;"
    )
    rows = _sums(sold)
    return _made(base, rng, SALES % "json" + query, [lines, cities], places, rows, options)


FORMS: Mapping[str, Callable[[Path, random.Random, int, Mapping[str, str]], Generated]] = {
    "inserts": inserts,
    "changes": changes,
    "joins": joins,
}


def _sale(number: int, rng: random.Random) -> Row:
    cnt = rng.randrange(-3, 12)
    return {"id": number, "name": rng.choice(_NAMES), "cnt": cnt, "city": rng.choice(_CITIES)}


def _cities(rng: random.Random) -> tuple[_Lines, dict[str, str], dict[str, Place]]:
    """Return the lines of the cities, the country of each, and the place of each. Some cities are missing."""
    lines, places = _Lines("cities", rng), dict[str, Place]()
    countries = {city: f"country {rng.randrange(5)}" for city in _CITIES[:-2]}
    for city, country in countries.items():
        places[city] = lines.add({"city": city, "country": country})
    return lines, countries, places


def _sums(rows: Iterable[Row]) -> dict[str, str]:
    totals, counts = defaultdict[str, int](int), defaultdict[str, int](int)
    for row in rows:
        totals[row["name"]] += row["cnt"]
        counts[row["name"]] += 1
    return {name: f"[{name}, {total}, {counts[name]}]" for name, total in totals.items()}


def _made(
    base: Path, rng: random.Random, script: str, lines: list[_Lines], places: Mapping[str, set[Place]],
    rows: Mapping[str, str], options: Mapping[str, str],
) -> Generated:  # fmt: skip
    for each in lines:
        each.write(base)
    most = sum(map(len, lines[0].files))
    return Generated(PastJob(base, script, rng.randrange(max(2, most // 40), most), options), places, rows)
