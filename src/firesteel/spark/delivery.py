"""The end of a batch on the driver: counts, errors, and the packets' way to the sink or the caller."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

import pyarrow as pa

from firesteel.connectors.base import Sink
from firesteel.connectors.registry import connector
from firesteel.runtime.packets import CHANGES, WRITTEN, Packet, merge
from firesteel.runtime.spec import SinkSpec
from firesteel.spark.errors import raise_failure
from firesteel.spark.progress import Progress


class Delivery:
    """Delivers the batches of one job. job: what names it over restarts, None where there are none."""

    def __init__(self, spec: SinkSpec, progress: Progress, job: str | None = None) -> None:
        self._sink: Sink | None = None
        if spec.connector is not None:
            self._sink = connector(spec.connector).sink(spec)
            self._sink.open(job)
        self._progress = progress

    def deliver(self, packets: Iterable[Packet], batch: int) -> Iterator[pa.Table]:
        """Commit a batch at the sink; where there is none, its changes by `$order`.

        Raises the error that a packet carries, before anything of the batch is shown.
        """
        ordered = sorted(packets, key=lambda packet: packet.order)
        for packet in ordered:
            raise_failure(packet)
        for packet in ordered:
            self._progress.add(packet)
        changes = merge(packet for packet in ordered if packet.holds == CHANGES)
        if self._sink is None:
            yield from changes
            return
        written = [text for p in ordered if p.holds == WRITTEN for text in json.loads(p.payload)]
        if self._sink.on_driver:
            written += self._sink.write(changes, batch, 0)
        self._sink.commit(batch, written)
