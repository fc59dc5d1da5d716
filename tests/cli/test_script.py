"""Reading scripts and the NAME=VALUE arguments beside them."""

from __future__ import annotations

from pathlib import Path

import pytest

from firesteel.cli.script import needs_spark, pairs, read_script, with_values
from firesteel.errors import ParseError, UsageError


def test_pairs() -> None:
    assert pairs(["A=1", "B=", "C=x=y"], "-D") == {"A": "1", "B": "", "C": "x=y"}


@pytest.mark.parametrize("pair", ["A", "=1", " =1", ""])
def test_a_pair_without_name_or_value_is_an_error(pair: str) -> None:
    with pytest.raises(UsageError, match="-D takes NAME=VALUE"):
        pairs([pair], "-D")


def test_environment_variables_give_the_values_that_are_not_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PASSWORD_OF_A_TEST", "s3cret")
    text = "'${PASSWORD_OF_A_TEST}' ${TABLE}"
    assert with_values(text, {"TABLE": "t"}) == "'s3cret' t"
    assert with_values(text, {"TABLE": "t", "PASSWORD_OF_A_TEST": "x"}) == "'x' t"


def test_a_name_without_a_value_says_where_to_give_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("FOLDER_OF_A_TEST", raising=False)
    with pytest.raises(ParseError) as found:
        with_values("SELECT '${FOLDER_OF_A_TEST}'", {"TABLE": "t"})
    assert found.value.hint == (
        "give it with -D FOLDER_OF_A_TEST=..., or set it as an environment variable; given are TABLE"
    )


def test_a_script_is_read(tmp_path: Path) -> None:
    script = tmp_path / "job.sql"
    script.write_text("SELECT '李';\n", encoding="utf-8")
    assert read_script(str(script)) == "SELECT '李';\n"


def test_the_last_value_of_a_name_counts() -> None:
    assert pairs(["A=1", "B=x", "A=2"], "--set") == {"A": "2", "B": "x"}


@pytest.mark.parametrize("content", [b"", b"\n  \n", b"-- nothing\n   -- but this\n"])
def test_an_empty_script_is_an_error(tmp_path: Path, content: bytes) -> None:
    script = tmp_path / "job.sql"
    script.write_bytes(content)
    with pytest.raises(UsageError, match=r"job\.sql holds no statement"):
        read_script(str(script))


def test_what_is_no_text_is_an_error(tmp_path: Path) -> None:
    script = tmp_path / "job.sql"
    script.write_bytes(b"SELECT \xff\xfe;")
    with pytest.raises(UsageError, match=r"is not UTF-8 text \(byte 7\)"):
        read_script(str(script))
    with pytest.raises(UsageError, match=r"cannot read .*: Is a directory"):
        read_script(str(tmp_path))
    with pytest.raises(UsageError, match=r"cannot read .*: No such file or directory"):
        read_script(str(tmp_path / "none.sql"))


@pytest.mark.parametrize(
    ("text", "needed"),
    [
        ("SET 'a' = 'b';\nSELECT 1;", True),
        ("  insert into t values (1);", True),
        ("EXECUTE STATEMENT SET BEGIN", True),
        ("CREATE TABLE t (a INT);\nEXPLAIN SELECT 1;\nSHOW TABLES;", False),
        ("-- SELECT 1\n", False),
    ],
)
def test_only_queries_need_spark(text: str, needed: bool) -> None:
    assert needs_spark(text) == needed
