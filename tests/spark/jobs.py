"""Jobs and inputs for the tests of the hosts: canal-json files and hand-made job specs."""

from __future__ import annotations

import itertools
import json
import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa

from firesteel.changelog import SEQUENCE, SHORT, SUB_SEQUENCE
from firesteel.job.spec import ChainSpec, Input, JobSpec, Output, Partitioning, sink_id
from firesteel.runtime.spec.operators import (
    AggregateSpec,
    GlobalGroupAggregateSpec,
    GroupAggregateSpec,
    LocalGroupAggregateSpec,
    OperatorSpec,
)
from firesteel.runtime.spec.tables import ScanSpec, SinkSpec, ValuesSpec
from firesteel.types.sql import BIGINT, INT, STRING, SqlType

NAMES, TYPES = ("id", "name", "cnt"), (BIGINT, STRING, INT)


HASH = Partitioning.HASH
RESULT = Output(sink_id(0))


def source(number: int, of: ScanSpec | ValuesSpec, *outputs: Output) -> ChainSpec:
    """A chain that reads a source and hands its rows on."""
    return ChainSpec(number, (Input(of),), (), outputs or (RESULT,))


def keyed(
    number: int, inputs: tuple[int, ...], operators: tuple[OperatorSpec, ...], *outputs: Output
) -> ChainSpec:
    """A chain that reads others, each at port 0."""
    return ChainSpec(number, tuple(map(Input, inputs)), operators, outputs)


def write_changes(path: Path, events: int, names: int = 7, seed: int = 1) -> None:
    """A canal-json file of random inserts, updates and deletes over rows (id, name, cnt)."""
    made = random_changes(random.Random(seed), {}, names)
    with path.open("w", encoding="utf-8") as file:
        file.writelines(f"{message}\n" for _, message in itertools.islice(made, events))


def random_changes(
    chance: random.Random,
    rows: dict[int, dict[str, Any]],
    names: int,
    draw: Callable[[], int] | None = None,
    most: int | None = None,
) -> Iterator[tuple[int, str]]:
    """Yield random inserts, updates and deletes as canal-json, without an end, each with its row's id.

    Args:
        chance: Where all that is random comes from.
        rows: The rows that are left, by id. They are kept up to date.
        names: Number of names, each as likely as the others.
        draw: Draws the number of a name in place of that; None if it does not.
        most: Most rows that are left: above, one is deleted for each that would come. None for no limit.
    """
    for number in itertools.count():
        kind = chance.choice("IIUUD") if rows else "I"
        if kind == "I" and len(rows) == most:
            kind = "D"
        name = chance.randrange(names) if draw is None else draw()
        row = {"id": number, "name": f"name{name}", "cnt": chance.randrange(100)}
        old = None
        if kind != "I":
            old = rows.pop(chance.choice(list(rows)) if len(rows) < 50 else next(iter(rows)))
            row = {**row, "id": old["id"]} if kind == "U" else old
        if kind != "D":
            rows[row["id"]] = row
        word = {"I": "INSERT", "U": "UPDATE", "D": "DELETE"}[kind]
        before = None if kind != "U" or old is None else [_changed(old, row)]
        message = {"data": [_text(row)], "old": before, "type": word, "isDdl": False}
        yield row["id"], json.dumps(message)


def _changed(old: dict[str, Any], new: dict[str, Any]) -> dict[str, str]:
    return {key: str(value) for key, value in old.items() if new[key] != value}


def _text(row: dict[str, Any]) -> dict[str, str]:
    return {key: str(value) for key, value in row.items()}


def scan(path: Path, columns: tuple[int, ...] = (1, 2)) -> ScanSpec:
    """The file or folder as a source; f0 is the first of `columns`."""
    options = (("connector", "filesystem"), ("path", str(path)), ("format", "canal-json"))
    return ScanSpec("filesystem", options, NAMES, TYPES, columns, table="t")


def aggregate(
    types: tuple[SqlType, ...], functions: Iterable[str], argument: int, state_id: str = "first",
    keys: tuple[int, ...] = (0,),
) -> GroupAggregateSpec:  # fmt: skip
    """GROUP BY `keys` over a changing input."""
    calls = tuple(_call(function, types, argument) for function in functions)
    return GroupAggregateSpec(keys, calls, types, True, True, None, 0, state_id)


def _call(function: str, types: tuple[SqlType, ...], argument: int) -> AggregateSpec:
    if function == "COUNT(*)":
        return AggregateSpec("COUNT", (), (), BIGINT, retract=True)
    kind = types[argument]
    if function == "COUNT(DISTINCT)":
        return AggregateSpec("COUNT", (argument,), (kind,), BIGINT, retract=True, distinct=True)
    return AggregateSpec(function, (argument,), (kind,), kind, retract=True)


def grouped(
    path: Path, functions: Iterable[str] = ("SUM", "MAX", "COUNT(*)"), sink: SinkSpec | None = None
) -> JobSpec:
    """SELECT name, SUM(cnt), ... FROM t GROUP BY name."""
    operator = aggregate((STRING, INT), functions, 1)
    chains = (source(0, scan(path), Output(1, HASH, (0,))), keyed(1, (0,), (operator,), RESULT))
    return JobSpec(chains, (sink or collected(operator),))


def in_two_phases(job: JobSpec, bundle: int) -> JobSpec:
    """The job of `grouped`, its last call COUNT(*), with a local and a global aggregate."""
    reading, grouping = job.chains
    (operator,) = grouping.operators
    assert isinstance(operator, GroupAggregateSpec)
    calls = len(operator.calls)
    operator = replace(operator, count_star=calls - 1, bundle=bundle)
    chains = (
        replace(reading, operators=(LocalGroupAggregateSpec(operator),)),
        replace(grouping, operators=(GlobalGroupAggregateSpec(operator, calls),)),
    )
    return replace(job, chains=chains)


def nested(path: Path) -> JobSpec:
    """SELECT s, COUNT(*), MAX(m) FROM (SELECT name, SUM(cnt) s, MAX(cnt) m ... GROUP BY name) GROUP BY s."""
    first = aggregate((STRING, INT), ("COUNT(*)", "MAX"), 1)
    second = aggregate((STRING, BIGINT, INT), ("COUNT(*)", "MAX"), 2, "second", keys=(1,))
    chains = (
        source(0, scan(path), Output(1, HASH, (0,))),
        keyed(1, (0,), (first,), Output(2, HASH, (1,))),
        keyed(2, (1,), (second,), RESULT),
    )
    return JobSpec(chains, (collected(second),))


def collected(operator: GroupAggregateSpec) -> SinkSpec:
    """The caller takes the changes."""
    types = tuple(operator.input_types[k] for k in operator.keys) + tuple(c.type for c in operator.calls)
    return SinkSpec(None, (), tuple(f"c{i}" for i in range(len(types))), types)


def rows(tables: Iterable[pa.Table]) -> list[tuple[Any, ...]]:
    """The changes as (kind, field, ...) in the order they came."""
    return [
        (SHORT[row[0]], *row[1:])
        for table in tables
        for row in zip(
            *(table.column(n).to_pylist() for n in table.column_names if n not in (SEQUENCE, SUB_SEQUENCE)),
            strict=True,
        )
    ]


def folded(changes: Iterable[tuple[Any, ...]]) -> Counter[tuple[Any, ...]]:
    """The rows that are left after all changes. Raises ValueError where one that is not there goes."""
    left: Counter[tuple[Any, ...]] = Counter()
    for kind, *values in changes:
        left[tuple(values)] += 1 if kind in ("+I", "+U") else -1
        if left[tuple(values)] < 0:
            raise ValueError(f"{kind}{values} takes away what is not there")
    return +left
