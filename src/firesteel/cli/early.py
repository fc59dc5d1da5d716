"""Early start of Spark, before the arguments are parsed, if they cannot change its settings."""

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
    """Start Spark in the background for `run FILE ...`, with the settings that the command itself would use.

    The command then uses this Spark (spark/launch/launch.py). Do nothing for other commands, if an argument
    may change Spark's settings, or if the script needs no Spark. The command reports wrong arguments.
    """
    if arguments[:1] != ["run"] or any(word in a for a in arguments for word in _CONCERN_SPARK):
        return
    script = _script(arguments[1:])
    if script is None or not needs_spark(script[1]):
        return
    from firesteel.session.launch import prepare

    prepare(SPARKS_LOGS if "--verbose" in arguments else {}, own_process=True, script=script[0])


def _script(arguments: list[str]) -> tuple[str, str] | None:
    """Return name and text of the only argument that is a file.

    Return None if no or several arguments are files, or if the file cannot be read.
    """
    files = [path for path in map(Path, arguments) if path.is_file()]
    if len(files) != 1:
        return None
    try:
        return files[0].name, files[0].read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return None
