"""The script of a statement, kept in the statement's folder of a checkpoint.

An upgrade computes from the script which rows the statement has sent to its sinks (spark/upgrade/).
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from firesteel.connectors.registry import secret_keys
from firesteel.errors import FiresteelError, JobError
from firesteel.sensitive import is_hidden, redacted
from firesteel.spark.internals.hadoop_files import read_text, write_text

FILE = "script.json"
_CONNECTOR = re.compile(r"'connector'\s*=\s*'([^']+)'")
_NOT_KEPT = ("spark.", "execution.checkpointing.dir", "firesteel.sink-recovery", "firesteel.source-recovery")
"""Prefixes of options that are not kept, because they do not change what a script means."""


@dataclass(frozen=True)
class KeptScript:
    """A script, and the settings that decide what it means.

    Attributes:
        text: The script, with values for its variables and asterisks for its secrets.
        options: Options that were set before the script ran, without secrets.
        functions_folder: Folder of the modules of user-defined functions.
    """

    text: str
    options: Mapping[str, str]
    functions_folder: str = ""

    @classmethod
    def of(cls, text: str, options: Mapping[str, str], functions_folder: str = "") -> KeptScript:
        """Return a script without secrets, and without options that do not decide what it means."""
        kept = {
            key: value
            for key, value in options.items()
            if not key.startswith(_NOT_KEPT) and not is_hidden(key, value)
        }
        return cls(redacted(text, _declared_secrets(text)), kept, functions_folder)


def _declared_secrets(text: str) -> set[str]:
    """Return the keys of the secret options of all connectors that a script names."""
    found: set[str] = set()
    for name in set(_CONNECTOR.findall(text)):
        with suppress(FiresteelError):  # An unknown connector: its statement fails later.
            found |= secret_keys({"connector": name})
    return found


def note_script(context: Any, folder: str, script: KeptScript | None) -> None:
    """Store the script of a statement in its folder, unless the folder already has the same script.

    Args:
        context: The SparkContext.
        folder: The statement's folder in a checkpoint.
        script: The script; None changes nothing.
    """
    if script is None:
        return
    value = {
        "text": script.text,
        "options": dict(script.options),
        "functions_folder": script.functions_folder,
    }
    text = json.dumps(value, indent=1, ensure_ascii=False)
    if read_text(context, f"{folder}/{FILE}") != text:
        write_text(context, f"{folder}/{FILE}", text)


def kept_script(folder: Path) -> KeptScript | None:
    """Return the script of a statement; None if it was not run from a script, or by an earlier version.

    Raises:
        JobError: The file is damaged.
    """
    file = folder / FILE
    try:
        return KeptScript(**json.loads(file.read_text(encoding="utf-8")))
    except FileNotFoundError:
        return None
    except (ValueError, TypeError) as error:
        raise JobError(
            f"{file}: the checkpoint's file is damaged: {error}",
            hint="run the job once with its script, which writes the file again",
        ) from None
