"""Text of the position that a job has reached, for the error that ends the job."""

from __future__ import annotations

from firesteel.spark.checkpoint.fingerprint import SPARK
from firesteel.spark.checkpoint.lock import local_folder

_LONGEST = 300
"""Maximum number of characters of offsets in a message. Longer offsets are cut off."""


def position_of(checkpoint: str | None, delivered: int) -> str:
    """Return a text with the number of a job's current micro-batch, and the offsets at which it ends.

    Args:
        checkpoint: Folder of the job in its checkpoint; None if there is none.
        delivered: Number of the last delivered micro-batch, -1 for none. If this machine has no offsets of
            the checkpoint, the text is only the next number.
    """
    folder = None if checkpoint is None else local_folder(checkpoint)
    planned = (
        [] if folder is None else [f for f in (folder / SPARK / "offsets").glob("*") if f.name.isdigit()]
    )
    if not planned:
        return f"batch {delivered + 1}"
    last = max(planned, key=lambda file: int(file.name))
    try:
        offsets = " ".join(last.read_text(encoding="utf-8").splitlines()[2:])
    except OSError:
        return f"batch {last.name}"
    if len(offsets) > _LONGEST:
        offsets = f"{offsets[:_LONGEST]}..."
    return f"batch {last.name}, which ends at {offsets}"
