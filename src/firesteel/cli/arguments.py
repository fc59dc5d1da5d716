"""Arguments that several commands have, and the command that refuses an option given twice."""

from __future__ import annotations

from collections import Counter
from shutil import get_terminal_size
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

from firesteel.errors import UsageError

Script = Annotated[str, typer.Argument(metavar="SCRIPT", help="A Flink SQL script; - reads standard input.")]
Define = Annotated[
    list[str] | None,
    typer.Option(
        "-D",
        "--define",
        metavar="NAME=VALUE",
        help="Replaces ${NAME} in SQL; without it, the environment variable does.",
    ),
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
        help="How a SELECT prints: Flink's tableau, a line a change, or the rows left; if not given, by the "
        "result mode that the script sets.",
    ),
]


_LEAST_WIDTH = 30
NARROW = 80
"""Width of a terminal in columns. On a narrower one, the boxes of Typer's help cut off names of options."""


class OnceCommand(TyperCommand):
    """A command that refuses an option which takes one value and is given twice. Flags may be repeated.

    Typer would ignore the first value and print no error.
    """

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the help in boxes. On a narrow terminal, write plain lines, so that no word is cut off."""
        columns = get_terminal_size().columns
        if columns < NARROW:
            self.rich_markup_mode = None
            formatter.width = max(_LEAST_WIDTH, columns - 2)
        super().format_help(ctx, formatter)

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the arguments.

        Raises:
            UsageError: An option is given twice.
        """
        _, _, order = self.make_parser(ctx).parse_args(args=list(args))
        for param, count in Counter(order).items():
            repeats = getattr(param, "multiple", False) or getattr(param, "is_flag", False)
            if count > 1 and param.param_type_name == "option" and not repeats:
                raise UsageError(f"{param.opts[0]} is given {count} times", hint="give it once")
        return super().parse_args(ctx, args)
