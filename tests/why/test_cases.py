"""`why`, `verify` and `diff` of the SELECTs of a recorded case (cases.py has the long form)."""

from __future__ import annotations

from tests.cases.test_recorded import RECORDED
from tests.scale import FULL
from tests.why.cases import AskedCase

CASES = {case.name: case for case in RECORDED}


def test_a_case() -> None:
    names = ("joins", "sets", "ranks", "seed-1007") if FULL else ("seed-1007",)
    for name in names:
        asked = AskedCase(CASES[name])
        assert list(asked.problems()) == []
        assert min(asked.counts[each] for each in ("verify", "diff", "why", "rows explained")) > 0
