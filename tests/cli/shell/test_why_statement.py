"""WHY of the shell: its forms, its errors, and what it prints. No Spark runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from firesteel import TableEnvironment
from firesteel.cli.main import main
from firesteel.cli.shell.why import print_why
from firesteel.cli.shell.why_statement import WhyStatement, is_why, parse_why
from firesteel.errors import ParseError
from tests.session.why.test_group_by import make

TOM = "name = 'Tom'"


@pytest.mark.parametrize(
    ("text", "statement"),
    [
        ("WHY SELECT * FROM t WHERE name = 'Tom';", WhyStatement(TOM, ("t",))),
        ("\n why select * from a.`b c`.t where\n name = 'Tom'", WhyStatement(TOM, ("a", "b c", "t"))),
        ("WHY JOB '3' WHERE name = 'Tom'", WhyStatement(TOM, job="3")),
        ("WHY JOB 3 AT 7 SELECT * FROM t WHERE name = 'Tom'", WhyStatement(TOM, ("t",), "3", at=7)),
        ("WHY CHECKPOINT '/a b' WHERE name = 'Tom' LIMIT 5;", WhyStatement(TOM, checkpoint="/a b", limit=5)),
        ("WHY JOB '3' WHERE a = 'LIMIT' AND b IS NULL", WhyStatement("a = 'LIMIT' AND b IS NULL", job="3")),
    ],
)
def test_forms(text: str, statement: WhyStatement) -> None:
    assert is_why(text)
    assert parse_why(text) == statement


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("WHY", "WHY needs a job, a checkpoint or a table (line 1, column 4)"),
        ("WHY WHERE a = 1", "WHY needs a job, a checkpoint or a table (line 1, column 5)"),
        ("WHY JOB WHERE a = 1", "the id of a job is expected (line 1, column 9)"),
        ("WHY CHECKPOINT here WHERE a = 1", "the folder of a checkpoint, in quotes is expected"),
        ("WHY SELECT a FROM t WHERE a = 1", "WHY takes SELECT * FROM one table (line 1, column 12)"),
        ("WHY SELECT * FROM t, u WHERE a = 1", "WHERE with the values of some columns is missing"),
        ("WHY SELECT * FROM t", "WHERE with the values of some columns is missing"),
        ("WHY JOB '3' AT x WHERE a = 1", "the number of a micro-batch is expected"),
        ("WHY JOB '3' WHERE a = 1 LIMIT 0", "LIMIT takes a number of rows from 1 on (line 1, column 31)"),
    ],
)
def test_errors(text: str, said: str) -> None:
    with pytest.raises(ParseError) as error:
        parse_why(text)
    assert said in str(error.value)
    assert "hint: write WHY [JOB 'id'" in str(error.value)


@pytest.mark.parametrize("text", ["", "WHYS;", "`WHY`", "SELECT 1", "-- WHY"])
def test_other_statements(text: str) -> None:
    assert not is_why(text)


def test_it_prints_what_the_command_prints(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    job = make(tmp_path)
    monkeypatch.chdir(tmp_path)
    Path("job.sql").write_text(job.script)
    words = ["--checkpoint", "checkpoint", "--key", TOM, "--at", "2", "--limit", "2"]
    monkeypatch.setattr("sys.argv", ["firesteel", "why", "job.sql", *words])
    assert main() == 0
    said = capsys.readouterr().out
    asked = parse_why("WHY CHECKPOINT 'checkpoint' AT 2 SELECT * FROM totals WHERE name = 'Tom' LIMIT 2;")
    print_why(TableEnvironment.create(), asked)
    assert capsys.readouterr().out == said
    assert "after micro-batch 2" in said
