"""KafkaSource, which reads topics for the kafka connector."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace

import pyarrow as pa

from firesteel.connectors.base import History, Lags, Offset, ReadLimit, Source, Split
from firesteel.connectors.dead_letters import DeadLetters
from firesteel.connectors.kafka.cluster import Cluster, UnknownPartitionError, UnreachableError
from firesteel.connectors.kafka.error_options import ALL, NONE, error_options
from firesteel.connectors.kafka.messages import MESSAGE_KEY, Messages
from firesteel.connectors.kafka.offsets import (
    Places,
    Position,
    Range,
    ahead,
    by_partition,
    channel,
    cut,
    expired,
    gone,
    ranges,
    recreated,
)
from firesteel.connectors.kafka.options import check_group, read_options
from firesteel.connectors.kafka.reader import Reader
from firesteel.connectors.kafka.rows import Rows, decode_again
from firesteel.connectors.kafka.sizes import MessageSizes
from firesteel.connectors.outage import Outage
from firesteel.connectors.replay import DecodedMessages, RawMessage
from firesteel.errors import JobError, LostInputError
from firesteel.runtime.spec.tables import ScanSpec
from firesteel.types.sql import BIGINT, INT, STRING, SqlType

_PAUSE, _LONGEST_WAIT = 0.05, 2.0
"""Seconds between two polls of a bounded read that waits for messages, and the maximum time of such polls.

A bounded read waits if a message before its end is not in the topic yet. After the maximum time, it ends an
empty micro-batch, because Spark can stop a job only between micro-batches.
"""
_GONE = 5.0
"""Seconds for which the cluster may not know a partition. Then the job ends: the partition was deleted."""

_FEW = {"max.partition.fetch.bytes": str(64 << 10)}
"""Properties for reading a few messages: fetch little beyond them."""


class KafkaSource(Source):
    """A Source (connectors/base.py) of topics. Each partition is read in its order; Spark keeps the offsets.

    Args:
        scan: The scan.
        options: Options of the connector kafka.
        upsert: Whether a message without a value deletes the row of its key.
    """

    limits_bytes = True
    """Whether a micro-batch can be limited by bytes, too (connectors/base.py)."""
    place_metadata: Mapping[str, SqlType] = {"topic": STRING, "partition": INT, "offset": BIGINT}
    """Metadata keys that together identify a message, with their types (connectors/base.py)."""

    def __init__(self, scan: ScanSpec, options: dict[str, str], upsert: bool = False) -> None:
        self._scan = scan
        self._texts = options
        self._upsert = upsert
        self._options = read_options(options)
        check_group(self._options)
        self._tolerance = error_options(options).tolerance
        self._made: Cluster | None = None
        self._looked: float | None = None
        self._notices: list[str] = []
        servers = dict(self._options.properties)["bootstrap.servers"]
        self._outage = Outage(f"Kafka at {servers}", self._note)
        self._missed: float | None = None
        self._ids: dict[str, str] = {}
        self._reports = False
        self._reported: Places = {}
        self._sizes = MessageSizes(self._some)

    @property
    def bounded(self) -> bool:
        return self._options.end is not None

    @property
    def _cluster(self) -> Cluster:
        if self._made is None:
            self._made = Cluster(self._options)
        return self._made

    def enable_commits(self) -> None:
        """Turn on commits of offsets to the consumer group `properties.group.id`.

        They stay off if no group is set, or if `properties.commit.offsets.on.checkpoint` is not true. As in
        Flink, only a job with a checkpoint commits offsets, so the host calls this only for such a job.
        """
        properties = dict(self._options.properties)
        wished = properties.get("commit.offsets.on.checkpoint", "true").lower() == "true"
        self._reports = wished and "group.id" in properties

    def notices(self) -> list[str]:
        told, self._notices = self._notices, []
        return told

    def _note(self, notice: str) -> None:
        self._notices.append(notice)

    def splits(self, parallelism: int) -> list[Split]:
        """Return the splits between the start and the end of a bounded read."""
        start = Position.of(self.initial_offset())
        assert start.ends is not None
        ends = {each: max(start.at[each], end) for each, end in start.ends.items()}
        return cut(ranges(start, Position(ends)), parallelism)

    def channels(self) -> list[int]:
        """Return the channels, one for each partition: each has its own order, and so its own watermark."""
        return [channel(topic, number) for topic, number in self._cluster.partitions()]

    def by_channel(self, splits: list[Split]) -> list[Split]:
        """Return the splits, cut so that each reads one partition."""
        return by_partition(splits)

    def check(self, *, is_local: bool, fresh: bool) -> None:
        """Check that the cluster has the topics, and that a fresh job finds the offsets to start at.

        Raises:
            JobError: A topic or an offset is missing, or no broker answers.
        """
        if fresh:
            self.initial_offset()
        else:
            self._cluster.partitions()

    def initial_offset(self) -> Offset:
        partitions = self._cluster.partitions()
        end = self._options.end
        return Position(
            self._cluster.at(self._options.start, partitions),
            None if end is None else self._cluster.at(end, partitions),
            ids=self._cluster.ids(topic for topic, _ in partitions),
        ).to_json()

    def latest_offset(self, start: Offset, limit: ReadLimit) -> Offset:
        """Return the end of the micro-batch that begins at `start` (see Source).

        If no broker can be reached for a while, there are no new messages. Spark would end a bounded read if
        this method returned `start`. The result then differs from `start`, but only in its count of waits.

        Raises:
            JobError: Messages after `start` are lost.
        """
        begun = self._looked is not None
        position = Position.of(start)
        self._report(position)
        end = time.monotonic() + _LONGEST_WAIT
        while True:
            try:
                found = self._ahead(position, limit)
            except (UnreachableError, UnknownPartitionError) as error:
                if not begun:
                    raise
                self._wait(error, position)
                if not self.bounded or position.finished:
                    return start
                if time.monotonic() > end:
                    return position.waited().to_json()
            else:
                self._outage.answered()
                self._missed = None
                if not self.bounded or position.finished or found.at != position.at:
                    break
                if time.monotonic() > end:
                    self._note_waiting(position)
                    return position.waited().to_json()
            time.sleep(_PAUSE)
        return found.to_json() if found.at != position.at else start

    def splits_between(self, start: Offset, end: Offset, parallelism: int) -> list[Split]:
        position = Position.of(end)
        found = ranges(Position.of(start), position)
        if not self._ids:  # an earlier run has planned this micro-batch: check that no topic is new since
            self._topic_ids(position)
        if self._goes_on:
            first = self._cluster.earliest((each.topic, each.partition) for each in found)
            kept = (replace(r, start=max(r.start, first[r.topic, r.partition])) for r in found)
            found = [each for each in kept if each.start < each.end]
        return cut(found, parallelism)

    def lag(self, offset: Offset) -> Lags:
        """Return the number of messages after an offset, by topic and partition."""
        return self._cluster.lag(Position.of(offset).at)

    def is_finished(self, offset: Offset) -> bool:
        return Position.of(offset).finished

    def history(self, start: Offset, end: Offset) -> History:
        """Return the number of messages between two offsets and their ranges (see Source.history).

        Raises:
            JobError: The topic no longer has all of these messages.
        """
        since, until = Position.of(start), Position.of(end)
        self._topic_ids(until)
        for each, first in self._cluster.earliest(until.at).items():
            # A partition that is not in `start` was created later: its first message has the offset 0.
            begin = since.at.get(each, 0)
            if begin < first and begin < until.at[each]:
                raise expired(each, begin, first)
        begins = {each: since.at.get(each, 0) for each in until.at}
        count = sum(until.at[each] - begin for each, begin in begins.items())
        ranges = tuple(
            f"{topic}, partition {number}: offsets {begin} to {until.at[topic, number] - 1}"
            for (topic, number), begin in sorted(begins.items())
            if begin < until.at[topic, number]
        )
        first_offset = replace(since, at=begins, begins={}).to_json()
        size = f"{count:,} {'message' if count == 1 else 'messages'}"
        return History(first_offset, replace(until, begins={}).to_json(), size, ranges)

    def history_piece(self, start: Offset, until: Offset, limit: ReadLimit) -> Offset:
        """Return the end of the next piece of messages that a job reads again (see Source.history_piece).

        The piece begins at `start`. It has at most as many messages as `limit` allows, and ends at `until` or
        before.
        """
        at, last = Position.of(start).at, Position.of(until)
        rows = limit.rows
        if limit.bytes is not None and at != last.at:
            rows = self._sizes.rows_of(limit.bytes, at, last.at, rows)
        return replace(last, at=ahead(at, last.at, rows)).to_json()

    def read(self, split: Split) -> Iterator[pa.Table]:
        """Yield the changes of a split (see Source)."""
        letters, leaves_out = self.dead_letters, False
        if self._tolerance == NONE:
            letters = None
        elif letters is None and self._tolerance == ALL:
            letters, leaves_out = DeadLetters(), True
        rows, read = Rows(self._scan, self._texts, self._upsert, letters), 0
        reader = Reader(dict(self._options.properties), rows.needs)
        for data in split.data["ranges"]:
            for messages in reader.read(Range(*data)):
                changes = rows.table(messages, split.ordinal, read)
                if letters is not None and leaves_out:
                    self.skipped = Counter(self.skipped) + Counter(each.cause for each in letters.take())
                if changes.num_rows:
                    yield changes
                    read += changes.num_rows
        reader.release()
        self.skipped = Counter(self.skipped) + rows.skipped

    def decode(self, messages: Sequence[RawMessage]) -> DecodedMessages:
        """Decode messages that were dead letters (connectors/replay.py)."""
        return decode_again(self._scan, self._texts, self._upsert, messages)

    # --- a micro-batch ---------------------------------------------------------------------------
    def _ahead(self, position: Position, limit: ReadLimit) -> Position:
        begins = self._new_partitions(position)
        at = position.at | begins
        latest = self._cluster.latest(at)
        # Ask for the topics' ids after the offsets. If a topic is created again in between, its new id is not
        # the known one. In the opposite order, its old id would be saved with offsets of the new topic.
        ids = self._topic_ids(replace(position, at=at))
        self._check_lost(at, latest)
        if position.ends is not None:
            latest = {each: min(offset, position.ends[each]) for each, offset in latest.items()}
        rows = limit.rows
        if limit.bytes is not None and any(latest[each] > offset for each, offset in at.items()):
            rows = self._sizes.rows_of(limit.bytes, at, latest, rows)
        return Position(ahead(at, latest, rows), position.ends, begins, position.waits, ids)

    def _topic_ids(self, position: Position) -> dict[str, str]:
        """Return the ids of the topics that are read.

        Raises:
            LostInputError: A topic has another id than in `position` or in an earlier call: it was created
                again.
        """
        now = self._cluster.ids(topic for topic, _ in position.at)
        known = self._ids | position.ids
        for topic, made in sorted(now.items()):
            if known.get(topic, made) != made:
                raise recreated(topic, position.at)
        self._ids = known | now
        return self._ids

    def _some(self, wanted: Range) -> Iterator[Messages]:
        """Yield messages of a range on the driver, until the caller has enough to estimate their sizes."""
        reader = Reader({**dict(self._options.properties), **_FEW}, frozenset((MESSAGE_KEY,)))
        try:
            yield from reader.read(wanted)
        finally:  # the caller may stop reading
            reader.release()

    def _note_waiting(self, position: Position) -> None:
        """Add a notice, once, about the messages that a bounded read waits for."""
        if position.waits:
            return
        waited = ", ".join(
            f"topic {topic}, partition {number} up to offset {end - 1}"
            for (topic, number), end in sorted((position.ends or {}).items())
            if position.at[topic, number] < end
        )
        self._note(f"Waiting for messages that are to be read and are not there yet: {waited}.")

    def _report(self, position: Position) -> None:
        """Commit the position to the consumer group, for monitoring. The job never reads it back."""
        if self._reports and position.at != self._reported:
            self._cluster.commit(position.at)
            self._reported = position.at

    def _new_partitions(self, position: Position) -> Places:
        """Return the first offset of each new partition, {} if it is not time to look for new ones.

        The source looks for them at the first call, and then every `scan.topic-partition-discovery.interval`.
        A bounded read ignores new partitions. The first call also checks that the topics are still the same,
        and that the next messages exist.
        """
        now, interval = time.monotonic(), self._options.discovery / 1000
        if self._looked is not None and (self.bounded or interval <= 0 or now < self._looked + interval):
            return {}
        there = self._cluster.partitions()
        first = self._looked is None
        self._looked = now
        if first:
            self._topic_ids(position)
            self._check_there(position, there)
        if self.bounded:
            return {}
        return self._cluster.earliest(each for each in there if each not in position.at)

    def _check_there(self, position: Position, there: list[tuple[str, int]]) -> None:
        """Check that all partitions of `position` exist, and the next message of each.

        A deleted message is only an error unless `auto.offset.reset` is earliest (`_lost`).

        Raises:
            LostInputError: A partition is not in `there`, or its next message was deleted.
        """
        for each, at in position.at.items():
            if each not in there:
                raise gone(each, at)
        self._check_expired(position.at)

    def _wait(self, error: JobError, position: Position) -> None:
        """Handle a failed request for offsets: report the outage, so that the job waits instead of ending.

        Spark asks for offsets again later. Drop the client, so that the next request uses a new one, which
        has no outdated metadata of the brokers.

        Args:
            error: Error of the request.
            position: Position up to which the source has read.

        Raises:
            JobError: Partitions have been unknown for 5 seconds and no longer exist.
        """
        self._made = None
        if not isinstance(error, UnknownPartitionError):
            self._missed = None
            self._outage.missed(error.message.removeprefix(f"{self._outage.server} "))
            return
        self._missed = self._missed or time.monotonic()
        if time.monotonic() < self._missed + _GONE:
            return
        with suppress(UnreachableError):
            there = self._cluster.known()
            for each, at in position.at.items():
                if each not in there:
                    raise gone(each, at)

    def _check_expired(self, at: Places) -> None:
        for each, first in self._cluster.earliest(at).items():
            if at[each] < first:
                self._lost(expired(each, at[each], first))

    def _check_lost(self, at: Places, latest: Places) -> None:
        for (topic, number), offset in at.items():
            if latest[topic, number] < offset and self._options.end is None:
                raise LostInputError(
                    f"topic {topic}, partition {number} ends at offset {latest[topic, number]}, and was read "
                    f"up to {offset}: it was truncated or created again",
                    hint="begin with an empty checkpoint folder",
                )

    @property
    def _goes_on(self) -> bool:
        """Whether the job continues after lost messages: `properties.auto.offset.reset` is `earliest`."""
        return dict(self._options.properties).get("auto.offset.reset", "none").lower() == "earliest"

    def _lost(self, what: JobError) -> None:
        if not self._goes_on:
            raise what
        self._notices.append(f"{what.message}. Going on there, as 'properties.auto.offset.reset' says.")
