"""Aggregation in bundles against Flink's recorded traces."""

from __future__ import annotations

import pytest

from tests.runtime.aggregate.reduce.phases import by_key, one_phase, run, two_phase
from tests.runtime.changes import parse, show
from tests.runtime.driven_operators import COUNT_STAR, call, spec

INPUT = "+I a 1, +I b 10, +I a 2, -D b 10, -U a 1, +U a 5, +I c 1, -D c 1, -D z 3, +I b 4"
CALLS = [call("SUM"), COUNT_STAR, call("MAX"), call("COUNT", distinct=True)]
PHASES = {"one": one_phase, "two": two_phase}
Z = "+I[z,-3,-1,null,0]"

columnar_or_not = pytest.mark.parametrize("columnar", [True, False])


def traced(phase: str, size: int, text: str, calls: list, batch: int, columnar: bool) -> dict[object, str]:
    what = spec(calls)
    rows = parse(text, what.input_types)
    batches = [rows[start : start + batch] for start in range(0, len(rows), batch)]
    out = run(PHASES[phase](what, size, columnar=columnar), batches, what)
    return {key: show(changes) for key, changes in by_key(out).items()}


def keyed(text: str) -> dict[object, str]:
    """A trace by key; the key is the first field."""
    found: dict[object, list[str]] = {}
    for change in text.split():
        found.setdefault(repr((change[3],)), []).append(change)
    return {key: " ".join(changes) for key, changes in found.items()}


@columnar_or_not
@pytest.mark.parametrize("batch", [1, 4, 100])
@pytest.mark.parametrize(
    ("size", "phase", "trace"),
    [
        (1, "one", "+I[a,1,1,1,1] +I[b,10,1,10,1] -U[a,1,1,1,1] +U[a,3,2,2,2] -D[b,10,1,10,1] -U[a,3,2,2,2] "
                   "+U[a,2,1,2,1] -U[a,2,1,2,1] +U[a,7,2,5,2] +I[c,1,1,1,1] -D[c,1,1,1,1] +I[b,4,1,4,1]"),
        (1, "two", "+I[a,1,1,1,1] +I[b,10,1,10,1] -U[a,1,1,1,1] +U[a,3,2,2,2] -D[b,10,1,10,1] -U[a,3,2,2,2] "
                   f"+U[a,2,1,2,1] -U[a,2,1,2,1] +U[a,7,2,5,2] +I[c,1,1,1,1] -D[c,1,1,1,1] {Z} "
                   "+I[b,4,1,4,1]"),
        (2, "one", "+I[b,10,1,10,1] +I[a,1,1,1,1] -D[b,10,1,10,1] -U[a,1,1,1,1] +U[a,3,2,2,2] -U[a,3,2,2,2] "
                   "+U[a,7,2,5,2] +I[b,4,1,4,1]"),
        (3, "one", "+I[b,10,1,10,1] +I[a,3,2,2,2] -D[b,10,1,10,1] -U[a,3,2,2,2] +U[a,7,2,5,2] "
                   "+I[b,4,1,4,1]"),
        (4, "one", "+I[a,3,2,2,2] -U[a,3,2,2,2] +U[a,7,2,5,2] +I[b,4,1,4,1]"),
        (4, "two", f"+I[a,7,2,5,2] +I[b,4,1,4,1] {Z}"),
        (100, "one", "+I[b,4,1,4,1] +I[a,7,2,5,2]"),
        (100, "two", f"+I[b,4,1,4,1] +I[a,7,2,5,2] {Z}"),
    ],
)  # fmt: skip
def test_sizes(size: int, phase: str, trace: str, batch: int, columnar: bool) -> None:
    assert traced(phase, size, INPUT, CALLS, batch, columnar) == keyed(trace)


@columnar_or_not
@pytest.mark.parametrize(
    ("text", "phase", "trace"),
    [
        ("-D z 3", "one", ""),
        ("-D z 3", "two", "+I[z,-3,-1,null]"),
        ("-D a 1, -U a 1, +U a 2, -D a 7, -D a 3, +I a 4", "one", ""),
        ("-D a 1, -U a 1, +U a 2, -D a 7, -D a 3, +I a 4", "two", "+I[a,-6,-2,4]"),
        ("+I a 1, -D a 1, -D a 5", "one", "+I[a,-5,-1,null]"),
        ("+I a 1, -D a 1, -D a 5", "two", "+I[a,-5,-1,null]"),
    ],
)
def test_orphan_retractions(text: str, phase: str, trace: str, columnar: bool) -> None:
    calls = [call("SUM"), COUNT_STAR, call("MAX")]
    assert traced(phase, 100, text, calls, 100, columnar) == keyed(trace)


@columnar_or_not
def test_a_negative_group_moves_to_nothing(columnar: bool) -> None:
    calls = [call("SUM"), COUNT_STAR, call("MAX")]
    trace = "+I[a,-3,-1,null] -D[a,-3,-1,null] +I[a,4,1,4]"
    assert traced("two", 1, "-D a 3, +I a 3, +I a 4", calls, 100, columnar) == keyed(trace)


@columnar_or_not
def test_retractions_of_one_key_do_not_hide_the_others(columnar: bool) -> None:
    calls = [call("SUM"), COUNT_STAR]
    assert traced("one", 100, "-D a 1, +I b 2, -D c 1", calls, 100, columnar) == keyed("+I[b,2,1]")
