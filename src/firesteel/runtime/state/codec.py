"""Bytes of runs: one Arrow IPC file each.

Runs are compressed for the store. Files of the cache are not, so that a mapped file is read without a copy.

Each row of the file is an entry of the run (runs.py). Its columns are:

- w0, w1, ...: the words, unsigned 64-bit numbers that sort and identify entries, such as hashes of the key
- live (int8): 0 for a deletion, if the run has deletions
- time (int64): when the entry was written, if entries have a time to live
- c0, c1, ...: the columns of the entries, such as values. If the run has a tail (a column that sorts entries
  with equal words, runs.py), the first of these columns is the tail. Its name is then `tail`, not c0.

The metadata of the schema has the layout's version.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa

from firesteel.errors import JobError
from firesteel.runtime.state.runs import Run

VERSION = b"1"
_KEY = b"firesteel.run"
_READ = pa.ipc.IpcReadOptions(use_threads=False)
"""Options for reading a run in one thread.

Waking Arrow's threads takes ten times as long as reading a small run in one thread.
"""
_MANY = 10_000
"""Number of rows from which Arrow's threads compress columns faster than one thread does."""


def encode(run: Run) -> bytes:
    """Return a run as bytes for the store, compressed with LZ4."""
    sink = pa.BufferOutputStream()
    _write(run, sink, pa.ipc.IpcWriteOptions(compression="lz4", use_threads=len(run) >= _MANY))
    return bytes(sink.getvalue().to_pybytes())


def write_plain(run: Run, path: Path) -> None:
    """Write a run to an uncompressed file that can be mapped."""
    with pa.OSFile(str(path), "wb") as sink:
        _write(run, sink, pa.ipc.IpcWriteOptions(use_threads=False))


def _write(run: Run, sink: pa.NativeFile, options: pa.ipc.IpcWriteOptions) -> None:
    names = [f"w{i}" for i in range(len(run.words))]
    arrays = [pa.array(word) for word in run.words]
    if run.live is not None:
        names.append("live")
        arrays.append(pa.array(run.live.astype(np.int8)))
    if run.time is not None:
        names.append("time")
        arrays.append(pa.array(run.time))
    names += ["tail" if run.tail and not i else f"c{i}" for i in range(len(run.columns))]
    batch = pa.record_batch([*arrays, *run.columns], names=names)
    batch = batch.replace_schema_metadata({_KEY: VERSION})
    with pa.ipc.new_file(sink, batch.schema, options=options) as writer:
        writer.write_batch(batch)


def decode(data: pa.Buffer | bytes) -> Run:
    """Return the run in some bytes. The run keeps a reference to them.

    Raises:
        JobError: The bytes are not a run of this version.
    """
    try:
        batch = pa.ipc.open_file(pa.py_buffer(data), options=_READ).get_batch(0)
    except pa.ArrowInvalid as error:
        raise JobError(f"A run of the state cannot be read: {error}") from error
    version = (batch.schema.metadata or {}).get(_KEY)
    if version != VERSION:
        found = "none" if version is None else version.decode()
        raise JobError(
            f"The state was written in layout {found}, this version reads layout {VERSION.decode()}",
            hint="Start from an empty checkpoint, or run the version that wrote it.",
        )
    columns = dict(zip(batch.schema.names, batch.columns, strict=True))
    live, time = columns.pop("live", None), columns.pop("time", None)
    return Run(
        tuple(column.to_numpy() for name, column in columns.items() if name[0] == "w"),
        tuple(column for name, column in columns.items() if name[0] in "ct"),
        None if live is None else live.to_numpy().view(np.bool_),
        None if time is None else time.to_numpy(),
        "tail" in columns,
    )
