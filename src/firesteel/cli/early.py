"""Start Spark before the command's arguments are read, where they cannot change how it is started."""

from __future__ import annotations

from pathlib import Path

from firesteel.cli.script import SPARKS_LOGS, needs_spark

_CONCERN_SPARK = (
    "--master",
    "--checkpoint",
    "--help",
    "spark.",
    "checkpointing",
    "firesteel.host",
    "fast-start",
    "pipeline.name",
)


def prepare_early(arguments: list[str]) -> None:
    """Begin to start Spark for `run FILE ...`, as the command itself would a moment later; it finds the one
    that was started here (spark/launch/launch.py). Arguments that are wrong are told of by the command."""
    if arguments[:1] != ["run"] or any(word in a for a in arguments for word in _CONCERN_SPARK):
        return
    script = _script(arguments[1:])
    if script is None or not needs_spark(script[1]):
        return
    from firesteel.session.launch import prepare

    prepare(SPARKS_LOGS if "--verbose" in arguments else {}, own_process=True, script=script[0])


def _script(arguments: list[str]) -> tuple[str, str] | None:
    """The name and the text of the only argument that names a file."""
    files = [path for path in map(Path, arguments) if path.is_file()]
    if len(files) != 1:
        return None
    try:
        return files[0].name, files[0].read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return None
