"""Progress, the counters of a running job."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import pyarrow as pa

from firesteel.connectors.base import Lags
from firesteel.runtime.dataflow.counters import LATE, ChainCounters, Counters
from firesteel.runtime.dataflow.packets import COUNTERS, SAMPLE, SKIPPED, Packet, read_ipc
from firesteel.runtime.state.size import StateSize
from firesteel.spark.batch_log import DELIVERY, BatchLog, Totals
from firesteel.spark.hot_keys import HotKeys
from firesteel.spark.task.counters import read_counters


@dataclass
class Progress:
    """Counters of one job since its start.

    Attributes:
        watch: Function that is called with this object each time a packet or committed rows are counted, a
            micro-batch ends, or `phase` is set; None for none.
        batch_ended: Function that is called after each micro-batch.
        sampled: Function that gets the number of a sink and a sample of the changes sent to it; None if this
            process has no web page that shows samples.
        read: Rows from sources.
        changes: Rows that sinks have committed or that the caller of a query has taken.
        dead_letters: Rows that dead-letter tables have got: messages that could not be decoded, and rows that
            a sink refused or an operator dropped as late.
        late: Rows dropped because they were late.
        batches: Micro-batches that have ended.
        watermark: Highest watermark of any source so far in milliseconds, 0 for none. With mini-batches by
            processing time, this is the time at which the current mini-batch began.
        skip_causes: Messages skipped because they cannot be decoded, by cause (formats/messages).
        chains: Counters of the steps of each chain, by its number (runtime/dataflow/counters.py).
        hot_keys: The most frequent keys at each input of a chain with keys, with the estimated number of rows
            of each key. By (number of the chain, port).
        states: Sizes of keyed state, by (stage, key group) and then by the name of the state. Empty if the
            host reports none. After `close`, (0, 0) has the sums of all stages and key groups.
        state_size: Returns the bytes of keyed state in Spark's state store.
        lag: Returns the number of unread messages by topic and partition.
        batch_seconds: Seconds between the ends of the last two micro-batches.
        phase: What the job waits for at its start or after a restart, in words for the user. "" once a packet
            is counted or a micro-batch has ended.
        streams: Whether the job runs on the stream host.
        resumable: Whether another run can continue from the job's checkpoint.
        batch: Number of the last delivered batch, -1 for none.
        counted: Number of the last batch whose packets are counted, -1 for none. A batch that a restart
            repeats is counted once.
        sent: Number of the last batch that each sink has committed, by the sink's number.
        restarts: Restarts of the job after a failure.
        name: Name of the job, "" for none.
        steps: Names of the steps of each chain, by its number (job/steps.py).
        ended: Time at which the last micro-batch ended, by time.monotonic().
        started: Time at which the job started, by time.monotonic().
        log: The last micro-batches.
    """

    watch: Callable[[Progress], None] | None = None
    batch_ended: Callable[[], None] | None = None
    sampled: Callable[[int, pa.Table], None] | None = None
    read: int = 0
    changes: int = 0
    dead_letters: int = 0
    late: int = 0
    batches: int = 0
    watermark: int = 0
    skip_causes: Counter[str] = field(default_factory=Counter)
    chains: dict[int, ChainCounters] = field(default_factory=dict)
    hot_keys: dict[tuple[int, int], HotKeys] = field(default_factory=dict)
    states: dict[tuple[int, int], Mapping[str, StateSize]] = field(default_factory=dict)
    state_size: Callable[[], int | None] | None = None
    lag: Callable[[], Lags] | None = None
    batch_seconds: float | None = None
    phase: str = ""
    streams: bool = False
    resumable: bool = False
    batch: int = -1
    counted: int = -1
    sent: dict[int, int] = field(default_factory=dict)
    restarts: int = 0
    name: str = ""
    steps: Mapping[int, tuple[str, ...]] = field(default_factory=dict)
    ended: float | None = None
    started: float = field(default_factory=time.monotonic)
    log: BatchLog = field(default_factory=BatchLog)

    @property
    def skipped(self) -> int:
        """Messages skipped because they cannot be decoded."""
        return self.skip_causes.total()

    @property
    def seconds(self) -> float:
        """Seconds since the start."""
        return time.monotonic() - self.started

    @property
    def rate(self) -> float:
        """Rows read per second since the start."""
        return self.read / max(self.seconds, 1e-9)

    @property
    def state_entries(self) -> int:
        """Entries of the keyed state that tasks have reported to this process.

        If the job continues from the checkpoint of an earlier process, the entries of a key group are missing
        until the key group gets rows.
        """
        return sum(size.entries for sizes in self.states.values() for size in sizes.values())

    def state_sizes(self) -> dict[str, StateSize]:
        """Return the size of each state over all key groups, by its name."""
        found: dict[str, StateSize] = {}
        for sizes in list(self.states.values()):
            for name, size in sizes.items():
                found[name] = found.get(name, StateSize(0, 0)).plus(size)
        return found

    def close(self) -> None:
        """Release the host's objects after the end of the job. The counters stay."""
        self.states = {(0, 0): self.state_sizes()}
        self.state_size = self.lag = self.watch = self.batch_ended = self.sampled = None

    @property
    def state_bytes(self) -> int | None:
        """Bytes of the keyed state, or None if the host does not know."""
        return None if self.state_size is None else self.state_size()

    @property
    def lags(self) -> Lags:
        """Number of messages that are not read yet, by topic and partition."""
        return {} if self.lag is None else self.lag()

    def enter(self, phase: str) -> None:
        """Set what the job waits for, in words. The next packet or end of a micro-batch clears the text."""
        self.phase = phase
        self._tell()

    def add(self, packet: Packet) -> None:
        """Count a packet that reached the driver."""
        self.phase = ""
        if packet.holds == COUNTERS:
            self._add_counters(packet)
        if packet.holds == SAMPLE and self.sampled is not None:
            self.sampled(packet.port, read_ipc(packet.content()))
        if packet.holds == SKIPPED:
            self.skip_causes.update(json.loads(packet.payload))
        self.read += packet.read
        self.watermark = max(self.watermark, packet.watermark)
        self._tell()

    def _add_counters(self, packet: Packet) -> None:
        read = read_counters(packet)
        for chain, steps in read.chains:
            own = self.chains.setdefault(chain, [Counters() for _ in steps])
            for counters, step in zip(own, steps, strict=True):
                counters.add(step)
                self.late += step[LATE]
        for state in read.states:
            self.states[state.stage, state.group] = state.sizes
        for keys in read.keys:
            self.hot_keys.setdefault((keys.chain, keys.port), HotKeys()).add(keys.rows, keys.keys)

    def add_sent(self, rows: int) -> None:
        """Count rows that a sink has committed, or that the caller of a query has taken."""
        self.changes += rows
        self._tell()

    def add_sink(self, sink: int, batch: int, rows: int, *, dead_letters: bool = False) -> None:
        """Count the rows of a batch that a sink has committed, once for each batch.

        Args:
            sink: Number of the sink.
            batch: Number of the batch.
            rows: Number of rows.
            dead_letters: Whether the sink is a dead-letter table.
        """
        if self.sent.get(sink, -1) >= batch:
            return
        self.sent[sink] = batch
        if dead_letters:
            self.dead_letters += rows
        else:
            self.add_sent(rows)

    def restart(self, phase: str, *, resumes: bool) -> None:
        """Count a restart of the job.

        Args:
            phase: What the job waits for, in words.
            resumes: Whether the job continues from a checkpoint. Otherwise it begins with batch 0 again, and
                the counters count its batches a second time.
        """
        self.restarts += 1
        if not resumes:
            self.counted = self.batch = -1
            self.sent.clear()
            self.states.clear()
        self.enter(phase)

    def end_batch(self) -> None:
        """Count a micro-batch that has ended."""
        self.phase = ""
        self.batches += 1
        now = time.monotonic()
        self.batch_seconds = now - (self.started if self.ended is None else self.ended)
        self.ended = now
        self.log.spend(DELIVERY)
        totals = Totals(self.read, self.changes, self.late, self.skipped)
        self.log.end(self.batch, totals, self.chains)
        self._tell()
        if self.batch_ended is not None:
            self.batch_ended()

    def _tell(self) -> None:
        if self.watch is not None:
            self.watch(self)
