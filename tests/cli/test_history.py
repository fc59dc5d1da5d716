"""The shell's history: whole statements, in a file that only its owner reads."""

from __future__ import annotations

from pathlib import Path

from firesteel.cli.history import LENGTH, History, home_file, read


def test_statements_of_many_lines_come_back_whole(tmp_path: Path) -> None:
    file = tmp_path / "history"
    history = History(file)
    for statement in ("SELECT 1,\n  'ü';", "SHOW TABLES;", "SHOW TABLES;"):
        history.add(statement)
    history.save()
    assert read(file) == ["SELECT 1,\n  'ü';", "SHOW TABLES;"]
    assert file.stat().st_mode & 0o777 == 0o600


def test_lines_of_another_origin_are_taken_as_they_are(tmp_path: Path) -> None:
    file = tmp_path / "history"
    file.write_text('SELECT 1;\n"SELECT 2;"\n17\n')
    assert read(file) == ["SELECT 1;", "SELECT 2;", "17"]
    assert read(tmp_path / "nothing") == []


def test_only_the_last_statements_are_kept(tmp_path: Path) -> None:
    history = History(tmp_path / "history")
    for number in range(LENGTH + 5):
        history.add(f"SELECT {number};")
    history.save()
    assert read(tmp_path / "history")[0] == "SELECT 5;"


def test_a_folder_that_cannot_be_written_is_no_error(tmp_path: Path) -> None:
    history = History(tmp_path / "missing" / "history")
    history.add("SELECT 1;")
    history.save()
    assert home_file() is None or home_file() == Path.home() / ".firesteel_history"
