"""The command `firesteel why`: how a row of a job's result came to be."""

from __future__ import annotations

import sys
from shutil import get_terminal_size
from typing import Annotated

import typer

from firesteel.cli.arguments import Define, Script, Set, Verbose
from firesteel.errors import UsageError

FORMATS = ("text", "json")


def why(
    script: Script,
    key: Annotated[
        list[str] | None,
        typer.Option(
            metavar="CONDITION",
            help="The row: a value for some columns of the result, such as \"name = 'Tom' AND day IS NULL\". "
            "Repeatable.",
        ),
    ] = None,
    checkpoint: Annotated[
        str | None, typer.Option(metavar="DIR", help="The job's checkpoint. The job may be running.")
    ] = None,
    table: Annotated[
        str | None,
        typer.Option(metavar="TABLE", help="The table that has the row, if the script writes several."),
    ] = None,
    at: Annotated[
        int | None,
        typer.Option(
            metavar="BATCH", help="The row after this micro-batch; after the last one if not given."
        ),
    ] = None,
    limit: Annotated[
        int, typer.Option(metavar="ROWS", help="Most source rows, changes and steps that are listed.")
    ] = 20,
    form: Annotated[str, typer.Option("--format", metavar="text|json", help="How to print it.")] = "text",
    define: Define = None,
    settings: Set = None,
    verbose: Verbose = False,
) -> int:
    """Show how a row came to be: its source rows, and what each operator did with them. Needs no Spark."""
    from firesteel.cli import run as runner
    from firesteel.cli.script import folder_of, pairs, read_script, with_values
    from firesteel.cli.why.json_form import as_json
    from firesteel.cli.why.text_form import as_text
    from firesteel.session.environment import TableEnvironment
    from firesteel.session.why.why import Question, explain_row

    if form not in FORMATS:
        raise UsageError(f"--format takes text or json, got {form!r}")
    if limit < 1:
        raise UsageError(f"--limit takes a number from 1 on, got {limit}")
    text = with_values(read_script(script), pairs(define or [], "-D"))
    options = runner.configuration(pairs(settings or [], "--set"), checkpoint, None, verbose=verbose)
    environment = TableEnvironment.create(configuration=options)
    environment.functions_folder = folder_of(script)
    try:
        found = explain_row(environment, text, Question(key or [], table, at, limit))
    finally:
        environment.close()
    is_terminal = sys.stdout.isatty()
    width = get_terminal_size().columns if is_terminal else None
    sys.stdout.write(as_json(found) if form == "json" else as_text(found, is_terminal, width))
    return 0
