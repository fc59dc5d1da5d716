"""Check that files which a job has read can be read again."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from firesteel.connectors.base import History, Offset
from firesteel.connectors.filesystem.offsets import between
from firesteel.connectors.filesystem.splits import FileInfo, Piece
from firesteel.errors import DataError, UsageError

_HINT = "bring the file back as it was when the job read it"


def history_of(
    files: Sequence[FileInfo], start: Offset, end: Offset, check: Callable[[FileInfo], None]
) -> History:
    """Return a description of the data between two offsets, which a job has read and is to read again.

    Args:
        files: The files of the log, in reading order.
        start: Offset at which the data begins, before the first file of the log.
        end: Offset at which the data ends.
        check: Function that raises DataError if a file no longer has the rows that it had when it was found.

    Raises:
        UsageError: A file that begins before `end` has changed or is gone, or some of its rows were left out.
    """
    read = files[: end["file"] + bool(end["byte"])]
    for file in read:
        if file.left_out:
            raise UsageError(
                f"{file.path} changed while the job read it, and some of its rows were left out: its rows "
                "cannot be read again as they came",
                hint="begin with an empty checkpoint folder and an empty sink",
            )
        try:
            check(file)
        except DataError as error:
            raise UsageError(f"{error.message.rstrip('.')}: it cannot be read again", hint=_HINT) from None
    pieces = between(list(files), start, end)
    size = sum(piece.end - piece.start for piece in pieces)
    words = f"{len(read)} {'file' if len(read) == 1 else 'files'}, {size:,} bytes"
    return History(start, end, words, _ranges(pieces))


def _ranges(pieces: Sequence[Piece]) -> tuple[str, ...]:
    """Return a tuple with one text about the pieces, or an empty tuple if there are no pieces.

    The text names the first byte of the first piece and the end of the last piece, exclusive:
    "a.csv, byte 0, to b.csv, byte 80". If both are in one file: "a.csv, byte 0, to byte 80".
    """
    if not pieces:
        return ()
    first, last = pieces[0], pieces[-1]
    begin, end = (each.file.path.rpartition("/")[2] for each in (first, last))
    other = "" if begin == end else f"{end}, "
    return (f"{begin}, byte {first.start:,}, to {other}byte {last.end:,}",)
