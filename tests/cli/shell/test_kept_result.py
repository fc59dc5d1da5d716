"""What is kept of a query in the background."""

from __future__ import annotations

import pyarrow as pa

from firesteel.changelog import KIND, field
from firesteel.cli.shell.kept_result import KeptResult
from firesteel.plan.tree import Field
from firesteel.session.result import ChangesResult
from firesteel.types.sql import INT


def table(*changes: tuple[int, int]) -> pa.Table:
    kinds = pa.array([kind for kind, _ in changes], pa.int8())
    return pa.table({KIND: kinds, field(0): pa.array([value for _, value in changes], pa.int32())})


def kept(most: int, *tables: pa.Table) -> KeptResult:
    result = ChangesResult(
        [Field("a", INT)], iter(tables), max_width=30, time_zone="UTC", cancel=lambda: None
    )
    made = KeptResult(result, most)
    made.read()
    return made


def test_the_last_changes_and_all_rows_are_kept() -> None:
    made = kept(3, table((0, 1), (0, 2)), table((0, 3), (3, 1)), table((0, 4)))
    assert made.dropped == 2
    assert [tuple(row) for row in made.changes().collect()] == [(3,), (1,), (4,)]
    assert [row.kind.short for row in made.changes().collect()] == ["+I", "-D", "+I"]
    assert made.rows().column(0).to_pylist() == [2, 3, 4]


def test_they_can_be_shown_more_than_once() -> None:
    made = kept(10, table((0, 1)))
    for _ in range(2):
        out: list[str] = []
        made.changes().print(out.append)
        assert "".join(out).endswith("1 row in set\n")
        out.clear()
        made.changes().print_rows(made.rows(), out.append)
        assert "|           1 |" in "".join(out)
