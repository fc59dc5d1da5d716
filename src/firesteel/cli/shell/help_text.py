"""The help of the shell: its own page, and the pages of the documentation."""

from __future__ import annotations

from collections.abc import Mapping
from shutil import get_terminal_size
from textwrap import fill, wrap
from typing import Any

from firesteel.cli.help_pages import pages, print_page
from firesteel.errors import UsageError
from firesteel.session.vocabulary.functions import BUILT_IN, described
from firesteel.session.vocabulary.options import described as described_option
from firesteel.session.vocabulary.options import settings

_TITLE = "Statements end with a semicolon."
_ENTRIES = (
    ("CREATE TABLE, CREATE VIEW, DROP", "define what queries read and write"),
    ("SELECT, INSERT INTO, STATEMENT SET", "run a query; Ctrl-C stops it"),
    ("SELECT ... &", "run it in the background"),
    ("SHOW JOBS, STOP JOB 'id'", "list the jobs, stop one"),
    ("SHOW RESULT id", "what came of a query in the background"),
    ("WHY SELECT * FROM t WHERE key = 1", "how a row of a job's result came to be; HELP why"),
    ("EXPLAIN [CHANGELOG_MODE] query", "show its plan"),
    ("SHOW TABLES, DESCRIBE name", "see what is there"),
    ("SET, SET 'key' = 'value', RESET", "options of this shell"),
    (
        "SET 'sql-client.execution.result-mode' = 'TABLEAU', 'CHANGELOG' or 'TABLE'",
        "how results are shown: Flink's tableau, a line a change, the rows left",
    ),
    ("SET 'firesteel.shell.detach' = 'true'", "run INSERTs and endless queries in the background"),
    ("SOURCE file", "run the statements of a file"),
    ("\\timing [on|off]", "show how long each statement takes"),
    ("HELP topic", "a page of the documentation, a command, a function or an option"),
    ("CLEAR, HELP, QUIT or EXIT", "of the shell itself, with or without a semicolon"),
)
"""Statements and commands, each with its meaning."""
_KEYS = "Tab completes, Ctrl-R searches the history, Alt-Enter begins a line."
_COLUMN = 40
"""Column of the meanings. A terminal with less than twice this width has them below the statements."""


def overview(width: int) -> str:
    """Return the help of the shell in lines that fit on a terminal of this width."""
    lines = fill(_TITLE, width).splitlines()
    for words, meaning in _ENTRIES:
        lines += _beside(words, meaning, width) if width >= 2 * _COLUMN else _below(words, meaning, width)
    return "\n".join([*lines, *fill(_KEYS, width).splitlines(), ""])


def _beside(words: str, meaning: str, width: int) -> list[str]:
    """Return the lines of a statement and its meaning side by side, in two columns.

    The meaning is wrapped in the right column. It begins on the second line if the words are too long for the
    left column.
    """
    indent = " " * _COLUMN
    found = wrap(meaning, width, initial_indent=indent, subsequent_indent=indent)
    head = f"  {words}"
    if len(head) >= _COLUMN:
        return [head, *found]
    return [head.ljust(_COLUMN) + found[0].lstrip(), *found[1:]]


def _below(words: str, meaning: str, width: int) -> list[str]:
    head = wrap(words, width, initial_indent="  ", subsequent_indent="  ", break_on_hyphens=False)
    return [*head, *wrap(meaning, width, initial_indent="      ", subsequent_indent="      ")]


def print_help(topic: str, commands: Mapping[str, Any]) -> None:
    """Print the help of the shell or of a topic.

    Args:
        topic: A page of the documentation, a command of `firesteel`, a function or an option; "" for the
            help itself.
        commands: Typer's commands by name.

    Raises:
        UsageError: Nothing is known about the topic.
    """
    if not topic:
        print(overview(get_terminal_size().columns), end="")
    elif topic.lower() in pages():
        print_page(topic.lower())
    elif topic.lower() in commands:
        commands[topic.lower()].main(["--help"], f"firesteel {topic.lower()}", standalone_mode=False)
    elif topic.upper() in BUILT_IN:
        print(described(topic.upper()))
    elif topic in settings():
        print(f"{topic}: {described_option(settings()[topic])}")
    else:
        raise UsageError(
            f"there is no help about {topic!r}",
            hint=f"topics are functions, options, commands, and the pages {', '.join(pages())}",
        )
