"""JSON_ARRAYAGG and JSON_OBJECTAGG as Flink answered."""

from __future__ import annotations

from typing import Any

import pytest

from firesteel.errors import JobError
from firesteel.runtime.aggregate.row_engine.handler import generate
from firesteel.runtime.operators.group.group_aggregate import GroupAggregate
from firesteel.runtime.spec.operators import AggregateSpec, GroupAggregateSpec
from firesteel.runtime.state.memory import memory_backend
from firesteel.types.sql import STRING
from tests.runtime.changes import parse, to_rows, to_table
from tests.runtime.driven_operators import COUNT_STAR


def spec(nulls: str, retract: bool = True) -> GroupAggregateSpec:
    """JSON_ARRAYAGG(v), JSON_OBJECTAGG(s VALUE v) and a COUNT(*) over (k, s, v), without -U."""
    options = (f"{nulls} ON NULL",)
    calls = (
        AggregateSpec("JSON_ARRAYAGG", (2,), (STRING,), STRING, retract, options=options),
        AggregateSpec("JSON_OBJECTAGG", (1, 2), (STRING, STRING), STRING, retract, options=options),
        COUNT_STAR,
    )
    return GroupAggregateSpec((0,), calls, (STRING,) * 3, retract, False, 2 if retract else None)


def results(what: GroupAggregateSpec, text: str, batch: int = 1000) -> list[tuple[Any, ...]]:
    """Both texts after each row."""
    rows = parse(text, what.input_types)
    operator = GroupAggregate(what, memory_backend(), lambda: 0)
    parts = [rows[start : start + batch] for start in range(0, len(rows), batch)]
    return [row[2:4] for part in parts for row in to_rows(operator.process(to_table(part, what.input_types)))]


CHANGES = '+I a z 1, +I a é "x", +I a b null, -D a z 7, +I a z 2, -D a b null, -D a q 9'


@pytest.mark.parametrize("batch", [1, 3, 100])
def test_nulls_are_left_out(batch: int) -> None:
    assert results(spec("ABSENT"), CHANGES, batch) == [
        ("[1]", '{"z":1}'),
        ('[1,"x"]', '{"z":1,"é":"x"}'),
        ('[1,"x"]', '{"z":1,"é":"x"}'),
        ('[1,"x"]', '{"é":"x"}'),  # a key goes whatever its value
        ('[1,"x",2]', '{"z":2,"é":"x"}'),
        ('[1,"x",2]', '{"z":2,"é":"x"}'),
        ('[1,"x",2]', '{"z":2,"é":"x"}'),
    ]


@pytest.mark.parametrize("batch", [1, 3, 100])
def test_nulls_are_shown(batch: int) -> None:
    assert results(spec("NULL"), CHANGES, batch)[2] == ('[1,"x",null]', '{"b":null,"z":1,"é":"x"}')
    assert results(spec("NULL"), CHANGES, batch)[-1] == ('[1,"x",2]', '{"z":2,"é":"x"}')


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ("+I a x 1, +I a x 1", "Key 'x' is already present. Duplicate keys are not allowed"),
        ("+I a null 1", "Map views don't support null keys."),
        ("+I a x 1, -D a null 1", "Map views don't support null keys."),
    ],
)
def test_keys_that_fail(changes: str, message: str) -> None:
    with pytest.raises(JobError, match=message):
        results(spec("NULL"), changes)


def test_objects_are_merged_unless_a_key_is_in_both() -> None:
    generated = generate(spec("NULL"))

    def part(key: str, value: str | None) -> Any:
        handler = generated.create()
        handler.reset_accumulators()
        given = {"x1": key, "x2": value}
        handler.accumulate(*(given[each.name] for each in generated.inputs))
        return handler

    handler = part("b", "1")
    handler.merge(part("a", None).get_accumulators())
    assert handler.get_value()[1] == '{"a":null,"b":1}'
    with pytest.raises(JobError, match="already present"):
        handler.merge(part("a", "2").get_accumulators())
