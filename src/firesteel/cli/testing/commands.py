"""The commands that test scripts, with their arguments."""

from __future__ import annotations

from typing import Annotated

import typer

from firesteel.cli.arguments import Define, Script, Set, Verbose


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


def verify(
    script: Annotated[str, typer.Argument(metavar="SCRIPT", help="The script of the job.")],
    define: Define = None,
    settings: Set = None,
    checkpoint: Annotated[
        str | None,
        typer.Option(
            metavar="DIR", help="The job's checkpoint: sources count up to its last micro-batch only."
        ),
    ] = None,
    sink: Annotated[
        bool, typer.Option("--sink", help="Read the tables that the script inserts into.")
    ] = False,
    verbose: Verbose = False,
) -> int:
    """Compare a job, or the tables that it fills, with the batch answer over the same input."""
    from firesteel.cli.script import pairs
    from firesteel.cli.testing.verification import verify_and_tell

    return verify_and_tell(
        script,
        define=pairs(define or [], "-D"),
        settings=pairs(settings or [], "--set"),
        checkpoint=checkpoint,
        sink=sink,
    )


def diff_flink(
    script: Script,
    define: Define = None,
    settings: Set = None,
    python: Annotated[
        str | None,
        typer.Option(
            "--flink-python",
            metavar="PATH",
            envvar="FIRESTEEL_FLINK_PYTHON",
            help="A Python that has the package apache-flink; if not given, one in the cache folder.",
        ),
    ] = None,
    version: Annotated[
        str | None,
        typer.Option(
            "--flink-version", metavar="VERSION", help="The Flink to install into the cache folder; 2.3.0."
        ),
    ] = None,
    jar: Annotated[
        list[str] | None,
        typer.Option(metavar="FILE", help="A jar with a connector or format for Flink. Repeatable."),
    ] = None,
    plans: Annotated[bool, typer.Option(help="Compare the plans, too.")] = True,
    verbose: Verbose = False,
) -> int:
    """Run a script on Flink, too, and compare results and plans; writes to no sink."""
    from firesteel.cli.script import pairs
    from firesteel.cli.testing.flink import diff_flink_and_tell

    return diff_flink_and_tell(
        script,
        define=pairs(define or [], "-D"),
        settings=pairs(settings or [], "--set"),
        python=python,
        version=version,
        jars=jar or [],
        with_plans=plans,
    )


def diff(
    scripts: Annotated[
        list[str] | None, typer.Argument(metavar="OLD NEW", help="Two scripts, or one beside a checkpoint.")
    ] = None,
    checkpoint: Annotated[
        list[str] | None,
        typer.Option(
            metavar="DIR",
            help="The script and the input of this checkpoint's run, in place of OLD. Twice: of two runs.",
        ),
    ] = None,
    define: Define = None,
    settings: Set = None,
    verbose: Verbose = False,
) -> int:
    """Compare the plans and the rows of two scripts over the same input, or of two runs."""
    from firesteel.cli.script import pairs
    from firesteel.cli.testing.diff import diff_and_tell

    return diff_and_tell(
        scripts or [],
        checkpoint or [],
        define=pairs(define or [], "-D"),
        settings=pairs(settings or [], "--set"),
    )
