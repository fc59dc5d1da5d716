"""Scripts and the settings given beside them on the command line."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping
from pathlib import Path

from firesteel.errors import UsageError

_COMMENT = re.compile(r"^\s*--.*$", re.MULTILINE)
_SETS_SPARK = re.compile(
    r"^\s*SET\s+'?(spark\.|firesteel\.fast-start|pipeline\.name)", re.IGNORECASE | re.MULTILINE
)
_NEEDS_SPARK = re.compile(r"^\s*(SELECT|WITH|VALUES|INSERT|EXECUTE|BEGIN|\()", re.IGNORECASE | re.MULTILINE)

SPARKS_LOGS = {"spark.log.level": "INFO"}
"""Options that `--verbose` sets."""


def folder_of(path: str) -> str:
    """Return the script's folder, in which the modules of its functions are searched."""
    return str(Path.cwd() if path == "-" else Path(path).absolute().parent)


def read_script(path: str) -> str:
    """Return the text of a script; `-` reads standard input.

    Raises:
        UsageError: The script cannot be read, is not UTF-8 text, or has no statement.
    """
    try:
        text = sys.stdin.read() if path == "-" else Path(path).read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise UsageError(f"{path} is not UTF-8 text (byte {error.start})") from None
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}") from None
    if not _COMMENT.sub("", text).strip():
        raise UsageError(f"{path} holds no statement")
    return text


def with_values(text: str, values: Mapping[str, str]) -> str:
    """Return a script in which each `${NAME}` is replaced by its value.

    A value given with -D (`values`) takes precedence over an environment variable of the same name. Secrets
    belong in environment variables: every user of the machine can read the command line.

    Raises:
        ParseError: A name has no value.
    """
    from firesteel.sql.variables import substitute

    return substitute(text, values, os.environ)


def pairs(given: list[str], option: str) -> dict[str, str]:
    """Return NAME=VALUE arguments as a dict. The last value of a name counts, as in Flink and spark-submit.

    Raises:
        UsageError: An argument has no name or no `=`.
    """
    found = {}
    for pair in given:
        name, equals, value = pair.partition("=")
        if not equals or not name.strip():
            raise UsageError(f"{option} takes NAME=VALUE, got {pair!r}")
        found[name.strip()] = value
    return found


def needs_spark(text: str) -> bool:
    """Return whether to start Spark's JVM before the script is parsed.

    True if the script seems to run a query or INSERT, and no SET in it seems to change how the JVM starts.
    Such a SET sets an option of Spark, `firesteel.fast-start` or `pipeline.name`. The result is a guess by
    regular expressions.
    """
    statements = _COMMENT.sub("", text)
    return _NEEDS_SPARK.search(statements) is not None and _SETS_SPARK.search(statements) is None
