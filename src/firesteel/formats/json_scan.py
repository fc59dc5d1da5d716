"""One pass over a column of JSON messages: the wanted members as columns of texts, by DuckDB's parser.

DuckDB reads JSON of a given schema from files: the messages are put into a file in memory. Members are found
by their keys, wherever they stand. It refuses repeated keys among the wanted ones and values of another
structure (an object where a list is expected); such messages, and those that it takes for other
reasons (json_strict), are left to the exact reader.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from firesteel.formats.base import Flags, Indices
from firesteel.formats.json_strict import suspicious
from firesteel.formats.message_bytes import Bytes, MessageBytes
from firesteel.runtime.duck.connection import connect

_LEAST = 64
"""So few messages are not searched for the one that the parser refuses."""
_LARGEST = 16 << 20


@dataclass(frozen=True)
class Scan:
    """rows: what was read, a row a message. numbers: the messages' indices. odd: the indices of the messages
    for the exact reader. Messages that are empty are in neither."""

    rows: pa.Table
    numbers: Indices
    odd: Indices


class JsonScan:
    """Reads the members named in `members`, each with its DuckDB type, which says how deep to look."""

    def __init__(self, members: Mapping[str, str]) -> None:
        columns = ", ".join(f"{quoted(name)}: {literal(kind)}" for name, kind in members.items())
        self._options = f"format = 'newline_delimited', records = true, columns = {{{columns}}}"

    def read(self, messages: pa.BinaryArray) -> Scan:
        """Raises duckdb.BinderException or ParserException where the names cannot be columns."""
        lengths = pc.binary_length(messages).fill_null(0).to_numpy()
        numbers = np.flatnonzero((lengths > 2) | ~_only_line_end(messages, lengths))
        chosen = messages if len(numbers) == len(messages) else messages.take(pa.array(numbers))
        odd = suspicious(chosen) if len(chosen) else np.zeros(0, dtype=bool)
        tables: list[pa.Table] = []
        read: list[Indices] = []
        self._read(_chosen(chosen, ~odd), numbers[~odd], tables, read)
        good = np.concatenate(read) if read else numbers[:0]
        rows = pa.concat_tables(tables) if tables else self._run(np.empty(0, dtype=np.uint8))
        return Scan(rows, good, np.setdiff1d(numbers, good, assume_unique=True))

    def _read(
        self, messages: pa.BinaryArray, numbers: Indices, tables: list[pa.Table], read: list[Indices]
    ) -> None:
        """Read all, or find those that can be read."""
        if not len(messages):
            return
        table = self._tried(messages)
        if table is None and len(messages) > _LEAST:
            valid = _valid(messages)
            if not valid.all():
                messages, numbers = _chosen(messages, valid), numbers[valid]
                table = self._tried(messages) if len(messages) else None
        if table is not None:
            tables.append(table)
            read.append(numbers)
        elif len(messages) > _LEAST:
            half = len(messages) // 2
            self._read(messages[:half], numbers[:half], tables, read)
            self._read(messages[half:], numbers[half:], tables, read)

    def _tried(self, messages: pa.BinaryArray) -> pa.Table | None:
        """Each message begins an object: with line ends inside, it is an error, or more rows than one."""
        content = MessageBytes.of(messages)
        if content.end_lines():
            table = self._rows(content.data, len(messages))
            if table is not None or content.are_lines():
                return table
        return self._rows(_as_lines(content), len(messages))

    def _rows(self, lines: Bytes, count: int) -> pa.Table | None:
        try:
            table = self._run(lines)
        except (duckdb.InvalidInputException, duckdb.ConversionException):
            return None
        return table if table.num_rows == count else None

    def _run(self, lines: Bytes) -> pa.Table:
        size = max(_LARGEST, len(lines) + 1)
        with _file(lines) as path:
            sql = f"FROM read_json({literal(path)}, maximum_object_size = {size}, {self._options})"
            return connect().sql(sql).to_arrow_table()


def _only_line_end(messages: pa.BinaryArray, lengths: Indices) -> Flags:
    """Whether a short message is nothing but its line end."""
    found: Flags = lengths == 0
    for index in np.flatnonzero((lengths > 0) & (lengths <= 2)):
        found[index] = messages[int(index)].as_py() in (b"\n", b"\r\n")
    return found


def _chosen(messages: pa.BinaryArray, wanted: Flags) -> pa.BinaryArray:
    return messages if wanted.all() else messages.filter(pa.array(wanted))


def _valid(messages: pa.BinaryArray) -> Flags:
    """The messages that are JSON."""
    connection = connect()
    connection.register("messages", pa.table({"l": pc.cast(messages, pa.string(), safe=False)}))
    try:
        answer = connection.sql("SELECT json_valid(l) AS v FROM messages").to_arrow_table()
    finally:
        connection.unregister("messages")
    valid: Flags = answer["v"].to_numpy()
    return valid


def types_at(messages: pa.BinaryArray, paths: pa.Array) -> pa.ChunkedArray:
    """The type of each message's value at a JSON pointer (VARCHAR, DOUBLE, NULL...); NULL for none."""
    connection = connect()
    texts = pc.cast(messages, pa.string(), safe=False)
    connection.register("messages", pa.table({"l": texts, "p": paths}))
    try:
        return connection.sql("SELECT json_type(l, p) AS t FROM messages").to_arrow_table()["t"]
    finally:
        connection.unregister("messages")


def _as_lines(content: MessageBytes) -> Bytes:
    """The messages, each in one line. An LF within a message becomes a CR, which is as blank between values,
    and as wrong within a text."""
    count = len(content.lengths)
    flat = np.where(content.data == ord("\n"), np.uint8(ord("\r")), content.data)
    ends = np.zeros(len(flat) + count, dtype=np.uint8)
    places = np.arange(len(flat)) + np.repeat(np.arange(count), content.lengths)
    ends[:] = ord("\n")
    ends[places] = flat
    return ends


_free: list[tuple[int, int]] = []
"""Files in memory that nobody reads now, each with its process: a forked one shares what it did not make."""


@contextmanager
def _file(data: Bytes) -> Iterator[str]:
    """The path of a file that holds the data, in memory where the system can."""
    if hasattr(os, "memfd_create"):
        number = _memory_file()
        try:
            _write(number, memoryview(data.data))
            yield f"/proc/self/fd/{number}"
        except BaseException:
            os.close(number)
            raise
        _free.append((os.getpid(), number))
    else:
        with tempfile.NamedTemporaryFile(suffix=".json") as stream:
            stream.write(data.data)
            stream.flush()
            yield stream.name


def _memory_file() -> int:
    """A file in memory. One used before has its pages: to get new ones takes as long as to fill them."""
    while _free:
        process, number = _free.pop()
        if process == os.getpid():
            return number
    return os.memfd_create("messages")


def _write(number: int, data: memoryview) -> None:
    """Let the file hold the data and nothing else."""
    os.truncate(number, len(data))
    at = 0
    while at < len(data):
        at += os.pwrite(number, data[at:], at)


def quoted(name: str) -> str:
    """A name in DuckDB's SQL."""
    return '"' + name.replace('"', '""') + '"'


def literal(text: str) -> str:
    """A text in DuckDB's SQL."""
    return "'" + text.replace("'", "''") + "'"
