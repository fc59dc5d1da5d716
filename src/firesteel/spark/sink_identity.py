"""Checks at the start of a job that it neither lacks rows in its sinks nor writes rows twice.

Rows are lacking if a table or topic was dropped and created again: it has lost the rows of earlier
micro-batches, and the job does not write them again (`check_identities`). Rows come twice if a micro-batch is
repeated after its broker has forgotten that it has the micro-batch (`check_age`).

After the first delivery of a run, the ids of the sinks' tables and topics are written to the file `delivered`
of the checkpoint. Without this file, nothing is checked.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from typing import Any

from firesteel.errors import UsageError
from firesteel.spark.checkpoint.fingerprint import DELIVERED, SPARK
from firesteel.spark.internals.hadoop_files import names, read_text, write_text

Identities = Mapping[str, Mapping[str, str]]
"""IDs of tables or topics: by sink, then by the name of the table or topic.

Sinks 0, 1 and 2 of the job `q` have the keys `q`, `q.1` and `q.2` (spark/sink_task.py: job_of):

    {"q": {"topic orders": "5fTx..."}, "q.1": {"topic totals": "Zr0a..."}}
"""


def check_identities(context: Any, folder: str, now: Identities) -> None:
    """Check that the sinks' tables and topics are those that got the checkpoint's micro-batches.

    Args:
        context: The SparkContext.
        folder: Folder of the checkpoint.
        now: Current ids of the sinks' tables and topics.

    Raises:
        UsageError: A table or a topic was dropped and created again.
    """
    saved = _saved(context, folder)
    for sink, identities in now.items():
        for what, identity in identities.items():
            if saved.get(sink, {}).get(what, identity) != identity:
                raise UsageError(
                    f"the {what} was dropped and created again after micro-batches of the checkpoint "
                    f"{folder} were delivered to it: their rows are lost, and are not delivered again",
                    hint="begin with an empty checkpoint folder to fill the new one; or, to go on and do "
                    f"without those rows, remove the file {folder}/{DELIVERED}",
                )


def note_identities(context: Any, folder: str, now: Identities) -> None:
    """Store the ids of the sinks' tables and topics after a micro-batch was delivered to the sinks.

    Args:
        context: The SparkContext.
        folder: Folder of the checkpoint.
        now: Current ids of the sinks' tables and topics.
    """
    write_text(context, f"{folder}/{DELIVERED}", json.dumps({"sinks": now}, sort_keys=True))


def check_age(context: Any, folder: str, retention: float | None) -> None:
    """Check that the sinks still remember the number of a micro-batch that will be delivered again.

    Args:
        context: The SparkContext.
        folder: Folder of the checkpoint.
        retention: Seconds for which all sinks remember their batches; None means without limit.

    Raises:
        UsageError: The last micro-batch was not finished and is older than `retention`.
    """
    planned = _last(context, folder, "offsets")
    if retention is None or planned is None or planned == _last(context, folder, "commits"):
        return
    if read_text(context, f"{folder}/{DELIVERED}") is None:
        return
    text = read_text(context, f"{folder}/{SPARK}/offsets/{planned}") or ""
    age = time.time() - _began(text)
    if age > retention:
        raise UsageError(
            f"micro-batch {planned} of the checkpoint {folder} was not finished, and is to be delivered "
            f"again; it is {age / 3600:.0f} hours old, and the sink's brokers forget after "
            f"{retention / 3600:.0f} hours (offsets.retention.minutes) which micro-batches they have: its "
            "rows may come twice",
            hint="look whether the topic has its rows. To deliver it again all the same, remove the file "
            f"{folder}/{DELIVERED}; else begin with an empty checkpoint folder",
        )


def _saved(context: Any, folder: str) -> dict[str, dict[str, str]]:
    """Return the stored ids, empty if the file is missing or of an earlier version."""
    text = read_text(context, f"{folder}/{DELIVERED}")
    try:
        value = json.loads(text or "{}")
    except ValueError:
        return {}
    found: dict[str, dict[str, str]] = value.get("sinks", {})
    return found


def _last(context: Any, folder: str, log: str) -> int | None:
    numbers = [int(name) for name in names(context, f"{folder}/{SPARK}/{log}") if name.isdigit()]
    return max(numbers, default=None)


def _began(offsets: str) -> float:
    """Return when the micro-batch of an offsets file was planned, in seconds since 1970; now if unknown."""
    try:
        return float(json.loads(offsets.splitlines()[1])["batchTimestampMs"]) / 1000
    except (IndexError, KeyError, ValueError):
        return time.time()
