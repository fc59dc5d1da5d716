"""The commands and their arguments. Each command imports its modules when it runs, so that it starts fast."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from firesteel.cli.arguments import Checkpoint, Define, Master, OnceCommand, Script, Set, Show, Verbose
from firesteel.cli.checkpoint.commands import replay, state, ui_of_checkpoint, upgrade
from firesteel.cli.interrupts import raise_dropped
from firesteel.cli.testing.commands import diff, diff_flink, run_tests, verify
from firesteel.cli.why.command import why
from firesteel.errors import UsageError

_INTERRUPTED = 130
"""Exit status that typer returns for a KeyboardInterrupt while it reads the arguments."""


class _Commands(TyperGroup):
    """Group of the commands. It catches a KeyboardInterrupt and returns it as the result of the command.

    `run_app` then raises the exception again. Without this class, Typer would turn it into an exit status.
    """

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt as stop:
            return stop


class _WithPage(OnceCommand):
    """A command with the option `--ui`. The value of the option, a port, may be left out."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        from firesteel.cli.ui import with_port

        return super().parse_args(ctx, with_port(args))


app = typer.Typer(
    cls=_Commands,
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    help="Flink SQL's continuous queries, with retraction, on Apache Spark.",
)

_RECOVERY, _SOURCE_RECOVERY = "firesteel.sink-recovery", "firesteel.source-recovery"
Recover = Annotated[
    list[str] | None,
    typer.Option(
        metavar="HOW",
        help="Go on although the checkpoint and a sink disagree: deliver-again sends what came after the "
        "older one, so consumers may see it twice; resume-from-sink reads up to the position of a sink that "
        "is ahead, without delivering; accept-loss leaves missing what a sink lacks. Go on although files "
        "changed before their rows were committed: read-changed-files reads them as they are now, "
        "skip-changed-files leaves those rows out. Repeatable.",
    ),
]
MetricsPort = Annotated[
    int | None,
    typer.Option(
        "--metrics-port", metavar="PORT", help="Answer there: Prometheus at /metrics, JSON at /api/v1/jobs."
    ),
]
MetricsHost = Annotated[
    str | None,
    typer.Option(
        "--metrics-host",
        metavar="HOST",
        help="The address that --metrics-port is on; 127.0.0.1 if not given, 0.0.0.0 for all.",
    ),
]
Ui = Annotated[
    int | None,
    typer.Option(
        "--ui",
        metavar="[PORT]",
        help="Serve the web page there: 8081 if PORT is not given, 0 for a free port.",
    ),
]
UiHost = Annotated[
    str | None,
    typer.Option(
        "--ui-host",
        metavar="HOST",
        help="The address that --ui is on; 127.0.0.1 if not given. Any other one asks for a token.",
    ),
]


@app.command(cls=_WithPage)
def run(
    script: Script,
    define: Define = None,
    settings: Set = None,
    checkpoint: Checkpoint = None,
    master: Master = None,
    show: Show = None,
    keep_going: Annotated[
        bool,
        typer.Option(
            "--keep-going",
            help="Print the error of a statement that fails in place of its result, and go on.",
        ),
    ] = False,
    metrics_port: MetricsPort = None,
    metrics_host: MetricsHost = None,
    ui: Ui = None,
    ui_host: UiHost = None,
    log_format: Annotated[
        str,
        typer.Option("--log-format", metavar="text|json", help="Form of progress and errors on stderr."),
    ] = "text",
    recover: Recover = None,
    verbose: Verbose = False,
) -> int:
    """Run a script."""
    from firesteel.cli import run as runner
    from firesteel.cli.script import folder_of, pairs, read_script, with_values

    text = with_values(read_script(script), pairs(define or [], "-D"))
    given = pairs(settings or [], "--set") | _recovery(recover or [])
    configuration = runner.configuration(given, checkpoint, master, verbose=verbose)
    if log_format not in ("text", "json"):
        raise UsageError(f"--log-format takes text, json, got {log_format!r}")
    as_json = log_format == "json"
    with _metrics(metrics_port, metrics_host), _page(ui, ui_host, as_json=as_json):
        return runner.run_script(
            text, configuration, folder=folder_of(script), show=show, keep_going=keep_going,
            verbose=verbose, as_json=as_json,
            name="" if script == "-" else Path(script).name,
        )  # fmt: skip


@app.command(cls=OnceCommand)
def explain(
    script: Script,
    code: Annotated[bool, typer.Option("--code", help="Show the code that each chain runs, too.")] = False,
    trace_rules: Annotated[
        bool, typer.Option("--trace-rules", help="Show the plan after each step of the optimizer, too.")
    ] = False,
    define: Define = None,
    settings: Set = None,
    verbose: Verbose = False,
) -> int:
    """Show the plan of every query in a script, with changelog modes; runs none of them."""
    from firesteel.cli import run as runner
    from firesteel.cli.script import folder_of, pairs, read_script, with_values

    text = with_values(read_script(script), pairs(define or [], "-D"))
    configuration = runner.configuration(pairs(settings or [], "--set"), None, None, verbose=verbose)
    return runner.explain_script(
        text, configuration, folder=folder_of(script), code=code, trace_rules=trace_rules
    )


@app.command(cls=OnceCommand)
def demo(verbose: Verbose = False) -> int:
    """Run a small job: its script, its plan, and its change stream."""
    from firesteel.cli.demo import run_demo

    return run_demo(verbose=verbose)


@app.command(cls=_WithPage)
def shell(
    context: typer.Context,
    init: Annotated[
        str | None,
        typer.Option("--init", metavar="FILE", help="A script that runs first. Its error ends the shell."),
    ] = None,
    define: Define = None,
    settings: Set = None,
    master: Master = None,
    metrics_port: MetricsPort = None,
    metrics_host: MetricsHost = None,
    ui: Ui = None,
    ui_host: UiHost = None,
    verbose: Verbose = False,
) -> int:
    """Type statements and see their results."""
    from firesteel.cli import run as runner
    from firesteel.cli.script import folder_of, pairs
    from firesteel.cli.shell.shell import Shell

    configuration = runner.configuration(pairs(settings or [], "--set"), None, master, verbose=verbose)
    with _metrics(metrics_port, metrics_host), _page(ui, ui_host):
        return Shell(
            configuration, folder=folder_of("-"), verbose=verbose, init=init,
            variables=pairs(define or [], "-D"),
            commands=getattr(context.find_root().command, "commands", {}),
        ).loop()  # fmt: skip


@app.command(cls=OnceCommand)
def savepoint(
    job: Annotated[
        str,
        typer.Argument(
            metavar="JOB", help="A checkpoint's folder, or a script that sets 'execution.checkpointing.dir'."
        ),
    ],
    target: Annotated[str, typer.Argument(metavar="TARGET", help="The new folder.")],
    define: Define = None,
    settings: Set = None,
    verbose: Verbose = False,
) -> int:
    """Copy a checkpoint as of its last micro-batch, while its job runs or not."""
    from firesteel.cli import run as runner
    from firesteel.cli.checkpoint.savepoint import checkpoint_of, save
    from firesteel.cli.script import pairs

    configuration = runner.configuration(pairs(settings or [], "--set"), None, None, verbose=verbose)
    checkpoint = checkpoint_of(job, pairs(define or [], "-D"), configuration)
    return save(checkpoint, target, configuration)


@app.command(cls=OnceCommand)
def rescale(
    checkpoint: Annotated[
        str,
        typer.Argument(metavar="CHECKPOINT", help="The folder of a stopped job."),
    ],
    parallelism: Annotated[
        int, typer.Option(metavar="NUMBER", help="The new parallelism, at most the max parallelism.")
    ],
    settings: Set = None,
    master: Master = None,
    verbose: Verbose = False,
) -> int:
    """Change the parallelism of a stopped job's checkpoint."""
    from firesteel.cli import run as runner
    from firesteel.cli.checkpoint.rescale import rescale_checkpoint
    from firesteel.cli.script import pairs

    configuration = runner.configuration(pairs(settings or [], "--set"), None, master, verbose=verbose)
    return rescale_checkpoint(checkpoint, parallelism, configuration)


@app.command(cls=OnceCommand)
def package(
    target: Annotated[str, typer.Argument(metavar="FILE", help="The archive to write: .tar.gz or .tar.")],
    extra: Annotated[
        list[str] | None,
        typer.Option(
            metavar="EXTRA", help="An extra of Firesteel; kafka, jdbc and avro if they are installed."
        ),
    ] = None,
) -> int:
    """Write an archive with Firesteel and all that it requires, for the executors of a cluster."""
    from firesteel.cli.package import write_package

    return write_package(target, extra)


app.command(cls=OnceCommand)(state)
app.command("ui", cls=OnceCommand)(ui_of_checkpoint)
app.command(cls=OnceCommand)(replay)
app.command("test", cls=OnceCommand)(run_tests)
app.command(cls=OnceCommand)(verify)
app.command(cls=OnceCommand)(diff)
app.command("diff-flink", cls=OnceCommand)(diff_flink)
app.command(cls=OnceCommand)(upgrade)
app.command(cls=OnceCommand)(why)


@app.command("help", cls=OnceCommand)
def help_(
    page: Annotated[str | None, typer.Argument(metavar="PAGE", help="Lists the pages if not given.")] = None,
) -> int:
    """Print a page of the documentation."""
    from firesteel.cli.help_pages import print_page

    return print_page(page)


def _metrics(port: int | None, host: str | None) -> AbstractContextManager[object]:
    """Return a context that serves `--metrics-port`. Without a port, it does nothing."""
    if port is None:
        if host is not None:
            raise UsageError("--metrics-host has no effect without --metrics-port")
        return nullcontext()
    from firesteel.cli.http_api import Api
    from firesteel.cli.metrics_server import served
    from firesteel.ui.host_header import LOOPBACK

    return served(Api().answer, port, host or LOOPBACK)


def _page(port: int | None, host: str | None, *, as_json: bool = False) -> AbstractContextManager[object]:
    """Return a context that serves the web page of `--ui`. Without a port, it does nothing."""
    if port is None:
        if host is not None:
            raise UsageError("--ui-host has no effect without --ui")
        return nullcontext()
    from firesteel.cli.ui import page

    return page(port, host, as_json=as_json)


def _recovery(values: list[str]) -> dict[str, str]:
    """Return the configuration options, by key, that the values of `--recover` set.

    Raises:
        UsageError: A value is unknown, or two different values set the same option.
    """
    from firesteel.config.table import OPTIONS

    ways = {
        way: option.key
        for option in OPTIONS
        if option.key in (_RECOVERY, _SOURCE_RECOVERY)
        for way in option.choices
        if way != option.default
    }
    found: dict[str, str] = {}
    for value in values:
        key = ways.get(value)
        if key is None:
            raise UsageError(f"--recover has no way {value!r}", hint=f"the ways are {', '.join(ways)}")
        if found.setdefault(key, value) != value:
            raise UsageError(f"--recover takes {found[key]} or {value}, not both")
    return found


def _version(wanted: bool) -> None:
    if wanted:
        from firesteel import __version__

        typer.echo(f"firesteel {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    pass


def run_app(arguments: list[str]) -> int:
    """Run the command that the arguments name.

    Returns:
        The exit status.

    Raises:
        UsageError: The arguments are wrong.
        KeyboardInterrupt: A signal stopped it.
    """
    try:
        status: Any = app(arguments, prog_name="firesteel", standalone_mode=False)
    except SystemExit as left:  # raised by click, or by rich in a help text, if the output's reader is gone
        if "--help" in arguments and isinstance(left.__context__, BrokenPipeError):
            return 0
        raise left.__context__ or left from None
    except Exception as error:
        say = getattr(error, "format_message", None)  # typer's own errors, whichever click it carries
        if say is None:
            raise
        command = getattr(getattr(error, "ctx", None), "command_path", "firesteel")
        if not (text := say()):  # no command given: typer has printed the help
            return 2
        raise UsageError(" ".join(text.split()).rstrip("."), hint=f"{command} --help") from None
    if isinstance(status, KeyboardInterrupt):
        raise status
    if status == _INTERRUPTED:
        raise_dropped()
        raise KeyboardInterrupt
    return status if isinstance(status, int) else 0
