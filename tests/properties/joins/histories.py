"""Random histories of several tables: changes, and the rows that are left after them."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any

from tests.properties.local_job import Rows
from tests.runtime.changes import Row

Draw = Callable[[random.Random], Any]
Values = tuple[Any, ...]


@dataclass(frozen=True)
class ColumnKind:
    """A column of the tables. kind: I for integers, S for strings, D for decimals."""

    sql: str
    kind: str
    draw: Draw
    nulls: float = 0.12


COLUMNS = {
    "id": ColumnKind("BIGINT", "I", lambda r: r.randint(1, 40), 0.0),
    "k": ColumnKind("INT", "I", lambda r: r.randint(0, 5)),
    "g": ColumnKind("STRING", "S", lambda r: r.choice(["x", "y", "z", "w"])),
    "v": ColumnKind("INT", "I", lambda r: r.randint(-9, 9)),
    "m": ColumnKind("DECIMAL(8, 2)", "D", lambda r: Decimal(r.randint(-999, 999)).scaleb(-2)),
    "s": ColumnKind("STRING", "S", lambda r: r.choice(["a", "ab", "b", "x", ""])),
    "n": ColumnKind("INT NOT NULL", "I", lambda r: r.randint(0, 4), 0.0),
}
NAMES = tuple(COLUMNS)
KEYS: tuple[tuple[str, ...], ...] = ((), (), ("id",), ("k",), ("k", "n"), ("g", "k"))
"""Primary keys that a table may have."""


@dataclass
class Table:
    """A table: its primary key, whether rows are only appended, its changes and what they leave."""

    name: str
    key: tuple[str, ...]
    append: bool
    changes: list[Row] = field(default_factory=list)
    live: list[Values] = field(default_factory=list)

    @property
    def rows(self) -> Rows:
        """The changes, as LocalJob takes them."""
        return Rows(NAMES, self.changes)

    def after(self, changes: int) -> Table:
        """Return the table after its first changes."""
        live = Counter[Values]()
        for kind, *values in self.changes[:changes]:
            live[tuple(values)] += 1 if kind in ("+I", "+U") else -1
        return replace(self, changes=self.changes[:changes], live=list(live.elements()))

    def ddl(self, path: str) -> str:
        """Return CREATE TABLE for Firesteel."""
        columns = [
            f"{name} {each.sql}{' NOT NULL' * (name in self.key and 'NOT' not in each.sql)}"
            for name, each in COLUMNS.items()
        ]
        columns += [f"PRIMARY KEY ({', '.join(self.key)}) NOT ENFORCED"] * bool(self.key)
        form = "json" if self.append else "canal-json"
        return (
            f"CREATE TABLE {self.name} ({', '.join(columns)}) WITH "
            f"('connector' = 'filesystem', 'path' = '{path}', 'format' = '{form}')"
        )

    def messages(self) -> str:
        """Return the changes as the lines of a file."""
        lines, before = [], None
        for kind, *values in self.changes:
            row = {name: None if v is None else str(v) for name, v in zip(NAMES, values, strict=True)}
            if self.append:
                lines.append(json.dumps(dict(zip(NAMES, values, strict=True)), default=str))
            elif kind == "-U":
                before = row
            elif kind == "+U":
                assert before is not None
                old = {name: before[name] for name in NAMES if before[name] != row[name]}
                lines.append(json.dumps({"data": [row], "old": [old], "type": "UPDATE", "isDdl": False}))
            else:
                named = "INSERT" if kind == "+I" else "DELETE"
                lines.append(json.dumps({"data": [row], "old": None, "type": named, "isDdl": False}))
        return "".join(line + "\n" for line in lines)


def history(rng: random.Random, name: str, events: int) -> Table:
    """Return a table with a valid history: no key is there twice, and what goes is there."""
    key = rng.choice(KEYS)
    made = Table(name, key, append=not key and rng.random() < 0.15)
    for _ in range(events):
        dice = rng.random()
        if dice < 0.5 or not made.live or made.append:
            copy = made.live and not key and rng.random() < 0.15
            _insert(made, rng.choice(made.live) if copy else _drawn(rng, key))
        elif dice < 0.8:
            _update(rng, made)
        else:
            gone = made.live.pop(rng.randrange(len(made.live)))
            made.changes.append(("-D", *gone))
    return made


def _drawn(rng: random.Random, key: tuple[str, ...]) -> Values:
    return tuple(_value(rng, name, key) for name in NAMES)


def _value(rng: random.Random, name: str, key: tuple[str, ...]) -> Any:
    column = COLUMNS[name]
    return None if name not in key and rng.random() < column.nulls else column.draw(rng)


def _key(made: Table, row: Values) -> Values:
    return tuple(row[NAMES.index(name)] for name in made.key)


def _is_taken(made: Table, row: Values) -> bool:
    return bool(made.key) and any(_key(made, other) == _key(made, row) for other in made.live)


def _insert(made: Table, row: Values) -> None:
    if not _is_taken(made, row):
        made.live.append(row)
        made.changes.append(("+I", *row))


def _update(rng: random.Random, made: Table) -> None:
    at = rng.randrange(len(made.live))
    before = made.live[at]
    free = [name for name in NAMES if name not in made.key]
    changed = set(rng.sample(free, rng.randint(1, 3)))
    after = tuple(
        _value(rng, name, made.key) if name in changed else value
        for name, value in zip(NAMES, before, strict=True)
    )
    if after != before:
        made.live[at] = after
        made.changes += [("-U", *before), ("+U", *after)]
