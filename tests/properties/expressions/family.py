"""What a family of random expressions is. Standard library only: Flink's Python imports this, too."""

from __future__ import annotations

import importlib
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Draw = Callable[[random.Random], str]


@dataclass(frozen=True)
class Family:
    """columns: name -> Flink's type. rows: what JSON files hold; what is left out is NULL.
    draw: one scalar expression over the columns."""

    columns: Mapping[str, str]
    rows: Sequence[Mapping[str, Any]]
    draw: Draw
    time_zone: str = "UTC"

    @property
    def schema(self) -> str:
        """As in CREATE TABLE."""
        return ", ".join(f"{name} {kind}" for name, kind in self.columns.items())

    def expressions(self, seed: int, count: int) -> list[str]:
        """So many different expressions; the same for a seed."""
        rng, found = random.Random(seed), dict[str, None]()
        while len(found) < count:
            found[self.draw(rng)] = None
        return list(found)


def names() -> list[str]:
    """The families there are."""
    files = (Path(__file__).parent / "families").glob("*.py")
    return sorted(file.stem for file in files if file.stem != "__init__")


def family(name: str) -> Family:
    """The family of a file in `families/`."""
    module = importlib.import_module(f"tests.properties.expressions.families.{name}")
    found: Family = module.FAMILY
    return found


def quoted(text: str) -> str:
    """A string literal."""
    return "'" + text.replace("'", "''") + "'"


def arguments(rng: random.Random, *draws: Draw) -> str:
    """Drawn one by one, between commas."""
    return ", ".join(draw(rng) for draw in draws)


def call(name: str, *draws: Draw) -> Draw:
    """A call of a function with arguments drawn so."""
    return lambda rng: f"{name}({arguments(rng, *draws)})"


def one_of(*draws: Draw | str) -> Draw:
    """One of these, each as likely; a text stands for itself."""

    def draw(rng: random.Random) -> str:
        chosen = rng.choice(draws)
        return chosen if isinstance(chosen, str) else chosen(rng)

    return draw


def up_to(depth: int, leaf: Draw, deeper: Callable[[Draw], Draw], share: float = 0.5) -> Draw:
    """Expressions nested up to `depth` deep: `deeper` makes one of a smaller one."""
    if depth == 0:
        return leaf
    inner = deeper(up_to(depth - 1, leaf, deeper, share))
    return lambda rng: inner(rng) if rng.random() < share else leaf(rng)
