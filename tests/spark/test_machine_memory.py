"""Memory of the machine or container."""

from __future__ import annotations

from pathlib import Path

import pytest

from firesteel.spark.machine_memory import LEAST, MOST, default_batch_bytes, memory


def container(root: Path, name: str, text: str) -> Path:
    file = root / "sys/fs/cgroup" / name
    file.parent.mkdir(parents=True)
    file.write_text(text)
    return root


@pytest.mark.parametrize("name", ["memory.max", "memory/memory.limit_in_bytes"])
def test_the_limit_of_a_container_counts(tmp_path: Path, name: str) -> None:
    assert memory(container(tmp_path, name, "67108864\n")) == 64 << 20


@pytest.mark.parametrize(
    ("name", "text"), [("memory.max", "max\n"), ("memory/memory.limit_in_bytes", "9223372036854771712\n")]
)
def test_without_a_limit_the_machine_counts(tmp_path: Path, name: str, text: str) -> None:
    assert memory(container(tmp_path, name, text)) == memory(tmp_path / "empty")


@pytest.mark.parametrize(
    ("limit", "share"), [(2 << 30, 64 << 20), (1 << 29, LEAST), (1 << 20, LEAST), (1 << 33, 256 << 20)]
)
def test_a_micro_batch_reads_a_share(tmp_path: Path, limit: int, share: int) -> None:
    machine = memory(tmp_path / "empty")
    if machine is not None and machine < limit:
        pytest.skip("the machine has less")
    assert default_batch_bytes(container(tmp_path, "memory.max", str(limit))) == share <= MOST
