"""Arguments of commands about a checkpoint. Each command imports what it needs when it runs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from firesteel.cli.arguments import Checkpoint, Define, Master, Script, Set, Show, Verbose


def replay(
    script: Script,
    checkpoint: Checkpoint = None,
    table: Annotated[
        str | None,
        typer.Option(
            "--from",
            metavar="TABLE",
            help="The dead-letter table, or a view of its columns; if not given, that of "
            "firesteel.dead-letters.table.",
        ),
    ] = None,
    define: Define = None,
    settings: Set = None,
    master: Master = None,
    show: Show = None,
    verbose: Verbose = False,
) -> int:
    """Read the messages of a dead-letter table again and give them to the stopped job."""
    from firesteel.cli import run as runner
    from firesteel.cli.checkpoint.replay import replay_script
    from firesteel.cli.script import folder_of, pairs, read_script
    from firesteel.sql.variables import substitute

    text = substitute(read_script(script), pairs(define or [], "-D"))
    configuration = runner.configuration(pairs(settings or [], "--set"), checkpoint, master, verbose=verbose)
    runner.check_show(show)
    return replay_script(
        text, configuration, folder=folder_of(script), table=table, show=show, verbose=verbose,
        name="" if script == "-" else Path(script).name,
    )  # fmt: skip
