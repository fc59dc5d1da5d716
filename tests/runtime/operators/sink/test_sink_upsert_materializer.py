"""SinkUpsertMaterializer: Flink's traces, a list of rows as a model of it, and a time to live."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firesteel.runtime.operators.sink.sink_upsert_materializer import SinkUpsertMaterializer
from firesteel.runtime.spec.sink import SinkUpsertMaterializerSpec
from firesteel.types.sql import DOUBLE, INT, STRING
from tests.runtime.changes import Row, parse, show, to_rows, to_table
from tests.scale import examples

TYPES = (STRING, INT)


def run(
    spec: SinkUpsertMaterializerSpec, rows: list[Row], batch: int, now: tuple[int, ...] = (0,)
) -> list[Row]:
    times = iter(now)
    operator = SinkUpsertMaterializer(spec, None, lambda: next(times, now[-1]))
    out: list[Row] = []
    for start in range(0, len(rows), batch):
        out += to_rows(operator.process(to_table(rows[start : start + batch], spec.input_types, start)))
    return out


def model(rows: list[Row], by_key: bool) -> list[Row]:
    """The list in Flink's state, for the primary key f0 and the upsert key f1."""
    kept: dict[str, list[Row]] = {}
    out: list[Row] = []
    for kind, *values in rows:
        mine = kept.setdefault(values[0], [])
        first = 1 if by_key else 0
        at = next((i for i, row in enumerate(mine) if list(row[first:]) == values[first:]), -1)
        if kind in ("+I", "+U"):
            out.append(("+U" if mine else "+I", *values))
            if by_key and at >= 0:
                mine[at] = tuple(values)
            else:
                mine.append(tuple(values))
        elif at >= 0:
            last = at == len(mine) - 1
            del mine[at]
            if not mine:
                out.append(("-D", *values))
            elif last:
                out.append(("+U", *mine[-1]))
    return out


@pytest.mark.parametrize("batch", [1, 2, 100])
@pytest.mark.parametrize(
    ("rows", "upsert_key", "expected"),
    [
        # INSERT INTO s SELECT k, SUM(v) ... GROUP BY k, by the sum
        (
            "+I a 1, -U a 1, +U a 2, +I b 2, -U b 2, +U b 3",
            (0,),
            "+I[a,1] -D[a,1] +I[a,2] +U[b,2] +U[a,2] +I[b,3]",
        ),
        ("+I a 1, +I a 2, -D a 1, -D a 2", (), "+I[a,1] +U[a,2] -D[a,2]"),
        ("+I a 1, +I a 2, -D a 2", (), "+I[a,1] +U[a,2] +U[a,1]"),
        ("-D a 1, +U a 1, +I a 1, -U a 1", (), "+I[a,1] +U[a,1]"),
    ],
)
def test_trace(rows: str, upsert_key: tuple[int, ...], expected: str, batch: int) -> None:
    key = (1,) if upsert_key else (0,)
    spec = SinkUpsertMaterializerSpec(key, TYPES, upsert_key)
    assert show(run(spec, parse(rows, TYPES), batch)) == expected


CHANGES = st.lists(
    st.tuples(st.sampled_from(["+I", "-U", "+U", "-D"]), st.sampled_from("ab"), st.integers(0, 3)),
    max_size=40,
)


@given(CHANGES, st.integers(1, 9), st.booleans())
@settings(max_examples=examples(100), deadline=None)
def test_as_a_list_of_rows(changes: list[Row], batch: int, by_key: bool) -> None:
    spec = SinkUpsertMaterializerSpec((0,), TYPES, (1,) if by_key else ())
    assert run(spec, changes, batch) == model(changes, by_key)


@pytest.mark.parametrize("batch", [1, 100])
def test_whole_rows_are_compared_by_their_bytes_and_keys_as_numbers(batch: int) -> None:
    types = (STRING, DOUBLE)
    rows = parse("+I a 0, +I a nan, -D a nan, -D a -0.0, +I b null, -D b null", types)
    whole = run(SinkUpsertMaterializerSpec((0,), types), rows, batch)
    assert show(whole) == "+I[a,0.0] +U[a,NaN] +U[a,0.0] +I[b,null] -D[b,null]"
    by_key = run(SinkUpsertMaterializerSpec((0,), types, (1,)), rows, batch)
    assert show(by_key) == "+I[a,0.0] +U[a,NaN] +I[b,null] -D[b,null]"


def test_all_rows_of_a_key_live_as_long_as_the_one_written_last() -> None:
    spec = SinkUpsertMaterializerSpec((0,), TYPES, ttl=100)
    rows = parse("+I a 1, +I a 2, -D a 2, -D a 1", TYPES)
    assert show(run(spec, rows, 1, (0, 90, 180, 270))) == "+I[a,1] +U[a,2] +U[a,1] -D[a,1]"
    assert show(run(spec, rows, 1, (0, 90, 180, 280))) == "+I[a,1] +U[a,2] +U[a,1]"
