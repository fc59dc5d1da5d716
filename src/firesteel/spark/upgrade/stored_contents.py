"""Contents of sinks, computed from the state of a stopped job (unchanged_state.py)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa

from firesteel.errors import InternalError
from firesteel.job.spec import JobSpec
from firesteel.runtime.aggregate.row_engine.stored_results import stored_results, stored_states
from firesteel.runtime.dataflow.chain import Chain, standing_clock
from firesteel.runtime.spec.operators import GroupAggregateSpec
from firesteel.runtime.state.backend import SortedRunBackend
from firesteel.runtime.state.contents import Contents
from firesteel.runtime.state.manifest import write_manifest
from firesteel.spark.checkpoint.batch_origins import batches
from firesteel.spark.stream.stored_state import StoredState
from firesteel.spark.upgrade.content import Content
from firesteel.spark.upgrade.replay import Keys
from firesteel.spark.upgrade.unchanged_state import SinkTail

if TYPE_CHECKING:
    from firesteel.spark.launch.launch import Spark


class StoredResults:
    """The results of the aggregates of a stopped job.

    Args:
        spark: The Spark that reads the state.
        folder: The statement's folder in a checkpoint.
    """

    def __init__(self, spark: Spark, folder: Path) -> None:
        last = batches(None, str(folder), "commits")[-1]
        self._state = StoredState(spark.session.newSession(), str(folder), last)

    def contents(self, job: JobSpec, tails: Mapping[int, SinkTail], keys: Keys) -> dict[int, Content]:
        """Return the content of a job's sinks by their numbers, computed from the stored results.

        Args:
            job: The job.
            tails: For each sink number, the last operator with state and the operators between it and the
                sink.
            keys: The numbers of the sinks whose content is wanted, with the positions of their key columns.
        """
        found = {number: Content(job.sinks[number].types, key) for number, key in keys.items()}
        for number, content in found.items():
            tail = tails[number]
            chain = Chain.of(tail.operators, None, standing_clock())
            for rows in self._results(tail.aggregate):
                for changes in [*chain.send(rows), *chain.barrier()]:
                    if not isinstance(changes, pa.Table):
                        raise InternalError("an operator without state has sent a watermark")
                    content.apply(changes)
        return found

    def _results(self, spec: GroupAggregateSpec) -> Iterator[pa.Table]:
        for contents in self._state.contents(stored_states(spec)):
            entries = contents.table(spec.state_id)
            keys = entries.select([f"k{i}" for i in range(len(spec.keys))])
            yield from stored_results(spec, SortedRunBackend(_StoredRuns(contents)), keys)


class _StoredRuns:
    """RunStore (runtime/state/run_store.py) that reads a key group of a checkpoint and writes nothing."""

    def __init__(self, contents: Contents) -> None:
        self._contents = contents

    def get(self, run: str) -> bytes | None:
        return self._contents.load(run)

    def manifest(self) -> bytes | None:
        return write_manifest(dict(self._contents.entries))

    def put(self, run: str, data: bytes) -> None:
        raise InternalError("the state of a stopped job is read only")

    def remove(self, runs: Iterable[str]) -> None:
        raise InternalError("the state of a stopped job is read only")

    def set_manifest(self, data: bytes) -> None:
        raise InternalError("the state of a stopped job is read only")
