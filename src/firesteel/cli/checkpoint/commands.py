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
    from firesteel.cli.script import folder_of, pairs, read_script, with_values

    text = with_values(read_script(script), pairs(define or [], "-D"))
    configuration = runner.configuration(pairs(settings or [], "--set"), checkpoint, master, verbose=verbose)
    runner.check_show(show)
    return replay_script(
        text, configuration, folder=folder_of(script), table=table, show=show, verbose=verbose,
        name="" if script == "-" else Path(script).name,
    )  # fmt: skip


def upgrade(
    script: Script,
    define: Define = None,
    settings: Set = None,
    checkpoint: Annotated[
        str | None, typer.Option(metavar="DIR", help="The checkpoint of the stopped job.")
    ] = None,
    plan: Annotated[bool, typer.Option("--plan", help="Show what changes; compute nothing.")] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show the changes that each sink would get; change nothing.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask before the upgrade.")] = False,
    any_order: Annotated[
        bool,
        typer.Option(
            "--any-order",
            help="Upgrade although results depend on the order in which rows of several inputs came.",
        ),
    ] = False,
    master: Master = None,
    verbose: Verbose = False,
) -> int:
    """Give a stopped job's checkpoint to a changed script; its sinks get the difference."""
    from firesteel.cli import run as runner
    from firesteel.cli.checkpoint.upgrade import Wanted, upgrade_checkpoint
    from firesteel.cli.script import folder_of, pairs, read_script, with_values

    text = with_values(read_script(script), pairs(define or [], "-D"))
    configuration = runner.configuration(pairs(settings or [], "--set"), checkpoint, master, verbose=verbose)
    wanted = Wanted(plan=plan, dry_run=dry_run, yes=yes, any_order=any_order)
    return upgrade_checkpoint(text, configuration, folder=folder_of(script), wanted=wanted)


def state(
    checkpoint: Annotated[
        str, typer.Argument(metavar="CHECKPOINT", help="The folder given as --checkpoint.")
    ],
    operator: Annotated[
        str | None,
        typer.Argument(metavar="OPERATOR", help="Show the entries of this operator, not the sizes of all."),
    ] = None,
    key: Annotated[
        list[str] | None,
        typer.Option(metavar="VALUE", help="Only the entries of this key. Once for each key column."),
    ] = None,
    batch: Annotated[
        int | None,
        typer.Option(
            metavar="NUMBER", help="The state after this micro-batch; after the last one if not given."
        ),
    ] = None,
    diff: Annotated[
        tuple[int, int] | None,
        typer.Option(metavar="A B", help="The entries that differ after the micro-batches A and B."),
    ] = None,
    against: Annotated[
        str | None, typer.Option(metavar="DIR", help="The entries by which this checkpoint's state differs.")
    ] = None,
    limit: Annotated[int, typer.Option(metavar="ROWS", help="Most entries of a state that are shown.")] = 100,
    settings: Set = None,
    master: Master = None,
    verbose: Verbose = False,
) -> int:
    """Show the state that a checkpoint keeps; runs no job."""
    from firesteel.cli import run as runner
    from firesteel.cli.checkpoint.state import show_state
    from firesteel.cli.checkpoint.state_diff import Sides, show_difference
    from firesteel.cli.script import pairs

    configuration = runner.configuration(pairs(settings or [], "--set"), None, master, verbose=verbose)
    if diff is not None or against is not None:
        sides = Sides(checkpoint, diff, against, batch)
        return show_difference(sides, operator, key or [], limit, configuration)
    return show_state(checkpoint, operator, key or [], batch, limit, configuration)


def ui_of_checkpoint(
    checkpoint: Annotated[
        str, typer.Argument(metavar="CHECKPOINT", help="The folder given as --checkpoint.")
    ],
    port: Annotated[int, typer.Option(metavar="PORT", help="The port of the page, 0 for a free one.")] = 8081,
    host: Annotated[
        str | None,
        typer.Option(
            metavar="HOST",
            help="The address of the page; 127.0.0.1 if not given. Any other one asks for a token.",
        ),
    ] = None,
    verbose: Verbose = False,
) -> int:
    """Show the jobs of a checkpoint as a web page, whether they run or not; runs no job."""
    from firesteel.cli.checkpoint.page import serve_page

    return serve_page(checkpoint, port, host)
