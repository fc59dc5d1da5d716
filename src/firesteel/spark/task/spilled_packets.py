"""Files of packets that do not fit in memory.

On the stream host, a task processes one key group after the other. For each of them, Spark's Python worker
collects all packets that the operators send in a micro-batch. It holds two copies of them, and hands them to
the JVM as one batch, which cannot be larger than 2 GB. But one changed row may join millions of others.

So if all tasks run on one machine, only the first megabytes for each processed key group go through Spark
(IN_MEMORY). The task writes all further payloads to a file, and Spark moves only references to them. The task
that receives the packets reads them from the file one by one. The file is removed once its micro-batch is
delivered. If the micro-batch is repeated, the sources are read again, and a new file is written.

The batch host sorts the packets of a partition with a file of its own (packet_sort.py).
"""

from __future__ import annotations

import os
import shutil
import tempfile
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING
from uuid import uuid4

from firesteel.runtime.dataflow.packets import CHANGES, WATERMARKED, Packet
from firesteel.runtime.dataflow.stored_payload import StoredPayload
from firesteel.spark.temporary import process_folder

if TYPE_CHECKING:
    from firesteel.spark.launch.launch import Spark

IN_MEMORY = 8 << 20
"""Maximum number of bytes of payloads that go through Spark, for each SpilledPackets object.

Further payloads go to a file. Writing a file takes some milliseconds. For large data, this is less than the
time that Spark takes to copy the data six times.
"""


@dataclass(frozen=True)
class Spill:
    """Folder for the packets of a job's tasks that are too large for memory.

    Attributes:
        folder: Folder of the files, which all tasks and the driver see; "" to keep all packets in memory.
        in_memory: Maximum number of bytes of payloads that stay in memory, for each SpilledPackets object.
            Further payloads go to a file.
    """

    folder: str = ""
    in_memory: int = 0

    @classmethod
    def of(cls, spark: Spark) -> Spill:
        """Make a private folder for a job, in Spark's folder for temporary files.

        If tasks run on several machines, all packets stay in memory.
        """
        if not spark.is_local:
            return cls()
        own = os.environ.get("SPARK_LOCAL_DIRS") or spark.context.getConf().get("spark.local.dir") or ""
        parent = own.split(",")[0] or process_folder()
        return cls(tempfile.mkdtemp(prefix="firesteel-packets-", dir=parent), IN_MEMORY)

    def end_batch(self) -> None:
        """Remove the files of a micro-batch that has ended."""
        if self.folder:
            with suppress(OSError):
                for file in Path(self.folder).iterdir():
                    file.unlink()

    def end(self) -> None:
        """Remove the folder."""
        if self.folder:
            shutil.rmtree(self.folder, ignore_errors=True)


IN_MEMORY_ONLY = Spill()


class SpilledPackets:
    """Writer of packets: keeps the first payloads in memory, and writes all further ones to one file.

    There is one object in a micro-batch for each split of a source, and for each key group that a keyed task
    processes: it gets all packets that the chains send. The batch host has one for each partition that it
    sorts.

    Args:
        spill: Folder of the file, and maximum number of bytes in memory.
    """

    def __init__(self, spill: Spill) -> None:
        self._folder = spill.folder
        self._left = spill.in_memory
        self._path = ""
        self._file = -1
        self._written = 0

    def __enter__(self) -> SpilledPackets:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._file >= 0:
            os.close(self._file)

    def sent(self, packet: Packet) -> Packet:
        """Return the packet to send.

        Return `packet` itself if it contains no rows, if its payload is already in a file, or if the payloads
        so far, including this one, fit in memory. Otherwise, write its payload to the file, and return a
        packet that refers to the file.

        Raises:
            OSError: The file cannot be written, for example because the disk is full.
        """
        if not self._folder or packet.holds not in (CHANGES, WATERMARKED) or packet.stored is not None:
            return packet
        self._left -= len(packet.payload)
        if self._left >= 0:
            return packet
        stored = StoredPayload(self._opened(), self._written, len(packet.payload))
        rest = memoryview(packet.payload)
        while rest:
            rest = rest[os.write(self._file, rest) :]
        self._written += stored.length
        return replace(packet, payload=b"", stored=stored)

    def _opened(self) -> str:
        if self._file < 0:
            self._path = str(Path(self._folder) / uuid4().hex)
            self._file = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        return self._path
