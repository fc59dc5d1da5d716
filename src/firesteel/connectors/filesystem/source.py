"""Reads files: the Source of the filesystem connector."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path, PurePath
from typing import Any

import pyarrow as pa

from firesteel.changelog import KIND, SEQUENCE, field
from firesteel.config.option import TypedOptions
from firesteel.connectors.base import History, Offset, ReadLimit, Source, Split
from firesteel.connectors.dead_letters import DeadLetter, DeadLetters, decode_around
from firesteel.connectors.filesystem.changes import Change, change_of, check_unchanged, with_digest
from firesteel.connectors.filesystem.history import history_of
from firesteel.connectors.filesystem.line_numbers import LineNumbers, row_places
from firesteel.connectors.filesystem.listing import Listing
from firesteel.connectors.filesystem.log import FileLog
from firesteel.connectors.filesystem.offsets import ahead, between
from firesteel.connectors.filesystem.options import OPTIONS
from firesteel.connectors.filesystem.partitions import Partitions
from firesteel.connectors.filesystem.records import Placed, records_of
from firesteel.connectors.filesystem.replayed import by_file, check_metadata
from firesteel.connectors.filesystem.splits import (
    FileInfo,
    Piece,
    blocks,
    check_path,
    cut,
    line_number,
    local_path,
    whole,
)
from firesteel.connectors.replay import DecodedMessages, RawMessage, check_inserts
from firesteel.errors import DataError, FiresteelError, InternalError
from firesteel.formats.base import Decoder, Fields, Framing, Indices, MessageError
from firesteel.formats.files import file_format, is_of_files
from firesteel.formats.messages.lines import Lines, bare
from firesteel.formats.registry import find_format
from firesteel.formats.skip_hint import skip_hint
from firesteel.runtime.dataflow.sequence import row_sequences
from firesteel.runtime.spec.tables import ScanSpec
from firesteel.types.arrow import to_arrow
from firesteel.types.sql import BIGINT, STRING, timestamp_ltz
from firesteel.types.value_parts import WHOLE

METADATA = {
    "file.path": STRING.with_nullable(False),
    "file.name": STRING.with_nullable(False),
    "file.size": BIGINT.with_nullable(False),
    "file.modification-time": timestamp_ltz(3).with_nullable(False),
}
_LOOKS = 256
"""Number of files of the log that each poll examines again, to report those that have changed."""


class FilesystemSource(Source):
    """Source of the rows of a file or a directory (connectors/base.py).

    A file is read once, in the state in which it was found. With `source.monitor-interval`, the source
    searches for new files as long as the query runs.
    """

    limits_bytes = True

    def __init__(self, scan: ScanSpec) -> None:
        self._scan = scan
        self._options = dict(scan.options)
        self._format = find_format(self._options["format"])
        prefix = f"{self._format.name}."
        self._format_options = {
            key.removeprefix(prefix): value for key, value in scan.options if key.startswith(prefix)
        }
        self._partitions = Partitions(
            scan.partition_keys,
            tuple(scan.types[scan.names.index(key)] for key in scan.partition_keys),
            TypedOptions(OPTIONS, self._options)["partition.default-name"],
        )
        self._log = FileLog(None)
        self._known: Listing | None = None
        self._told: set[str] = set()
        self._changed: list[tuple[FileInfo, str]] = []
        self._may_have_unread = False
        self._next = -1

    def check(self, *, is_local: bool, fresh: bool) -> None:
        """Raise DataError if the path does not exist. The arguments have no effect (Source.check)."""
        check_path(self._options["path"])

    @property
    def bounded(self) -> bool:
        return "source.monitor-interval" not in self._options

    def keep_log(self, directory: str) -> None:
        """Store the log of found files in the folder `directory`.

        Offsets count the files of the log. With the stored log, they are valid after a restart.
        """
        self._log = FileLog(directory)
        self._may_have_unread = self._log.sealed

    def notices(self) -> list[str]:
        """Return texts for the user about rows that are not read: of changed files and of new files.

        Flink does not read these rows either, but gives no notice. Each file is reported once.
        """
        found = [(file, text) for file, text in self._changed if file.path not in self._told]
        self._told.update(file.path for file, _ in found)
        self._changed = []
        changes = [
            f"{file.path}: {text}: a file is read once, as it was then. Write new rows into new files."
            for file, text in found
        ]
        return [*changes, *self._unread()]

    def _unread(self) -> list[str]:
        """Return a notice if an earlier run has ended the search for files, and files are new; else []."""
        if not self._may_have_unread:
            return []
        self._may_have_unread = False
        with suppress(OSError, DataError):  # The notice is optional, and the path may no longer exist.
            if unread := self._new_files():
                count = "1 file is" if len(unread) == 1 else f"{len(unread):,} files are"
                return [
                    f"{self._options['path']}: {count} new since the query's first run, and not read "
                    f"({unread[0].path}). Set 'source.monitor-interval' to read files that are added later."
                ]
        return []

    def _look_again(self, read: int) -> None:
        """Examine the next _LOOKS files of the log, and keep a notice for each changed one.

        After the last file, the first one is next. `read` is the number of files that are read already. A
        replaced file that is not read yet gets no notice here: reading it will raise an error.
        """
        files = self._log.files
        for _ in range(min(_LOOKS, len(files))):
            self._next = (self._next + 1) % len(files)
            file = files[self._next]
            if file.path in self._told or file.left_out:
                continue
            with suppress(OSError):  # a file that has been read may be deleted
                change = change_of(file)
                if change is Change.GROWN:
                    added = Path(file.path).stat().st_size - file.size
                    text = f"{added:,} bytes were added after it was found and are not read"
                    self._changed.append((file, text))
                elif change is Change.REPLACED and self._next < read:
                    self._changed.append((file, "it was replaced after it was read, and is not read again"))

    def splits(self, parallelism: int) -> list[Split]:
        """Return all files in at most `parallelism` splits."""
        pieces = [whole(file) for file in self._listing().new()]
        return cut(pieces, parallelism)

    def initial_offset(self) -> Offset:
        return {"file": 0, "byte": 0}

    def latest_offset(self, start: Offset, limit: ReadLimit) -> Offset:
        """Add new files to the log, and return the end of a micro-batch that begins at `start`.

        Raises:
            DataError: The log lacks files that `start` counts, or the path cannot be listed.
        """
        self._log.check(start)
        if not self.bounded or not self._log.sealed:
            self._log.add(map(with_digest, self._new_files()), seal=self.bounded)
        self._look_again(start["file"])
        return ahead(self._log.files, start, limit, self._framing())

    def splits_between(self, start: Offset, end: Offset, parallelism: int) -> list[Split]:
        if self._log.is_behind(end):
            self._log.catch_up(map(with_digest, self._new_files()))
        self._log.check(end)
        pieces = between(self._log.files, start, end)
        return cut(pieces, parallelism)

    def is_finished(self, offset: Offset) -> bool:
        return self.bounded and self._log.sealed and offset["file"] >= len(self._log.files)

    def history(self, start: Offset, end: Offset) -> History:
        """Return a description of the data between two offsets. Raises UsageError if a file has changed."""
        self._log.check(end)
        return history_of(self._log.files, start, end, self._check)

    def history_piece(self, start: Offset, until: Offset, limit: ReadLimit) -> Offset:
        """Return the furthest offset from `start` that the limits allow, at most `until`."""
        self._log.check(until)
        files = self._log.files[: until["file"] + bool(until["byte"])]
        found = ahead(files, start, limit, self._framing())
        return min(found, until, key=lambda offset: (offset["file"], offset["byte"]))

    def read(self, split: Split) -> Iterator[pa.Table]:
        """Yield the changes of a split (see Source.read)."""
        read = 0
        for data in split.data["pieces"]:
            piece = Piece.from_json(data)
            self._check(piece.file)
            for changes in self._changes(piece):
                if changes.num_rows:
                    sequences = row_sequences(split.ordinal, read, changes.num_rows)
                    yield self._numbered(changes, piece.file, sequences)
                    read += changes.num_rows
            self._check(piece.file)  # Check again: the file may have changed while it was read.

    def read_placed(self, split: Split) -> Iterator[tuple[pa.Table, pa.Table]]:
        """Yield the changes of a split in tables, each with a table of its changes' files and lines.

        For files without lines, such as Parquet, the second table has the number of each row instead.
        """
        read = 0
        for data in split.data["pieces"]:
            piece = Piece.from_json(data)
            self._check(piece.file)
            for changes, places in self._placed_changes(piece):
                if changes.num_rows:
                    sequences = row_sequences(split.ordinal, read, changes.num_rows)
                    yield self._numbered(changes, piece.file, sequences), places
                    read += changes.num_rows

    def _placed_changes(self, piece: Piece) -> Iterator[tuple[pa.Table, pa.Table]]:
        if is_of_files(self._format):
            first = 1
            for changes in self._changes(piece):
                yield changes, row_places(piece.file, first, changes.num_rows)
                first += changes.num_rows
            return
        decoder = self._format.decoder(self._fields(), self._format_options)
        lines = LineNumbers(piece.file)
        for position, messages in self._messages(piece):
            changes, at = self._decode(decoder, piece.file, position, messages)
            yield changes, lines.places(position, messages, at)

    def decode(self, messages: Sequence[RawMessage]) -> DecodedMessages:
        """Decode messages that were dead letters (connectors/replay.py)."""
        table = self._scan.table
        check_inserts(table, self._format.changelog_mode)
        check_metadata(table, [self._metadata(position) for position in self._scan.projection])
        decoder = self._format.decoder(self._fields(), self._format_options)
        rows, errors = [], dict[str, str]()
        for file, own, values in by_file(messages):
            changes, _, wrong = decode_around(decoder, values)
            numbered = self._numbered(changes, file, row_sequences(0, 0, changes.num_rows))
            rows.append(numbered.drop_columns([SEQUENCE]))
            errors |= {own[error.index].position: error.text for error in wrong}
        whole = pa.concat_tables(rows)
        return DecodedMessages({0: whole} if whole.num_rows else {}, errors)

    def _check(self, file: FileInfo) -> None:
        """Raise DataError if the file no longer has the rows that it had when it was found."""
        check_unchanged(file, is_read_whole=file.compressed or is_of_files(self._format))

    def _changes(self, piece: Piece) -> Iterator[pa.Table]:
        """Yield the changes of a piece, without the columns that come from the name and path of its file."""
        if is_of_files(self._format):
            yield from (
                file_format(self._format)
                .file_reader(self._fields(), self._format_options)
                .read(piece.file.path)
            )
            return
        decoder = self._format.decoder(self._fields(), self._format_options)
        for position, messages in self._messages(piece):
            yield self._decode(decoder, piece.file, position, messages)[0]
        self.skipped = Counter(self.skipped) + decoder.causes

    def _messages(self, piece: Piece) -> Iterator[Placed]:
        framing = self._framing()
        if framing is not None:
            return records_of(piece, framing)
        return ((position, Lines().split(block)[0]) for position, block in blocks(piece))

    def _framing(self) -> Framing | None:
        """Return the splitter of a file's bytes into records; None if each line is a record."""
        return None if self._format.splittable else self._format.framing(self._format_options)

    def _listing(self) -> Listing:
        path = self._options["path"]
        root = local_path(path).absolute()
        return Listing(
            path, self._options.get("source.path.regex-pattern"), partial(self._partitions.hold, root)
        )

    def _new_files(self) -> list[FileInfo]:
        """Return the files that are not in the log, and that no earlier call has returned."""
        if self._known is None:
            self._known = self._listing()
            self._known.know(file.path for file in self._log.files)
        return self._known.new()

    def _metadata(self, position: int) -> str | None:
        return self._scan.metadata[position] if self._scan.metadata else None

    def _is_inside(self, position: int) -> bool:
        """Return whether the files contain column number `position` of the table.

        Metadata and partition columns come from the path instead.
        """
        return self._metadata(position) is None and self._scan.names[position] not in self._partitions.keys

    def _fields(self) -> Fields:
        scan = self._scan
        wanted = [position for position in scan.projection if self._is_inside(position)]
        physical = [position for position in range(len(scan.names)) if self._is_inside(position)]
        parts = dict(zip(scan.projection, scan.parts, strict=False))
        return Fields(
            tuple(scan.names[position] for position in wanted),
            tuple(scan.types[position] for position in wanted),
            tuple(scan.names[position] for position in physical),
            tuple(scan.types[position] for position in physical),
            tuple(parts.get(position, WHOLE) for position in wanted),
            in_file=True,
        )

    def _decode(
        self, decoder: Decoder, file: FileInfo, position: int, messages: pa.BinaryArray
    ) -> tuple[pa.Table, Indices]:
        """Return the changes of messages, and for each change the index of its message.

        `position` is that of the first message in the file, in bytes. Raises DataError for a bad message,
        unless the job has a table for dead letters.
        """
        try:
            if self.dead_letters is not None:
                return self._decode_around(decoder, self.dead_letters, file, position, messages)
            return decoder.decode(messages)
        except MessageError as error:
            before = sum(len(message) for message in messages[: error.index].to_pylist())
            number = line_number(file, position + before)
            where, hint = f"{file.path}, line {number}", skip_hint(self._format, "", error)
            raise DataError(f"{where}: {error.text}", hint=hint) from None
        except (FiresteelError, MemoryError):
            raise
        except Exception as error:
            number = line_number(file, position)
            raise InternalError(
                f"{file.path}, {len(messages)} lines from line {number}: cannot be read: "
                f"{type(error).__name__}: {error}"
            ) from error

    def _decode_around(
        self,
        decoder: Decoder,
        letters: DeadLetters,
        file: FileInfo,
        position: int,
        messages: pa.BinaryArray,
    ) -> tuple[pa.Table, Indices]:
        """Return the changes of readable messages, and for each change the index of its message.

        Bad messages are added to `letters`.
        """
        changes, at, errors = decode_around(decoder, messages)
        number, counted = line_number(file, position) if errors else 0, 0
        for error in errors:
            number += sum(m.count(b"\n") for m in messages[counted : error.index].to_pylist())
            counted = error.index
            raw = bare(messages[error.index].as_py())
            letters.add(DeadLetter(f"{file.path}, line {number}", error.text, raw))
        return changes, at

    def _numbered(self, changes: pa.Table, file: FileInfo, sequences: pa.Array) -> pa.Table:
        """Return decoded changes with all columns of the scan, in its order, and with sequences.

        Metadata and partition columns are added: each has one value for the whole file.
        """
        rows = changes.num_rows
        columns = [changes[KIND], sequences]
        decoded = 0
        for position in self._scan.projection:
            key = self._metadata(position)
            if self._is_inside(position):
                columns.append(changes[field(decoded)])
                decoded += 1
            elif key is None:
                value = self._partitions.value(file.path, self._scan.names[position])
                columns.append(pa.repeat(value, rows))
            else:
                kind = to_arrow(self._scan.types[position])
                columns.append(pa.repeat(pa.scalar(_metadata_value(file, key)), rows).cast(kind))
        names = [KIND, SEQUENCE, *(field(index) for index in range(len(self._scan.projection)))]
        return pa.Table.from_arrays(columns, names=names)


def _metadata_value(file: FileInfo, key: str) -> Any:
    values = {
        "file.path": file.path,
        "file.name": PurePath(file.path).name,
        "file.size": file.size,
        "file.modification-time": pa.scalar(file.modified, pa.timestamp("ms", tz="UTC")),
    }
    return values[key]
