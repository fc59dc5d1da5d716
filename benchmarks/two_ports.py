"""Two inputs of one operator whose rows alternate, beside the same rows one input behind the other.

usage: python -m benchmarks.two_ports [--rows 1000000] [--rounds 5]
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator

import numpy as np
import pyarrow as pa
from tests.runtime.enrich import EnrichSpec

from firesteel.changelog import KIND, SEQUENCE
from firesteel.runtime.dataflow.chain import Chain, standing_clock
from firesteel.runtime.dataflow.packets import Packer, Packet
from firesteel.runtime.dataflow.ports import PortMerger

PIECE = 1 << 16
"""Rows of a table that a task is given."""


def packets(port: int, sequences: np.ndarray) -> Iterator[Packet]:
    """The packets of one input."""
    packer = Packer((0,), 1, task=port, port=port)
    for start in range(0, len(sequences), PIECE):
        sequence = sequences[start : start + PIECE]
        names = pa.array(sequence % 10_000).cast(pa.string())
        values = pa.array(sequence.astype(np.int32)) if port == 0 else names
        columns = [pa.array(np.zeros(len(sequence), np.int8)), pa.array(sequence), names, values]
        yield from packer.add(pa.Table.from_arrays(columns, names=[KIND, SEQUENCE, "f0", "f1"]))
    yield from packer.flush()


def seconds(sent: list[Packet]) -> float:
    """How long the packets take through the merger and the operator."""
    chain, merger = Chain.of([EnrichSpec()], None, standing_clock(1)), PortMerger(ports=2)
    start = time.perf_counter()
    given = 0
    for packet in sent:
        for message in merger.add(packet):
            given += sum(table.num_rows for table in chain.send(message))
    for message in merger.finish():
        given += sum(table.num_rows for table in chain.send(message))
    assert given == sum(packet.rows for packet in sent if packet.port == 0)
    return time.perf_counter() - start


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    numbers = np.arange(options.rows)
    alternating = [*packets(0, numbers[0::2]), *packets(1, numbers[1::2])]
    apart = [*packets(0, numbers[: options.rows // 2]), *packets(1, numbers[options.rows // 2 :])]
    times = {"alternating": [], "apart": []}
    for _ in range(options.rounds):
        for name, sent in (("alternating", alternating), ("apart", apart)):
            times[name].append(seconds(sorted(sent, key=lambda packet: packet.first)))
    best = {name: min(found) for name, found in times.items()}
    for name, found in best.items():
        print(f"{name:12} {found:.3f} s")
    print(f"alternating / apart: {best['alternating'] / best['apart']:.2f}")


if __name__ == "__main__":
    main()
