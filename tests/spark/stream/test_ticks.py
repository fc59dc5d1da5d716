"""Ticks of the clock through tasks: who is woken, and what is told of the next timer."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace

import pyarrow as pa

from firesteel.changelog import SEQUENCE
from firesteel.job.spec import ChainSpec, Input, JobSpec, Output, sink_id
from firesteel.job.timer_routing import has_timers
from firesteel.job.topology import exchanges, is_keyed, stages
from firesteel.job.watermark_routing import with_watermark_needs
from firesteel.runtime.dataflow.packets import CHANGES, TICK, TIMER, Packet, merge
from firesteel.runtime.dataflow.sequence import row_sequences, sub_sequence_bits
from firesteel.runtime.spec.operators import OperatorSpec
from firesteel.runtime.spec.tables import SinkSpec, ValuesSpec
from firesteel.runtime.spec.temporal_join import TemporalJoinSpec, TimedInput
from firesteel.runtime.spec.window import WindowTime
from firesteel.runtime.state.backend import SortedRunBackend
from firesteel.runtime.state.memory import MemoryStore
from firesteel.spark.errors import raise_failure
from firesteel.spark.task.context import TaskContext, TaskId, contexts_of
from firesteel.spark.task.source_task import SourceTask
from firesteel.spark.task.stage_task import StageTask
from firesteel.types.sql import BIGINT, INT, STRING, timestamp, timestamp_ltz
from tests.runtime.operators.window.windows import COUNT, one_phase, tumble
from tests.spark.in_process import changes
from tests.spark.jobs import HASH
from tests.spark.test_windows_in_process import ASSIGNER

TARGETS = 3
BY_CLOCK = one_phase(tumble(10), (COUNT,), time=WindowTime(None, timestamp_ltz(3)))
BY_ROW_TIME = one_phase(tumble(10), (COUNT,))
SINK = SinkSpec(None, (), ("k", "n", "start", "end"), (STRING, BIGINT, timestamp(3), timestamp(3)))


def job(sources: Sequence[tuple[OperatorSpec, ...]], windows: OperatorSpec) -> JobSpec:
    """Sources with these operators, and windows over all of them."""
    last = len(sources)
    chains = [
        ChainSpec(number, (Input(ValuesSpec((), ())),), operators, (Output(last, HASH, (0,)),))
        for number, operators in enumerate(sources)
    ]
    inputs = tuple(map(Input, range(last)))
    result = ChainSpec(last, inputs, (windows,), (Output(sink_id(0)),))
    return with_watermark_needs(JobSpec((*chains, result), (SINK,), bounded=False))


class Run:
    """A job of one exchange, micro-batch by micro-batch."""

    def __init__(self, of: JobSpec) -> None:
        first, second = stages(of)
        common = TaskContext(first[0], TARGETS, sub_sequence_bits(exchanges(of)))
        sources, works = contexts_of(of, common, [first, second], lambda _: [0])
        assert is_keyed(of, second)
        self._sources, self._stage = [SourceTask(work) for work in sources], StageTask(works[:])
        self._stores = [MemoryStore() for _ in range(TARGETS)]
        self._batch = 0
        self.timers: dict[int, int | None] = {}

    def batch(
        self, now: int, rows: Sequence[Sequence[tuple[str, int]]] = (), *, ticks: bool = False
    ) -> list[str]:
        """What a micro-batch gives. rows: of each source, (key, row time)."""
        packets = list(self._sources[0].at(now).tick()) if ticks else []
        for number, own in enumerate(rows):
            table = table_of(own)
            table = table.add_column(1, SEQUENCE, row_sequences(number, 0, table.num_rows))
            task = TaskId(self._batch, index=number)
            if own:
                packets += self._sources[number].at(now).of_tables(lambda table=table: [table], task)
        self._batch += 1
        given = [each for target in range(TARGETS) for each in self._keyed(target, packets, now)]
        for packet in given:
            raise_failure(packet)
            if packet.holds == TIMER:
                _, group, time = json.loads(packet.payload)
                self.timers[group] = time
        tables = merge(sorted((p for p in given if p.holds == CHANGES), key=lambda p: p.first))
        return sorted(
            f"{k} {n}"
            for t in tables
            for k, n in zip(*(t.column(c).to_pylist() for c in ("f0", "f1")), strict=True)
        )

    def _keyed(self, target: int, packets: Sequence[Packet], now: int) -> list[Packet]:
        own = sorted((packet for packet in packets if packet.target == target), key=lambda p: p.first)
        if not own:
            return []
        state = SortedRunBackend.open(self._stores[target])
        given = list(self._stage.at(now).packets(own, state, TaskId(self._batch, index=target)))
        state.commit()
        return given

    @property
    def next(self) -> int | None:
        return min((time for time in self.timers.values() if time is not None), default=None)


def table_of(rows: Sequence[tuple[str, int]]) -> pa.Table:
    keys, times = pa.array([key for key, _ in rows]), [1000 * time for _, time in rows]
    return changes(
        [0] * len(rows), keys, pa.array([1] * len(rows), pa.int32()), pa.array(times, pa.timestamp("us"))
    )


def test_windows_end_by_a_tick_in_every_key_group() -> None:
    run = Run(job([()], BY_CLOCK))
    assert run.batch(1003, [[(key, 0) for key in "abcdea"]]) == []
    assert run.next == 1009
    assert run.batch(1008, ticks=True) == []
    assert run.batch(1009, ticks=True) == ["a 2", "b 1", "c 1", "d 1", "e 1"]
    assert run.next is None


def test_a_replayed_micro_batch_has_the_windows_of_its_time() -> None:
    """The clock of a task is what it is told, not what it is."""
    run = Run(job([()], BY_CLOCK))
    assert run.batch(1003, [[("a", 0)]]) == []
    assert run.next == 1009


def test_a_source_that_falls_idle_lets_the_others_go_on() -> None:
    idle = replace(ASSIGNER, idle=100)
    run = Run(job([(idle,), (idle,)], BY_ROW_TIME))
    assert run.batch(1000, [[("a", 5), ("b", 30)], [("c", 7)]]) == []
    assert run.next == 1100
    assert run.batch(1050, [[("a", 31)]]) == []
    assert run.batch(1100, ticks=True) == ["a 1", "c 1"]
    assert run.next == 1150  # the other one
    assert run.batch(1150, ticks=True) == []
    assert run.next is None


def test_an_idle_input_of_a_join_lets_the_other_one_go_on() -> None:
    side = TimedInput((STRING, INT, timestamp(3)), (0,), 2)
    of = job([(ASSIGNER,), (replace(ASSIGNER, idle=100),)], TemporalJoinSpec(True, (side, side)))
    *sources, joined = of.chains
    inputs = tuple(replace(each, port=port) for port, each in enumerate(joined.inputs))
    chains = [
        replace(chain, outputs=tuple(replace(each, port=port) for each in chain.outputs))
        for port, chain in enumerate(sources)
    ]
    run = Run(with_watermark_needs(replace(of, chains=(*chains, replace(joined, inputs=inputs)))))
    assert run.batch(1000, [[("a", 5), ("b", 6), ("c", 9)], [("a", 1), ("b", 2)]]) == []
    assert run.batch(1050, [[("c", 20)]]) == [], "the versions hold it back"
    assert run.next == 1100
    assert run.batch(1100, ticks=True) == ["a 1", "b 1", "c 1"]


def test_who_has_no_timers_is_not_woken() -> None:
    assert not has_timers(job([(ASSIGNER,)], BY_ROW_TIME))
    assert has_timers(job([(replace(ASSIGNER, idle=1),)], BY_ROW_TIME))
    assert has_timers(job([()], BY_CLOCK))
    ticks = list(Run(job([()], BY_CLOCK))._sources[0].tick())
    assert [(each.to, each.target, each.holds) for each in ticks] == [(1, n, TICK) for n in range(TARGETS)]
