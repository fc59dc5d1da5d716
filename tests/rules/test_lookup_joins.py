"""Plans of lookup joins as Flink 2.3 prints them, and refusals: the files of tests/golden/lookup_joins.

A case is the statement, a line `----`, and the abstract syntax tree, `----`, and the physical plan; or the
message of Flink's refusal. A blank line ends a case. Flink ran them with its jdbc connector.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from firesteel import TableEnvironment
from firesteel.errors import FiresteelError, FiresteelWarning
from firesteel.rules.changelog.resolve_updates import OPTION
from tests.goldens import hold
from tests.rules.planning import GOLDEN, section, tree_and_plan

FOLDER = GOLDEN.parent / "lookup_joins"
Case = tuple[str, list[str]]


def _cases(theme: str) -> list[Case]:
    found = []
    for prefix in ("", "more_"):
        text = (FOLDER / f"{prefix}{theme}.txt").read_text(encoding="utf-8")
        found += [(prefix, case.split("\n----\n")) for case in text.strip().split("\n\n")]
    return found


def _name(case: Case) -> str:
    return case[1][0][:150]


@pytest.fixture(scope="module")
def environments() -> dict[str, TableEnvironment]:
    found = {}
    for prefix in ("", "more_"):
        found[prefix] = TableEnvironment.create()
        for statement in (FOLDER / f"{prefix}tables.sql").read_text(encoding="utf-8").split(";\n"):
            if statement.strip():
                found[prefix].execute_sql(statement)
    return found


def explained(environment: TableEnvironment, sql: str) -> str:
    """What EXPLAIN says. Names of rows on the left are numbered as the statement has them."""
    rows = environment.execute_sql(f"EXPLAIN CHANGELOG_MODE {sql}").collect()
    text = "\n".join(str(row[0]) for row in rows)
    numbers = sorted({int(number) for number in re.findall(r"\$cor(\d+)", text)})
    return re.sub(r"\$cor(\d+)", lambda found: f"$cor{numbers.index(int(found[1]))}", text)


@pytest.mark.filterwarnings("ignore:'async'")
@pytest.mark.parametrize("case", _cases("plans"), ids=_name)
def test_plan_is_flinks(case: Case, environments: dict[str, TableEnvironment]) -> None:
    prefix, texts = case
    text = explained(environments[prefix], texts[0])
    hold(FOLDER / f"{prefix}plans.txt", texts, *tree_and_plan(text))


@pytest.mark.parametrize("case", _cases("refusals"), ids=_name)
def test_refusal_is_flinks(case: Case, environments: dict[str, TableEnvironment]) -> None:
    prefix, (sql, message) = case
    with pytest.raises(FiresteelError) as caught:
        explained(environments[prefix], sql)
    assert caught.value.args[0].strip().startswith(message)


def test_async_is_taken_and_said_to_have_no_effect(environments: dict[str, TableEnvironment]) -> None:
    sql = """SELECT /*+ LOOKUP('table'='d', 'async'='true') */ o.id
      FROM o JOIN dim FOR SYSTEM_TIME AS OF o.pt AS d ON o.k = d.id"""
    with pytest.warns(FiresteelWarning, match="'async' of the hint LOOKUP has no effect"):
        explained(environments[""], sql)


def test_a_hint_about_another_table_is_refused_with_its_place(
    environments: dict[str, TableEnvironment],
) -> None:
    sql = """SELECT /*+ LOOKUP('table'='dim', 'async'='false') */ o.id
      FROM o JOIN dim FOR SYSTEM_TIME AS OF o.pt AS d ON o.k = d.id"""
    with pytest.raises(FiresteelError, match=r"cannot match .*\(line 1, .*\n`dim` in `LOOKUP`"):
        explained(environments[""], sql)


def test_options_of_a_hint_tell_lookups_apart(environments: dict[str, TableEnvironment]) -> None:
    """Plans show neither the options of the table nor the conditions that the database decides."""
    part = "SELECT o.id, d.name FROM o JOIN dim FOR SYSTEM_TIME AS OF o.pt AS d ON o.k = d.id"
    other = part.replace("dim FOR", "dim /*+ OPTIONS('lookup.max-retries'='9') */ FOR")
    for second in (other, f"{part} AND d.age = 5", f"{part} AND d.age > 5"):
        text = explained(environments[""], f"{part} UNION ALL {second}")
        shown = section(text, "Optimized Execution Plan")
        assert shown.count("LookupJoin(") == 2, shown


def test_mini_batches_may_stand_below(environments: dict[str, TableEnvironment]) -> None:
    environment = environments["more_"]
    bundles = {"enabled": "true", "allow-latency": "5 s", "size": "10"}
    for key, value in bundles.items():
        environment.execute_sql(f"SET 'table.exec.mini-batch.{key}' = '{value}'")
    query = """SELECT d.name, COUNT(*) FROM op AS o JOIN pdim FOR SYSTEM_TIME AS OF o.pt AS d ON o.k = d.id
      GROUP BY d.name"""
    text = section(explained(environment, query), "Optimized Physical Plan")
    for key in bundles:
        environment.execute_sql(f"RESET 'table.exec.mini-batch.{key}'")
    assert "LocalGroupAggregate" in text
    assert "MiniBatchAssigner(interval=[5000ms], mode=[ProcTime]" in text
    assert "lookup=[id=k]" in text


# --- updates that are resolved ---------------------------------------------------------------------
@pytest.fixture(scope="module")
def resolving(environments: dict[str, TableEnvironment]) -> Iterator[dict[str, TableEnvironment]]:
    for environment in environments.values():
        environment.execute_sql(f"SET '{OPTION}' = 'TRY_RESOLVE'")
    yield environments
    for environment in environments.values():
        environment.execute_sql(f"RESET '{OPTION}'")


@pytest.mark.parametrize("case", _cases("resolved"), ids=_name)
def test_a_lookup_join_that_is_resolved_is_flinks(case: Case, resolving: dict[str, TableEnvironment]) -> None:
    prefix, texts = case
    text = explained(resolving[prefix], texts[0])
    hold(FOLDER / f"{prefix}resolved.txt", texts, *tree_and_plan(text))


@pytest.mark.parametrize("case", _cases("unresolved"), ids=_name)
def test_what_cannot_be_resolved_is_refused(case: Case, resolving: dict[str, TableEnvironment]) -> None:
    prefix, (sql, message) = case
    with pytest.raises(FiresteelError) as caught:
        explained(resolving[prefix], sql)
    assert caught.value.args[0].strip().startswith(message)


def test_metadata_columns_of_changes_are_refused(resolving: dict[str, TableEnvironment]) -> None:
    environment = resolving[""]
    environment.execute_sql("""CREATE TABLE m (k STRING, taken TIMESTAMP_LTZ(3) METADATA FROM 'timestamp')
      WITH ('connector' = 'kafka', 'topic' = 'm', 'properties.bootstrap.servers' = 'h:9',
        'format' = 'canal-json')""")
    message = r"The metadata column\(s\): 'taken' in cdc source may cause wrong result"
    with pytest.raises(FiresteelError, match=message):
        explained(environment, "SELECT k, MAX(taken) FROM m GROUP BY k")
    assert "GroupAggregate" in explained(environment, "SELECT k, COUNT(*) FROM m GROUP BY k")
