"""The commands that test scripts, with their arguments."""

from __future__ import annotations

from typing import Annotated

import typer

from firesteel.cli.arguments import Verbose


def run_tests(
    files: Annotated[
        list[str],
        typer.Argument(metavar="FILE...", help="Files of tests; of a folder, all *.firesteel.yaml below it."),
    ],
    name: Annotated[
        str, typer.Option("-k", "--name", metavar="TEXT", help="Run only tests with this text in their name.")
    ] = "",
    rewrite: Annotated[
        bool,
        typer.Option("--rewrite", help="Write the rows that came into the files, where they differ."),
    ] = False,
    coverage: Annotated[
        bool, typer.Option(help="Report the branches of the queries that no test takes.")
    ] = True,
    spark: Annotated[
        bool, typer.Option("--spark", help="Run on Spark's batch host, with the rows of all steps at once.")
    ] = False,
    verbose: Verbose = False,
) -> int:
    """Run tests of scripts in this process; needs no Spark and no system that the tables name."""
    from firesteel.cli.testing.test_files import run_files

    return run_files(files, name=name, rewrite=rewrite, covers=coverage, on_spark=spark)
