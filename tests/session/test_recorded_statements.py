"""Scripts of statements about what is in the catalog, against what Flink 2.3 printed or refused.

recorded_statements/*.json: each statement with its print, or with Flink's chain of error messages: ours
must be one of them. "(parse)" stands for its parser's.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from firesteel import TableEnvironment
from firesteel.errors import FiresteelError, NotSupportedError, ParseError
from firesteel.session import jobs
from firesteel.session.result import OK

FOLDER = Path(__file__).with_name("recorded_statements")
SCRIPTS = sorted(FOLDER.glob("*.json"))


def answer(environment: TableEnvironment, sql: str) -> str:
    if re.match(r"SELECT|INSERT|WITH", sql):
        return environment.explain_sql(sql)
    out: list[str] = []
    environment.execute_sql(sql).print(out.append)
    return "".join(out)


def flat(text: str) -> str:
    return " ".join(text.split())


def refusal(environment: TableEnvironment, sql: str) -> FiresteelError:
    with pytest.raises(FiresteelError) as raised:
        answer(environment, sql)
    return raised.value


def check(environment: TableEnvironment, step: dict[str, Any]) -> None:
    if "error" not in step:
        printed = answer(environment, step["sql"])
        assert printed.rstrip("\n") == step.get("printed", printed).rstrip("\n")
        return
    error = refusal(environment, step["sql"])
    assert not isinstance(error, NotSupportedError)
    assert error.range is not None
    if step["error"] == ["(parse)"]:
        assert isinstance(error, ParseError)
    else:
        ours = flat(error.message)
        assert any(ours in flat(m) or ours.endswith(flat(m)) for m in step["error"]), ours


@pytest.fixture(autouse=True)
def no_jobs(monkeypatch: pytest.MonkeyPatch) -> None:
    """What fills a table that CREATE TABLE ... AS made is planned, and not run."""
    monkeypatch.setattr(jobs, "run_inserts", lambda *_: OK)


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.stem)
def test_as_flink_answers(path: Path) -> None:
    environment = TableEnvironment.create()
    wrong = []
    for step in json.loads(path.read_text(encoding="utf-8")):
        try:
            check(environment, step)
        except (AssertionError, FiresteelError) as error:
            wrong.append(f"{step['sql']}\n{error}")
    assert not wrong, "\n\n".join(wrong)
