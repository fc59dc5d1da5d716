"""The rows of a query's result for the web page: correct, and bounded however large the result is."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from itertools import chain
from typing import Any

import pyarrow as pa
import pytest

from firesteel.jobs.job import Source
from firesteel.jobs.registry import JOBS, ROWS_KEPT, Registry
from firesteel.plan.tree import Field
from firesteel.session import rows_left
from firesteel.session.live import live_rows
from firesteel.session.live.live_rows import LiveRows, shown
from firesteel.session.rows_left import RowsLeft
from firesteel.types.sql import BIGINT, STRING, array

KINDS = {"+I": 0, "-U": 1, "+U": 2, "-D": 3}
SCHEMA = [Field("name", STRING), Field("total", BIGINT)]


def changes(*rows: tuple[str, str | None, int | None]) -> pa.Table:
    kinds, names, totals = zip(*rows, strict=True)
    return pa.table(
        {
            "$kind": pa.array([KINDS[kind] for kind in kinds], pa.int8()),
            "f0": pa.array(names, pa.string()),
            "f1": pa.array(totals, pa.int64()),
        }
    )


def live(*tables: pa.Table, most: int = 100) -> LiveRows:
    found = LiveRows(SCHEMA, "UTC", most)
    for table in tables:
        found.add(table)
    return found


def test_changes_are_folded() -> None:
    rows = live(
        changes(("+I", "Tom", 12), ("+I", "Ann", 9)), changes(("-U", "Tom", 12), ("+U", "Tom", 21))
    ).answer({})
    assert rows["columns"] == [{"name": "name", "type": "STRING"}, {"name": "total", "type": "BIGINT"}]
    assert rows["rows"] == [["Ann", "9"], ["Tom", "21"]]
    assert (rows["row_count"], rows["change_count"], rows["found"]) == (2, 4, 2)
    assert rows["is_partial"] is False


def test_they_are_sorted_searched_and_paged() -> None:
    rows = live(changes(*(("+I", f"name {n}", 100 - n) for n in range(30)), ("+I", None, None)))
    assert [row[1] for row in rows.answer({"sort": "1", "size": "3"})["rows"]] == ["71", "72", "73"]
    last = rows.answer({"sort": "1", "order": "desc", "size": "10", "page": "3"})
    assert (last["page"], last["pages"], last["rows"]) == (3, 4, [["<NULL>", "<NULL>"]])
    found = rows.answer({"find": "NAME 2"})
    assert (found["found"], found["row_count"]) == (11, 31)
    assert rows.answer({"find": "100"})["rows"] == [["name 0", "100"]]
    assert rows.answer({"find": "nobody"})["rows"] == []
    assert rows.answer({"page": "99", "size": "x", "sort": "77"})["page"] == 0


def test_nested_values_are_sorted_by_their_text() -> None:
    rows = LiveRows([Field("a", array(BIGINT))], "UTC")
    rows.add(pa.table({"$kind": pa.array([0, 0], pa.int8()), "f0": [[2], [1, 3]]}))
    assert rows.answer({"sort": "0"})["rows"] == [["[1, 3]"], ["[2]"]]


def test_the_last_changes() -> None:
    pairs = [[("+I", "a", n), ("-D", "a", n)] for n in range(700)]
    rows = live(*(changes(*chain(*pairs[at : at + 10])) for at in range(0, 700, 10)))
    last = rows.answer({"view": "changes", "size": "3"})
    assert last["changes"] == [["-D", "a", "698"], ["+I", "a", "699"], ["-D", "a", "699"]]
    assert (last["change_count"], last["row_count"]) == (1400, 0)
    assert len(rows.answer({"view": "changes", "size": "5000"})["changes"]) == 1000
    assert sum(each.num_rows for each in rows._last) <= 1020


def test_few_bytes_are_kept_of_wide_changes_and_cells(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live_rows, "MOST_CHANGED_BYTES", 50_000)
    rows = live(changes(*(("+I", "x" * 3000, n) for n in range(100))))
    rows.add(changes(*(("+I", "y" * 3000, n) for n in range(100))))
    assert sum(each.nbytes for each in rows._last) <= 50_000
    changed = rows.answer({"view": "changes"})["changes"]
    assert 0 < len(changed) < 20
    assert changed[-1] == ["+I", "y" * 1000 + "…", "99"]


@pytest.mark.parametrize("seed", range(5))
def test_with_a_limit_the_rows_are_a_part_of_all(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rows_left, "_ROWS", 20)
    draw = random.Random(seed)
    limited, whole = RowsLeft([STRING, BIGINT], 30), RowsLeft([STRING, BIGINT])
    there: list[tuple[str, int]] = []
    was_partial = False
    for _ in range(60):
        rows: list[tuple[str, str | None, int | None]] = []
        for _ in range(draw.randint(1, 12)):
            if there and draw.random() < 0.4:
                rows.append(("-D", *there.pop(draw.randrange(len(there)))))
            else:
                there.append((draw.choice("abcdefgh"), draw.randint(0, 9)))
                rows.append(("+I", *there[-1]))
        for left in (limited, whole):
            left.apply(changes(*rows))
        kept, all_ = counted(limited.by_row()), counted(whole.by_row())
        assert sum(kept.values()) <= 30
        assert all(all_[row] == count for row, count in kept.items())
        assert limited.is_partial or kept == all_
        was_partial |= limited.is_partial
    assert was_partial
    assert counted(whole.by_row()) == Counter(there)


def counted(table: pa.Table) -> Counter[tuple[Any, ...]]:
    return Counter(zip(*(column.to_pylist() for column in table.columns), strict=True))


def test_a_large_result_takes_the_memory_of_a_small_one() -> None:
    rows = live(most=1000)
    for start in range(0, 3_000_000, 300_000):
        numbers = pa.array(range(start, start + 300_000), pa.int64())
        kinds = pa.nulls(300_000, pa.int8()).fill_null(0)
        rows.add(pa.table({"$kind": kinds, "f0": numbers.cast(pa.string()), "f1": numbers}))
        assert rows._left._left.num_rows <= 1000
    found = rows.answer({"find": "99"})
    assert (found["is_partial"], found["most"], found["row_count"]) == (True, 1000, 3_000_000)
    assert found["found"] == 19
    assert sum(each.nbytes for each in rows._last) < 1_000_000


def test_rows_are_kept_only_for_a_page(monkeypatch: pytest.MonkeyPatch) -> None:
    def read(tables: Sequence[pa.Table]) -> Any:
        record = Registry().add(Source("SELECT 1"))
        assert list(shown(record, SCHEMA, iter(tables), "UTC")) == list(tables)
        return record.rows

    table = changes(("+I", "a", 1))
    assert read([table]) is None
    monkeypatch.setattr(JOBS, "shows_rows", True)
    assert read([table]).answer({})["rows"] == [["a", "1"]]


def test_rows_of_few_ended_jobs_are_kept() -> None:
    registry = Registry()
    for _ in range(ROWS_KEPT + 3):
        job = registry.add(Source("SELECT 1"))
        job.rows = live()
        job.end()
    running = registry.add(Source("SELECT 1"))
    running.rows = live()
    assert [job.rows is None for job in registry.jobs()] == [True] * 3 + [False] * (ROWS_KEPT + 1)
