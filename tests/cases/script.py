"""A recorded case: a script that Flink 2.3 has run, and what it answered to each SELECT.

A case is a folder: `case.sql`, the files of its tables (`${DATA}` is the folder) and `flink.json`, Flink's
answers in the order of the script, `{"sql", "columns", "rows": [[kind, cell, ...], ...]}` or
`{"sql", "error"}`. Before each SELECT that is answered stands `-- keys: K, compare: HOW`: its first K columns
are its key, and each key's changes must be the same (`exact`), cell by cell as text (`text`), or only what
they leave (`final`).

usage: python -m tests.cases.script FOLDER
    prints, for each case in the folder, the numbers of the SELECTs that are refused
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from firesteel.errors import FiresteelError, NotSupportedError
from firesteel.job.spec import JobSpec
from firesteel.session.jobs import job_of
from firesteel.session.planning import plan_all
from firesteel.sql.statements import Query as QueryStatement
from tests.cases.changes import difference

if TYPE_CHECKING:
    from firesteel import TableEnvironment

HEAD = re.compile(r"^-- keys: (\d+), compare: (\w+)$", re.MULTILINE)


@dataclass(frozen=True)
class Query:
    """A SELECT of a case. changes: Flink's, None where Flink refuses it."""

    number: int
    sql: str
    key_columns: int = 0
    compare: str = "final"
    changes: list[list[str]] | None = None


def steps(environment: TableEnvironment, case: Path) -> Iterator[str | Query]:
    """The script's statements in order: a query with its answer, any other one as text.

    Answers to EXPLAIN are left out.
    """
    recorded = json.loads((case / "flink.json").read_text(encoding="utf-8"))
    answers = (answer for answer in recorded if not answer["sql"].upper().startswith("EXPLAIN"))
    text = (case / "case.sql").read_text(encoding="utf-8").replace("${DATA}", str(case))
    heads = iter(HEAD.findall(text))
    number = 0
    for sql in environment.split(text):
        if not sql.upper().startswith(("SELECT", "WITH", "VALUES", "(")):
            yield sql
            continue
        number += 1
        answer = next(answers)
        assert answer["sql"] == sql, f"{case.name}: the answers are another script's"
        if "error" in answer:
            yield Query(number, sql)
        else:
            keys, compare = next(heads)
            yield Query(number, sql, int(keys), compare, answer["rows"])
    assert next(answers, None) is None, f"{case.name}: there are answers without a SELECT"


def disagreements(
    environment: TableEnvironment, case: Path, open_: frozenset[int] = frozenset()
) -> list[str]:
    """Run the script; for each SELECT that is answered otherwise than by Flink, its number, text and why.

    open_: numbers of SELECTs that are let out. Only where there are some may a view be refused.
    """
    found = []
    for step in steps(environment, case):
        if isinstance(step, str):
            with suppress(*[NotSupportedError] if open_ else []):
                environment.execute_sql(step)
        elif step.number not in open_ and (why := _disagreement(environment, step)):
            found.append(f"{step.number}: {step.sql}\n   {why}")
    return found


def _disagreement(environment: TableEnvironment, query: Query) -> str | None:
    try:
        result: Any = environment.execute_sql(query.sql)
        got = list(result.texts())
    except FiresteelError as error:
        return None if query.changes is None else f"{type(error).__name__}: {error}"
    except Exception as error:
        return repr(error)
    if query.changes is None:
        return "Flink refuses it"
    return difference(
        query.changes, got, query.key_columns, query.compare != "final", query.compare == "text"
    )


def refused(environment: TableEnvironment, case: Path) -> Iterator[int]:
    """Numbers of the SELECTs that no plan or job is made for, though Flink answers them."""
    for step in steps(environment, case):
        try:
            if isinstance(step, str):
                environment.execute_sql(step)
            else:
                job(environment, step.sql)
        except FiresteelError:
            if isinstance(step, Query) and step.changes is not None:
                yield step.number


def job(environment: TableEnvironment, sql: str) -> JobSpec:
    """What would run for a query."""
    (query,) = environment.parse(sql)
    assert isinstance(query, QueryStatement)
    (plans,) = plan_all(environment, (query,), sql, collect=True)
    return job_of(environment, [plans.physical])


def main() -> None:
    from firesteel import TableEnvironment

    for case in answered(Path(sys.argv[1])):
        if numbers := list(refused(TableEnvironment.create(), case)):
            print(f"{case.name}: {' '.join(map(str, numbers))}")


def answered(folder: Path) -> list[Path]:
    """The cases in a folder that have a SELECT."""
    return [
        file.parent
        for file in sorted(folder.glob("*/case.sql"))
        if HEAD.search(file.read_text(encoding="utf-8"))
    ]


if __name__ == "__main__":
    main()
