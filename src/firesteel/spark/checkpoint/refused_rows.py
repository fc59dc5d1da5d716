"""Refused rows of the micro-batch that is being delivered, kept in the checkpoint.

    refused-rows/BATCH-NUMBER   {"origin": ORIGIN, "sinks": {"SINK": {"PARTITION": [ROW, ...]}}}

The file is durable before a sink commits without these rows. A delivery of the same batch after a crash reads
the file with the highest number, which has the rows of all earlier files. A file with another origin is
ignored, such as one from before the checkpoint was restored from an older copy.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from firesteel.connectors.positions import Origin
from firesteel.connectors.positions import from_json as origin_from
from firesteel.connectors.positions import to_json as origin_to
from firesteel.connectors.refused_rows import from_json, to_json
from firesteel.errors import JobError
from firesteel.spark.checkpoint.durable_names import sync_folder_name, sync_name
from firesteel.spark.internals.hadoop_files import delete, move, names, read_text, write_text
from firesteel.spark.refused_rows import BySink

FOLDER = "refused-rows"


class RefusedRowsOfCheckpoint:
    """Store of refused rows (spark/refused_rows.py) in a checkpoint's folder.

    Args:
        context: The SparkContext.
        folder: Folder of the checkpoint.
    """

    def __init__(self, context: Any, folder: str) -> None:
        self._context = context
        self._folder = folder
        found = (name.split("-") for name in names(context, f"{folder}/{FOLDER}") if name[:1].isdigit())
        self._kept = sorted((int(batch), int(number)) for batch, number in found)

    def of(self, batch: int, origin: Origin) -> BySink:
        """Return the rows that an earlier delivery of the same batch has kept.

        Raises:
            JobError: The file is damaged.
        """
        own = [each for each in self._kept if each[0] == batch]
        if not own:
            return {}
        file = f"{self._folder}/{FOLDER}/{own[-1][0]}-{own[-1][1]}"
        try:
            value = json.loads(read_text(self._context, file) or "")
            if not origin.is_of_same_rows(origin_from(value["origin"])):
                return {}
            return {int(sink): from_json(rows) for sink, rows in value["sinks"].items()}
        except (ValueError, KeyError, TypeError) as error:
            raise JobError(
                f"{file}: the checkpoint's file is damaged: {error}",
                hint="restore the checkpoint from a copy",
            ) from error

    def keep(self, batch: int, origin: Origin, rows: BySink) -> None:
        """Write all refused rows of a batch durably into a new file. Then remove the earlier files.

        Raises:
            JobError: The checkpoint cannot be written.
        """
        value = {
            "origin": origin_to(replace(origin, offsets=(), parts=0)),
            "sinks": {sink: to_json(parts) for sink, parts in rows.items()},
        }
        number = 1 + max((number for other, number in self._kept if other == batch), default=-1)
        name = f"{batch}-{number}"
        draft, file = f"{FOLDER}/.{name}", f"{FOLDER}/{name}"
        write_text(self._context, f"{self._folder}/{draft}", json.dumps(value))
        sync_name(self._folder, draft)
        if not move(self._context, f"{self._folder}/{draft}", f"{self._folder}/{file}"):
            raise JobError(f"{self._folder}/{file} cannot be written")
        sync_name(self._folder, file)
        sync_folder_name(self._folder, "")
        for other, old in self._kept:
            delete(self._context, f"{self._folder}/{FOLDER}/{other}-{old}")
        self._kept = [(batch, number)]
