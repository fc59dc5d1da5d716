"""Commands of the shell, and `&`."""

from __future__ import annotations

import pytest

from firesteel.cli.shell.commands import Command, asks_for_background, command_of, without_ampersand


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("help", Command("help")),
        (" HELP ;\n", Command("help")),
        ("help metrics;", Command("help", "metrics")),
        ("\\?", Command("help")),
        ("exit;", Command("quit")),
        ("QUIT", Command("quit")),
        ("clear", Command("clear")),
        ("source 'a b.sql';", Command("source", "a b.sql")),
        ("SOURCE a.sql", Command("source", "a.sql")),
        ("\\timing", Command("timing")),
        ("\\timing off", Command("timing", "off")),
        ("SHOW  RESULT 3;", Command("show result", "3")),
        ("show result '3'", Command("show result", "3")),
        ("SHOW TABLES;", None),
        ("SHOW RESULT", Command("show result")),
        ("source ;", Command("source")),
        ("sources", None),
        ("quit now", None),
        ("helpful", None),
        ("SELECT 1;", None),
        ("", None),
    ],
)
def test_commands(text: str, command: Command | None) -> None:
    assert command_of(text) == command


@pytest.mark.parametrize(
    ("text", "asks"),
    [
        ("SELECT 1 &", True),
        ("SELECT 1 & ;\n", True),
        ("SELECT 1; &", True),
        ("SELECT '&'", False),
        ("SELECT 1 -- &", False),
        ("SELECT 1 & 2", False),
        ("&", True),
        ("", False),
    ],
)
def test_what_goes_to_the_background(text: str, asks: bool) -> None:
    assert asks_for_background(text) is asks


def test_the_ampersand_is_no_part_of_the_statement() -> None:
    assert without_ampersand("SELECT 1 &").strip() == "SELECT 1"
    assert without_ampersand("SELECT '&'") == "SELECT '&'"
