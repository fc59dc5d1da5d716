"""Plans of temporal joins as Flink 2.3 prints them, and its refusals.

The files are in tests/golden/temporal_joins. A case is the statement, a line `----`, and the physical plan or
the message of Flink's refusal. A blank line ends a case.
"""

from __future__ import annotations

import pytest

from firesteel import TableEnvironment
from firesteel.errors import ParseError, ValidationError
from tests.goldens import hold
from tests.rules.planning import GOLDEN, section

FOLDER = GOLDEN.parent / "temporal_joins"
BUNDLES = {
    "table.exec.mini-batch.enabled": "true",
    "table.exec.mini-batch.allow-latency": "5 s",
    "table.exec.mini-batch.size": "100",
}


def _cases(theme: str) -> list[list[str]]:
    text = (FOLDER / f"{theme}.txt").read_text(encoding="utf-8")
    return [case.split("\n----\n") for case in text.strip().split("\n\n")]


def _environment(configuration: dict[str, str]) -> TableEnvironment:
    found = TableEnvironment.create(configuration=configuration)
    for statement in found.split((FOLDER / "tables.sql").read_text(encoding="utf-8")):
        found.execute_sql(statement)
    return found


@pytest.fixture(scope="module")
def environment() -> TableEnvironment:
    return _environment({})


@pytest.fixture(scope="module")
def bundling() -> TableEnvironment:
    return _environment(BUNDLES)


@pytest.mark.parametrize("case", _cases("plans"), ids=lambda case: case[0][:90])
def test_plan_is_flinks(case: list[str], environment: TableEnvironment) -> None:
    text = environment.explain_sql(case[0], "CHANGELOG_MODE")
    hold(FOLDER / "plans.txt", case, section(text, "Optimized Physical Plan"))


@pytest.mark.parametrize("case", _cases("mini_batch"), ids=lambda case: case[0][:90])
def test_plan_with_mini_batches_is_flinks(case: list[str], bundling: TableEnvironment) -> None:
    text = bundling.explain_sql(case[0], "CHANGELOG_MODE")
    hold(FOLDER / "mini_batch.txt", case, section(text, "Optimized Physical Plan"))


@pytest.mark.parametrize("case", _cases("refused"), ids=lambda case: case[0][:90])
def test_flink_refuses(case: list[str], environment: TableEnvironment) -> None:
    sql, message = case
    with pytest.raises((ValidationError, ParseError)) as refused:
        environment.explain_sql(sql)
    assert message in str(refused.value)
    assert refused.value.range is not None
