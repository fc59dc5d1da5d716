"""Plans word for word as Flink printed them, in the folder of cases that FIRESTEEL_CASES names.

A case is a folder: `case.sql` with EXPLAIN statements, and `flink.json` with `{"sql", "plan"}` for each of
them, or `{"sql", "error"}`.
"""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest

from firesteel import TableEnvironment
from firesteel.errors import FiresteelError
from tests.cases.test_recorded import OPEN

CASES = os.environ.get("FIRESTEEL_CASES", "")
NUMBERED = re.compile(r'("id" : |\[)(\d+)(?=,$|\]:|\]")')
"""Numbers of nodes and of operators in a JSON plan: Flink counts over the whole process."""


def explained(folder: Path) -> list[Path]:
    """The cases in a folder that have an EXPLAIN."""
    files = sorted(folder.glob("*/case.sql"))
    return [file.parent for file in files if re.search(r"^EXPLAIN\b", file.read_text("utf-8"), re.MULTILINE)]


def lines(plan: str) -> list[str]:
    """A plan's lines, nodes and operators numbered as they come."""
    numbers: dict[str, int] = {}

    def renumbered(found: re.Match[str]) -> str:
        return found[1] + str(numbers.setdefault(found[0], len(numbers)))

    kept = [line.rstrip() for line in plan.splitlines() if line.strip()]
    return [NUMBERED.sub(renumbered, line) if line.startswith(" ") else line for line in kept]


def differences(case: Path) -> dict[int, str]:
    """By the number of each EXPLAIN that is answered otherwise than by Flink, the first difference."""
    environment, found = TableEnvironment.create(), {}
    recorded = iter(e for e in json.loads((case / "flink.json").read_text("utf-8")) if is_explain(e["sql"]))
    number = 0
    for sql in environment.split((case / "case.sql").read_text("utf-8").replace("${DATA}", str(case))):
        if not is_explain(sql):
            environment.execute_sql(sql)
            continue
        number += 1
        expected = lines(next(recorded).get("plan", ""))
        try:
            got = lines("\n".join(str(row[0]) for row in environment.execute_sql(sql).collect()))
        except FiresteelError as error:
            got = [str(error)] if expected else []
        if got != expected:
            pairs = zip([*expected, ""], [*got, ""], strict=False)
            found[number] = f"{sql}\n   {next(pair for pair in pairs if pair[0] != pair[1])}"
    return found


def is_explain(sql: str) -> bool:
    return sql.upper().startswith("EXPLAIN")


@pytest.mark.skipif(not CASES, reason="FIRESTEEL_CASES names no folder of recorded cases")
@pytest.mark.parametrize("case", explained(Path(CASES)) if CASES else [], ids=lambda case: case.name)
def test_more_plans(case: Path) -> None:
    found = differences(case)
    assert {number: why for number, why in found.items() if number not in OPEN.get(case.name, ())} == {}
