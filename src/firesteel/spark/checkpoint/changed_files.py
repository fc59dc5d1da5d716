"""Check for source files that have changed after Spark planned a micro-batch of them and before its commit.

The micro-batch runs again, and would read other rows. `firesteel.source-recovery` says what to do then.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from firesteel.connectors.base import Offset
from firesteel.connectors.filesystem.changed_files import mended_files
from firesteel.connectors.filesystem.log import FileLog
from firesteel.connectors.filesystem.splits import FileInfo, local_path
from firesteel.formats.files import is_of_files
from firesteel.formats.registry import find_format
from firesteel.job.spec import JobSpec
from firesteel.notices import say
from firesteel.runtime.spec.tables import ScanSpec
from firesteel.spark.checkpoint.batch_origins import batches, offsets_text
from firesteel.spark.checkpoint.lock import local_folder
from firesteel.spark.checkpoint.recovery_plan import REFUSE

_BEGIN: Offset = {"file": 0, "byte": 0}


class ChangedFiles:
    """Files of a checkpoint's sources that changed before their micro-batch was committed.

    Args:
        context: The SparkContext.
        folder: Folder of the checkpoint. If it is not on this machine, no files are checked, because the
            checkpoint then has no logs of the files that its sources have found.
        job: The job.
        way: Value of `firesteel.source-recovery`: what to do with changed files. With `refuse`, this class
            checks no files and finds none: the job then fails when it reads a changed file.

    Raises:
        NotSupportedError: `way` is to read changed files as they are now, but such a file is gone, or some of
            its rows are already committed.
    """

    def __init__(self, context: Any, folder: str, job: JobSpec, way: str) -> None:
        local = local_folder(folder)
        self._found: list[tuple[FileLog, dict[str, FileInfo]]] = []
        if local is None or way == REFUSE:
            return
        committed, is_read_whole = _committed(context, folder), _read_whole(job)
        for path in sorted(local.glob("sources/*/files.jsonl")):
            log = FileLog(str(path.parent))
            offset = committed.get(path.parent.name, _BEGIN)
            if changed := mended_files(log, offset, way, is_read_whole):
                self._found.append((log, changed))

    def __bool__(self) -> bool:
        return bool(self._found)

    @property
    def first(self) -> str:
        """Return the path of the first changed file."""
        return next(iter(self._found[0][1]))

    def mend(self) -> None:
        """Replace the changed files' entries in the logs of files, and print a line for each file.

        A new entry has the present size and time of the file, or says that its uncommitted rows are left out.
        Origins of micro-batches that read these files change, because their digests cover the log entries.
        """
        for log, changed in self._found:
            log.amend(changed)
            for path, file in changed.items():
                what = (
                    "its rows that are not committed are left out" if file.left_out else "read as it is now"
                )
                say(f"{path}: changed since it was found; {what}")


def _committed(context: Any, folder: str) -> dict[str, Offset]:
    """Return the last committed offset of each source of files, by the source's number as text."""
    last = batches(context, folder, "commits")[-1:]
    text = offsets_text(context, folder, last[0]) if last else None
    lines = [] if text is None else text.splitlines()[2:]
    found = ((str(number), list(_file_offsets(_value(line)))) for number, line in enumerate(lines))
    return {number: offsets[0] for number, offsets in found if len(offsets) == 1}


def _value(line: str) -> Any:
    try:
        return json.loads(line)
    except ValueError:  # An offset of a user's streaming DataFrame need not be JSON.
        return None


def _file_offsets(offset: Any) -> Iterator[Offset]:
    """Yield the file offsets within a source's offset, at any depth."""
    if isinstance(offset, dict) and offset.keys() >= {"file", "byte"}:
        yield {"file": offset["file"], "byte": offset["byte"]}
    elif isinstance(offset, dict):
        for each in offset.values():
            yield from _file_offsets(each)


def _read_whole(job: JobSpec) -> Callable[[FileInfo], bool]:
    """Return a function that returns whether the job reads a file to its end, even if the file has grown.

    True for compressed files, and for files of formats such as parquet.
    """
    scans = (chain.inputs[0].of for chain in job.chains if chain.source is not None)
    found = [dict(scan.options) for scan in scans if isinstance(scan, ScanSpec)]
    roots = [
        local_path(options["path"]).absolute()
        for options in found
        if options.get("connector", "filesystem") == "filesystem"
        and "path" in options
        and is_of_files(find_format(options["format"]))
    ]
    return lambda file: file.compressed or any(Path(file.path).is_relative_to(root) for root in roots)
