"""Arguments that several commands have."""

from __future__ import annotations

from typing import Annotated

import typer

Script = Annotated[str, typer.Argument(metavar="SCRIPT", help="A Flink SQL script; - reads standard input.")]
Define = Annotated[
    list[str] | None,
    typer.Option("-D", "--define", metavar="NAME=VALUE", help="Replaces ${NAME} in the script."),
]
Set = Annotated[
    list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="A configuration option, as SET would.")
]
Verbose = Annotated[bool, typer.Option("--verbose", help="Spark's logs, and stack traces of errors.")]
Checkpoint = Annotated[
    str | None,
    typer.Option(
        metavar="DIR", help="Run as a stream that keeps its offsets and state there and continues from it."
    ),
]
Master = Annotated[str | None, typer.Option(metavar="MASTER", help="Spark's master; local[*] if not given.")]
Show = Annotated[
    str | None,
    typer.Option(
        metavar="tableau|changes|table",
        help="How a SELECT prints: Flink's tableau, a line a change, or the rows left; if not given, by "
        "sql-client.execution.result-mode.",
    ),
]
