"""Whether the sinks of a checkpoint are those that got its micro-batches, and still know which ones.

A table or a topic that was dropped and created again has lost the rows of earlier micro-batches, while the
job goes on behind them; and a broker forgets the number of a micro-batch after a while. The file `delivered`
of a checkpoint says what identified the sinks when they got micro-batches. Without it nothing is compared.
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
"""By the name under which a sink knows the job: what identifies its tables or topics, by their names."""


def check_identities(context: Any, folder: str, now: Identities) -> None:
    """Compare sinks with those that got micro-batches of the checkpoint.

    Args:
        context: Spark's.
        folder: The checkpoint's.
        now: What identifies the sinks now.

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
    """Note what identifies the sinks that have got a micro-batch of the checkpoint."""
    write_text(context, f"{folder}/{DELIVERED}", json.dumps({"sinks": now}, sort_keys=True))


def check_age(context: Any, folder: str, retention: float | None) -> None:
    """See that a micro-batch that is delivered again is not so old that its number is forgotten.

    Args:
        context: Spark's.
        folder: The checkpoint's.
        retention: Seconds for which all sinks remember; None for ever.

    Raises:
        UsageError: The last micro-batch was not finished, and is older than that.
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
    """Empty for a checkpoint of an earlier version, too."""
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
    """When the micro-batch of a file of offsets was planned, in seconds; now where the file does not say."""
    try:
        return float(json.loads(offsets.splitlines()[1])["batchTimestampMs"]) / 1000
    except (IndexError, KeyError, ValueError):
        return time.time()
